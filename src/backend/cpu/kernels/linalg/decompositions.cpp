// Singular values and eigenvalues of stacks of matrices.
#include <complex>

#include "backend/cpu/kernels/linalg/matrices.hpp"
#include "backend/cpu/kernels/linalg/spectra.hpp"
#include "ops/linalg/eigen.hpp"
#include "ops/linalg/svd.hpp"

namespace tutti::kernels {

void svd(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<SvdForm>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t m = rows_of(shape), n = cols_of(shape), k = std::min(m, n), columns = p.full ? m : k,
                     rows = p.full ? n : k;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for_each_matrix<T>(batch_size(shape), 20 * static_cast<double>(m * n * k), [&](std::int64_t i, auto& space) {
      T* u = p.vectors ? out[1].as<T>() + i * m * columns : nullptr;
      T* vh = p.vectors ? out[2].as<T>() + i * rows * n : nullptr;
      Spectra<T>::svd(static_cast<int>(m), static_cast<int>(n), p.full, in[0].as<const T>() + i * m * n,
                      out[0].as<Real<T>>() + i * k, u, vh, space, batch_size(shape) == 1);
    });
  });
}

void eigh(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<EighForm>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape), size = n * n;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for_each_matrix<T>(batch_size(shape), 10 * static_cast<double>(size * n), [&](std::int64_t k, auto& space) {
      Spectra<T>::eigh(static_cast<int>(n), p.lower, in[0].as<const T>() + k * size, out[0].as<Real<T>>() + k * n,
                       p.vectors ? out[1].as<T>() + k * size : nullptr, space, batch_size(shape) == 1);
    });
  });
}
void eig(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<EigForm>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape), size = n * n;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    using C = std::complex<Real<T>>;
    for_each_matrix<T>(batch_size(shape), 25 * static_cast<double>(size * n), [&](std::int64_t k, auto& space) {
      Spectra<T>::eig(static_cast<int>(n), in[0].as<const T>() + k * size, out[0].as<C>() + k * n,
                      p.left ? out[1].as<C>() + k * size : nullptr,
                      p.right ? out[1 + p.left].as<C>() + k * size : nullptr, space);
    });
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
