// Discrete Fourier transforms of the last dims, strict. Source: jax.lax.fft.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::lax {

/// fft and ifft: complex to complex; rfft: real to the first half, n / 2 + 1, of the last dim; irfft: back.
enum class FftType { fft, ifft, rfft, irfft };
constexpr Choices choices_of(FftType) { return {"lax::fft", "type", "fft|FFT ifft|IFFT rfft|RFFT irfft|IRFFT"}; }
/// Over the last lengths.ndim() dims (one or more), of which `lengths` are the extents, for rfft and irfft those of the
/// real side; the inverses divide by their product. float32, float64 and complex types; TypeError for others,
/// ShapeError where the extents are others.
Array fft(const In& x, OneOf<FftType> type, const Shape& lengths);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
