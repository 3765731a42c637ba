// The transforms themselves, row-major, by FFTW. Plans are made once for each shape and kept for the process.
#pragma once

#include <complex>
#include <cstdint>

#include "tutti/base/shape.hpp"
#include "tutti/lax/fft.hpp"

namespace tutti::ops {

/// `count` transforms over `lengths`, one behind the other; `in` stays as it is, nothing is divided. What is real is
/// float, what is complex std::complex<float>. Any number of threads at once.
void transform(lax::FftType type, const Shape& lengths, std::int64_t count, const void* in, void* out);

}  // namespace tutti::ops
