// Factors and determinants of stacks of matrices: small ones in lanes, large ones by strips or blocks, others by
// LAPACK.
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/cpu/kernels/linalg/matrices.hpp"
#include "ops/linalg/cholesky.hpp"
#include "ops/linalg/determinant.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/qr.hpp"

namespace tutti::kernels {

void cholesky(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape), size = n * n;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    if constexpr (!is_complex<T>)
      if (SmallMatrices<T>::takes(n, batch_size(shape)))
        return for_each_group<T>(batch_size(shape), static_cast<double>(size * n) / 3,
                                 [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                                   kernels.cholesky(count, static_cast<int>(n), in[0].as<const T>() + k * size,
                                                    out[0].as<T>() + k * size);
                                 });
    for_each_matrix<T>(batch_size(shape), static_cast<double>(size * n) / 3, [&](std::int64_t k, Workspace<T>&) {
      Lapack<T>::cholesky(static_cast<int>(n), in[0].as<const T>() + k * size, out[0].as<T>() + k * size,
                          batch_size(shape) == 1);
    });
  });
}

void lu(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t m = rows_of(shape), n = cols_of(shape), size = m * n, steps = std::min(m, n);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    if constexpr (!is_complex<T>)
      if (SmallMatrices<T>::takes(std::max(m, n), batch_size(shape)) && steps > 0)
        return for_each_group<T>(batch_size(shape), static_cast<double>(size * steps),
                                 [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                                   kernels.lu(count, static_cast<int>(m), static_cast<int>(n),
                                              in[0].as<const T>() + k * size, out[0].as<T>() + k * size,
                                              out[1].as<std::int32_t>() + k * steps, out[2].as<std::int32_t>() + k * m);
                                 });
    for_each_matrix<T>(batch_size(shape), static_cast<double>(size * steps), [&](std::int64_t k, Workspace<T>& space) {
      T* to = out[0].as<T>() + k * size;
      auto* pivots = out[1].as<std::int32_t>() + k * steps;
      auto* permutation = out[2].as<std::int32_t>() + k * m;
      Lapack<T>::lu(static_cast<int>(m), static_cast<int>(n), in[0].as<const T>() + k * size, to, pivots, space,
                    batch_size(shape) == 1);
      std::iota(permutation, permutation + m, 0);
      for (std::int64_t i = 0; i < steps; ++i) std::swap(permutation[i], permutation[pivots[i]]);
    });
  });
}

void qr(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t m = rows_of(shape), n = cols_of(shape), k = cols_of(out[0].type.shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for_each_matrix<T>(batch_size(shape), 4 * static_cast<double>(m * n * k), [&](std::int64_t i, Workspace<T>& space) {
      Lapack<T>::qr(static_cast<int>(m), static_cast<int>(n), c.get<QrForm>().full, in[0].as<const T>() + i * m * n,
                    out[0].as<T>() + i * m * k, out[1].as<T>() + i * k * n, space, batch_size(shape) == 1);
    });
  });
}

namespace {

/// Calls f(k, factored, pivots) for each matrix; `factored` is row-major.
template <class T, class F> void with_factors(const HostView& in, F f) {
  const std::int64_t n = cols_of(in.type.shape), size = n * n;
  if constexpr (!is_complex<T>)
    if (SmallMatrices<T>::takes(n, batch_size(in.type.shape)))
      return for_each_group<T>(batch_size(in.type.shape), 2 * static_cast<double>(size * n) / 3,
                               [&](std::int64_t first, std::int64_t count, SmallMatrices<T>& kernels) {
                                 std::vector<T> factors(static_cast<std::size_t>(count * size));
                                 std::vector<std::int32_t> pivots(static_cast<std::size_t>(count * n)), rows(pivots);
                                 kernels.lu(count, static_cast<int>(n), static_cast<int>(n),
                                            in.as<const T>() + first * size, factors.data(), pivots.data(),
                                            rows.data());
                                 for (std::int64_t k = 0; k < count; ++k)
                                   f(first + k, factors.data() + k * size, pivots.data() + k * n);
                               });
  for_each_matrix<T>(batch_size(in.type.shape), 2 * static_cast<double>(size * n) / 3,
                     [&](std::int64_t k, Workspace<T>& space) {
                       std::vector<T> a(static_cast<std::size_t>(size));
                       std::vector<std::int32_t> pivots(static_cast<std::size_t>(n));
                       Lapack<T>::lu(static_cast<int>(n), static_cast<int>(n), in.as<const T>() + k * size, a.data(),
                                     pivots.data(), space, batch_size(in.type.shape) == 1);
                       f(k, a.data(), pivots.data());
                     });
}

bool odd_swaps(const std::int32_t* pivots, std::int64_t n) {
  bool odd = false;
  for (std::int64_t i = 0; i < n; ++i) odd ^= pivots[i] != i;
  return odd;
}

}  // namespace

void det(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const std::int64_t n = cols_of(in[0].type.shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    with_factors<T>(in[0], [&](std::int64_t k, const T* lu, const std::int32_t* pivots) {
      T product = odd_swaps(pivots, n) ? T(-1) : T(1);
      for (std::int64_t i = 0; i < n; ++i) product *= lu[i * n + i];
      out[0].as<T>()[k] = product;
    });
  });
}

void slogdet(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const std::int64_t n = cols_of(in[0].type.shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    with_factors<T>(in[0], [&](std::int64_t k, const T* lu, const std::int32_t* pivots) {
      T sign = odd_swaps(pivots, n) ? T(-1) : T(1);
      double log = 0;
      bool zero = false;
      for (std::int64_t i = 0; i < n; ++i) {
        const T d = lu[i * n + i];
        const Real<T> size = std::abs(d);
        zero = zero || size == 0;
        sign *= d / size;
        log += std::log(static_cast<double>(size));
      }
      out[0].as<T>()[k] = zero ? T{} : sign;
      out[1].as<Real<T>>()[k] = zero ? -std::numeric_limits<Real<T>>::infinity() : static_cast<Real<T>>(log);
    });
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
