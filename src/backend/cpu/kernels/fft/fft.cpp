// Discrete Fourier transforms of the last dims: short ones in the lanes of vectors, long ones as products of these.
#include "ops/fft/fft.hpp"
#include "backend/cpu/kernels/fft/transform.hpp"
#include "backend/cpu/kernels/kernels.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::kernels {

void fft(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Fft>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t count = Shape(Dims(shape.begin(), shape.end() - p.lengths.ndim())).num_elements();
  auto run = [&]<class T>() { transform<T>(p.type, p.lengths, count, in[0].as<const T>(), out[0].as<T>()); };
  if (real_dtype(in[0].type.dtype) == float64)
    run.operator()<double>();
  else
    run.operator()<float>();
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
