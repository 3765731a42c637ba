// Statistics, sets, segments, running functions, complex and small numbers, and derivatives of vectors: functions of
// NumPy, lax and scipy that users call at size.
#include "case.hpp"
#include "tutti/tutti.hpp"

namespace bench {
namespace {

Array interpolated(const Array& x) {
  const Array at = linspace(-4., 4., 1024);
  return interp(x, at, sin(at));
}
Array distance(const Array& x, const Array& y) { return sqrt(sum(square(x - y))); }

Batch double_functions(const Setup& s) {
  enable_x64(true);
  const Array x = s.normal({1 << 20}, P()).astype(float64);
  enable_x64(false);
  auto f = jit([](const Array& x) {
    return std::tuple{exp(-x * x), log1p(x * x), sin(x), lax::erf(x), power(abs(x), x)};
  });
  return repeat([=] {
    enable_x64(true);
    auto results = f(x);
    enable_x64(false);
    return results;
  });
}

}  // namespace

std::vector<Case> statistics_cases() {
  return {
      compiled(
          "top_k_rows_4096x4096",
          [](const Array& x) {
            const auto top = lax::top_k(x, 16);
            return std::pair{top.values, top.indices};
          },
          rows({4096, 4096})),
      compiled(
          "median_rows_4096x1024", [](const Array& x) { return median(x, -1); }, rows({4096, 1024})),
      compiled(
          "histogram_4M",
          [](const Array& x) {
            return histogram(x, Bins(256, {-4, 4})).counts;
          },
          whole({1 << 22})),
      compiled(
          "searchsorted_1M_in_64k", [](const Array& sorted, const Array& x) { return searchsorted(sorted, x); },
          [](const Setup& s) { return sort(s.normal({1 << 16}, P())); }, rows({1 << 20})),
      compiled(
          "segment_sum_1M_64",
          [](const Array& x, const Array& ids) { return segment_sum(x, ids, {.num_segments = 4096}); },
          whole({1 << 20, 64}),
          [](const Setup& s) { return device_put(random::randint(random::key(1), {1 << 20}, 0, 4096), s.at(P())); }),
      compiled(
          "cumlogsumexp_4M", [](const Array& x) { return lax::cumlogsumexp(x); }, whole({1 << 22})),
      compiled("interp_4M_in_1k", interpolated, rows({1 << 22})),
      compiled(
          "convolve_1M_63", [](const Array& x, const Array& w) { return convolve(x, w, ConvolveMode::same); },
          whole({1 << 20}), whole({63})),
      compiled(
          "expm_128", [](const Array& a) { return linalg::expm(a); }, whole({128, 128})),
      compiled("jacfwd_tanh_256", jacfwd([](const Array& x) { return tanh(x); }), whole({256})),
      compiled("hessian_quartic_128", hessian([](const Array& x) { return sum(square(square(x))) + prod(x); }),
               whole({128})),
      compiled(
          "complex_mul_exp_4M", [](const Array& z) { return exp(z * z); },
          [](const Setup& s) { return s.normal({1 << 22}, P(axes("x", "y"))).astype(complex64); }),
      compiled(
          "tridiagonal_solve_256x4096",
          [](const Array& dl, const Array& d, const Array& du, const Array& b) {
            return lax::linalg::tridiagonal_solve(dl, d + 4, du, b);
          },
          rows({256, 4096}), rows({256, 4096}), rows({256, 4096}), rows({256, 4096, 1})),
      compiled(
          "gamma_1M", [](const Array& key) { return random::gamma(key, 2.5f, Shape{1 << 20}); },
          [](const Setup&) { return random::key(0); }),
      compiled(
          "poisson_1M", [](const Array& key) { return random::poisson(key, 30.f, Shape{1 << 20}); },
          [](const Setup&) { return random::key(0); }),
      compiled(
          "float8_round_16M", [](const Array& x) { return (x.astype(float8_e4m3fn) * 2).astype(float32); },
          rows({1 << 24})),
      compiled(
          "int4_weights_4096",  // a layer whose weights are stored in 4 bits, on 16 vectors
          [](const Array& w, const Array& scale, const Array& x) { return matmul(x, w.astype(float32) * scale); },
          [](const Setup& s) {
            return round(s.normal({4096, 4096}, P()) * 2).astype(int4);
          },
          whole({4096}), whole({16, 4096})),
      compiled(
          "elementwise_f32_1M",
          [](const Array& x, const Array& y) {
            return std::tuple{sinh(x), arcsinh(x), cbrt(x), lax::erfc(x), remainder(x, y)};
          },
          rows({1 << 20}), rows({1 << 20})),
      {"elementwise_f64_1M", double_functions},
      compiled(
          "gcd_1M", [](const Array& x, const Array& y) { return gcd(x, y); },
          [](const Setup& s) { return device_put(random::randint(random::key(1), {1 << 20}, 0, 1 << 30), s.at(P())); },
          [](const Setup& s) { return device_put(random::randint(random::key(2), {1 << 20}, 0, 1 << 30), s.at(P())); }),
      compiled("vectorize_distance_1024", vectorize(distance, {.signature = "(n),(n)->()"}), rows({1024, 1, 16}),
               whole({1, 1024, 16})),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
