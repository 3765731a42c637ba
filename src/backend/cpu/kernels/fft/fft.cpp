// Discrete Fourier transforms of the last dims: short ones in the lanes of vectors, long ones as products of these.
#include "ops/fft/fft.hpp"
#include "backend/cpu/kernels/fft/lanes.hpp"
#include "backend/cpu/kernels/fft/transform.hpp"
#include "backend/cpu/kernels/kernels.hpp"
#include "base/tasks.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::kernels {

void fft(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Fft>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t count = Shape(Dims(shape.begin(), shape.end() - p.lengths.ndim())).num_elements();
  auto run = [&]<class T>() {
    transform<T>(p.type, p.lengths, count, in[0].as<const T>(), out[0].as<T>());
    if (!is_inverse(p.type)) return;
    const T scale = 1 / static_cast<T>(p.lengths.num_elements());
    T* x = out[0].as<T>();
    in_pieces(out[0].type.nbytes() / static_cast<std::int64_t>(sizeof(T)), 0.2,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) x[i] *= scale;
              });
  };
  if (real_dtype(in[0].type.dtype) == float64)
    run.operator()<double>();
  else
    run.operator()<float>();
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
