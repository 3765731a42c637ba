#include "case.hpp"

namespace bench {
namespace {

Array solve(const Array& a, const Array& b) { return linalg::solve(a, b); }
Array product(const Array& a, const Array& b) { return matmul(a, b); }

}  // namespace

std::vector<Case> linalg_cases() {
  return {
      compiled("product_batch_4096x4", product, rows({4096, 4, 4}), rows({4096, 4, 4})),
      compiled("product_100000x3_3", product, rows({100000, 3}), whole({3, 3})),
      compiled(
          "cholesky_1024", [](const Array& a) { return linalg::cholesky(a); }, spd(1024)),
      compiled("solve_1024", solve, whole({1024, 1024}), whole({1024, 16})),
      compiled(
          "eigh_256", [](const Array& a) { return linalg::eigh(a); }, spd(256)),
      compiled(
          "svd_256", [](const Array& a) { return linalg::svd(a); }, whole({256, 256})),
      compiled(
          "qr_512", [](const Array& a) { return linalg::qr(a); }, whole({512, 512})),
      compiled(
          "hessenberg_256", [](const Array& a) { return lax::linalg::hessenberg(a).a; }, whole({256, 256})),
      compiled(
          "tridiagonal_256", [](const Array& a) { return lax::linalg::tridiagonal(a).d; }, spd(256)),
      compiled(
          "schur_256", [](const Array& a) { return lax::linalg::schur(a).t; }, whole({256, 256})),
      compiled(
          "cholesky_update_512", [](const Array& r, const Array& w) { return lax::linalg::cholesky_update(r, w); },
          [](const Setup& s) { return device_put(eye(512), s.at(P())); }, whole({512})),
      compiled(
          "qdwh_256", [](const Array& a) { return lax::linalg::qdwh(a).u; }, whole({256, 256})),
      compiled("batched_solve_4096x8", solve, rows({4096, 8, 8}), rows({4096, 8, 1})),
      compiled(
          "fft2_1024", [](const Array& x) { return fft::fft2(x); },
          [](const Setup& s) {
            return s.normal({1024, 1024}, P()).astype(complex64);
          }),
      compiled(
          "rfft_4096x1024", [](const Array& x) { return fft::rfft(x); }, rows({4096, 1024})),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
