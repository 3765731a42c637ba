// Triangular systems, and those of which factors are known: small ones in lanes, large ones by strips, others by
// LAPACK.
#include <algorithm>
#include <complex>

#include "backend/cpu/kernels/linalg/matrices.hpp"
#include "ops/linalg/direct_solve.hpp"
#include "ops/linalg/solve.hpp"
#include "ops/linalg/triangular_solve.hpp"

namespace tutti::kernels {

void triangular_solve(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Triangular>();
  const Shape& shape = in[1].type.shape;
  const std::int64_t rows = rows_of(shape), cols = cols_of(shape), n = p.left ? rows : cols;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    const Turn turn = !p.transpose ? Turn::none : p.conjugate ? Turn::adjoint : Turn::transpose;
    if constexpr (!is_complex<T>)
      if (SmallMatrices<T>::solves(n, p.left ? cols : rows, batch_size(shape)))
        return for_each_group<T>(batch_size(shape), static_cast<double>(rows * cols * n),
                                 [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                                   kernels.triangular_solve(
                                       count, p.left, p.lower, turn, p.unit, static_cast<int>(rows),
                                       static_cast<int>(cols), in[0].as<const T>() + k * n * n,
                                       in[1].as<const T>() + k * rows * cols, out[0].as<T>() + k * rows * cols);
                                 });
    for_each_matrix<T>(batch_size(shape), static_cast<double>(rows * cols * n),
                       [&](std::int64_t k, Workspace<T>& space) {
                         const T* a = in[0].as<const T>() + k * n * n;
                         T* x = out[0].as<T>() + k * rows * cols;
                         std::copy_n(in[1].as<const T>() + k * rows * cols, rows * cols, x);
                         if constexpr (is_complex<T>)
                           if (p.conjugate && !p.transpose) {
                             space.matrix.resize(static_cast<std::size_t>(n * n));
                             std::transform(a, a + n * n, space.matrix.data(), [](T v) { return std::conj(v); });
                             a = space.matrix.data();
                           }
                         Lapack<T>::triangular_solve(p.left, p.lower, turn, p.unit, static_cast<int>(rows),
                                                     static_cast<int>(cols), a, x, batch_size(shape) == 1);
                       });
  });
}

void solve(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[3].type.shape;
  const std::int64_t n = rows_of(shape), cols = cols_of(shape);
  const Turn turn = c.get<Solve>().transposed ? Turn::transpose : Turn::none;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    if constexpr (!is_complex<T>)
      if (SmallMatrices<T>::solves(n, cols, batch_size(shape)))
        return for_each_group<T>(batch_size(shape), 2 * static_cast<double>(n * n * cols),
                                 [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                                   kernels.lu_solve(count, static_cast<int>(n), static_cast<int>(cols),
                                                    in[1].as<const T>() + k * n * n,
                                                    in[2].as<const std::int32_t>() + k * n, turn != Turn::none,
                                                    in[3].as<const T>() + k * n * cols, out[0].as<T>() + k * n * cols);
                                 });
    for_each_matrix<T>(batch_size(shape), 2 * static_cast<double>(n * n * cols), [&](std::int64_t k, Workspace<T>&) {
      T* x = out[0].as<T>() + k * n * cols;
      std::copy_n(in[3].as<const T>() + k * n * cols, n * cols, x);
      Lapack<T>::lu_solve(static_cast<int>(n), static_cast<int>(cols), in[1].as<const T>() + k * n * n,
                          in[2].as<const std::int32_t>() + k * n, turn, x, batch_size(shape) == 1);
    });
  });
}

void direct_solve(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[1].type.shape;
  const std::int64_t n = rows_of(shape), cols = cols_of(shape);
  auto run = [&]<class T>() {
    for_each_group<T>(batch_size(shape), static_cast<double>(n * n) * static_cast<double>(n + 2 * cols),
                      [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                        kernels.solve(count, static_cast<int>(n), static_cast<int>(cols),
                                      in[0].as<const T>() + k * n * n, in[1].as<const T>() + k * n * cols,
                                      out[0].as<T>() + k * n * cols);
                      });
  };
  in[0].type.dtype == float32 ? run.template operator()<float>() : run.template operator()<double>();
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
