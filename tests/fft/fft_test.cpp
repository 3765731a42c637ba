// Transforms against their sums, back and forth, and what transformations make of them.
#include <numbers>

#include "linalg/random_matrices.hpp"

namespace tutti::test {
namespace {

using C = std::complex<double>;

std::vector<C> sums(const std::vector<std::complex<float>>& x) {
  const auto n = static_cast<double>(x.size());
  std::vector<C> out(x.size());
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t k = 0; k < x.size(); ++k)
      out[j] += C(x[k]) * std::polar(1., -2 * std::numbers::pi * std::fmod(static_cast<double>(j * k), n) / n);
  return out;
}

const std::vector<std::int64_t> extents = {1,  2,  3,  5,  6,  7,  8,   9,   16,   20,
                                           25, 27, 30, 32, 64, 97, 128, 240, 1024, 2048};

TEST(Fft, IsTheSum) {
  for (std::int64_t n : extents) {
    const Array x = random_matrices({n}, complex64, static_cast<unsigned>(n));
    const auto got = fft::fft(x).to_vector<std::complex<float>>();
    const auto want = sums(x.to_vector<std::complex<float>>());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_LE(std::abs(C(got[i]) - want[i]), 1e-5 * std::sqrt(n) + 1e-6);
  }
}

TEST(Fft, ComesBackInEveryNorm) {
  for (std::int64_t n : extents)
    for (fft::Norm norm : {fft::Norm::backward, fft::Norm::ortho, fft::Norm::forward}) {
      const Array z = random_matrices({3, n}, complex64), x = random_matrices({3, n}, float32);
      expect_near(fft::ifft(fft::fft(z, {}, -1, norm), {}, -1, norm), z);
      expect_near(fft::irfft(fft::rfft(x, {}, -1, norm), n, -1, norm), x);
      expect_near(fft::hfft(fft::ihfft(x, {}, -1, norm), n, -1, norm), x);
      expect_near(fft::ifft(fft::fft(swapaxes(z, 0, 1), {}, 0, norm), {}, 0, norm), swapaxes(z, 0, 1));
    }
  const Array z = random_matrices({2, 6, 5, 4}, complex64), x = random_matrices({2, 6, 5, 4}, float32);
  expect_near(fft::ifftn(fft::fftn(z)), z);
  expect_near(fft::ifft2(fft::fft2(z, {.axes = {0, 2}}), {.axes = {0, 2}}), z);
  expect_near(fft::irfftn(fft::rfftn(x)), x);
  expect_near(fft::irfft2(fft::rfft2(x)), x);
  expect_same(fft::ifftshift(fft::fftshift(x)), x);
}

// Rows and lines come in groups: what is made of one depends on it alone.
TEST(Fft, ABatchHasTheBitsOfALoop) {
  for (std::int64_t n : {4, 30, 97, 512}) {
    const Array z = random_matrices({21, n}, complex64), x = random_matrices({21, n}, float32);
    const Array rows = fft::fft(z), lines = fft::fft(z.T(), {}, 0), half = fft::rfft(x);
    for (int r : {0, 15, 16, 20}) {
      const Array one = fft::fft(z(r));
      EXPECT_EQ(rows(r).to_vector<std::complex<float>>(), one.to_vector<std::complex<float>>());
      EXPECT_EQ(lines(all, r).to_vector<std::complex<float>>(), one.to_vector<std::complex<float>>());
      EXPECT_EQ(half(r).to_vector<std::complex<float>>(), fft::rfft(x(r)).to_vector<std::complex<float>>());
      EXPECT_EQ(fft::irfft(half)(r).to_vector<float>(), fft::irfft(half(r)).to_vector<float>());
    }
  }
}

TEST(Fft, DoublesAreAsAccurateAsTheyCanBe) {
  enable_x64(true);
  for (std::int64_t n : {12, 97, 400, 1024}) {
    const Array x = random_matrices({19, n}, float64);
    const Array back = fft::irfft(fft::rfft(x), n), whole = real(fft::ifft(fft::fft(x)));
    EXPECT_LE(max(abs(back - x)).item<double>(), 1e-14);
    EXPECT_LE(max(abs(whole - x)).item<double>(), 1e-14);
    EXPECT_LE(max(abs(fft::rfft(x) - fft::fft(x)(all, slice(n / 2 + 1)))).item<double>(), 1e-12);
  }
  enable_x64(false);
}

// Products of two lengths (with one table of turns, with two, with lanes to spare), odd radices, convolutions for prime
// factors above 31, odd real rows; some numbers of each against sums in extended precision.
const std::vector<std::int64_t> long_extents = {7,    31,   37,   217,  331,   1009,  2053,   2310,  3000,
                                                4095, 4096, 6859, 7168, 65536, 98304, 100000, 100003};

template <class T> void expect_sums(std::int64_t n, DType complex_type, DType real_type, double tolerance) {
  const Array z = random_matrices({2, n}, complex_type, static_cast<unsigned>(n)),
              x = random_matrices({2, n}, real_type);
  const auto numbers = z.to_vector<std::complex<T>>(), got = fft::fft(z).template to_vector<std::complex<T>>(),
             back = fft::ifft(z).template to_vector<std::complex<T>>(),
             half = fft::rfft(x).template to_vector<std::complex<T>>();
  const auto reals = x.to_vector<T>();
  const double bound = tolerance * std::sqrt(static_cast<double>(n));
  using Exact = std::complex<long double>;
  for (std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2, n - 1}) {
    Exact forward = 0, inverse = 0, of_reals = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const Exact w = std::polar(1.L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n);
      const auto at = static_cast<std::size_t>(n + j);  // of the second row
      forward += Exact(numbers[at]) * w;
      inverse += Exact(numbers[at]) * std::conj(w);
      of_reals += static_cast<long double>(reals[at]) * w;
    }
    EXPECT_LE(std::abs(Exact(got[static_cast<std::size_t>(n + k)]) - forward), bound) << n << " at " << k;
    EXPECT_LE(std::abs(Exact(back[static_cast<std::size_t>(n + k)]) * static_cast<long double>(n) - inverse), bound)
        << n;
    if (k <= n / 2) {
      EXPECT_LE(std::abs(Exact(half[static_cast<std::size_t>(n / 2 + 1 + k)]) - of_reals), bound) << n << " at " << k;
    }
  }
  EXPECT_LE(max(abs(fft::irfft(fft::rfft(x), n) - x)).template item<T>(), tolerance * 4) << n;
}

TEST(Fft, LongLengthsAreTheirSums) {
  for (std::int64_t n : long_extents) expect_sums<float>(n, complex64, float32, 3e-6);
  WithX64 x64;
  for (std::int64_t n : long_extents) expect_sums<double>(n, complex128, float64, 3e-15);
}

TEST(Fft, LongLinesHaveTheBitsOfRows) {
  for (std::int64_t n : {331, 3000, 4096}) {
    const Array z = random_matrices({n, 19}, complex64);
    const auto lines = fft::fft(z, {}, 0), rows = fft::fft(z.T());
    EXPECT_EQ(lines.T().to_vector<std::complex<float>>(), rows.to_vector<std::complex<float>>()) << n;
    EXPECT_EQ(rows(7).to_vector<std::complex<float>>(), fft::fft(z(all, 7)).to_vector<std::complex<float>>()) << n;
  }
  const std::int64_t n = 1 << 18;  // shared among the workers
  const Array z = random_matrices({3, n}, complex64);
  EXPECT_EQ(fft::fft(z)(2).to_vector<std::complex<float>>(), fft::fft(z(2)).to_vector<std::complex<float>>());
}

TEST(Fft, KeepsTheSumOfSquares) {
  for (std::int64_t n : extents) {
    const Array z = random_matrices({n}, complex64);
    EXPECT_NEAR(linalg::norm(fft::fft(z, {}, -1, fft::Norm::ortho)).item<float>(), linalg::norm(z).item<float>(),
                1e-4 * std::sqrt(static_cast<double>(n) / 128 + 1));
  }
}

TEST(Fft, HalfOfARealTransformIsTheWhole) {
  for (std::int64_t n : extents) {
    const Array x = random_matrices({2, n}, float32);
    expect_near(fft::rfft(x), fft::fft(x)(all, slice(n / 2 + 1)));
  }
}

TEST(Fft, SeveralDimsAreOneAfterTheOther) {
  const Array z = random_matrices({3, 4, 5}, complex64);
  expect_near(fft::fftn(z), fft::fft(fft::fft(fft::fft(z, {}, 0), {}, 1), {}, 2));
  const Array x = random_matrices({3, 4, 5}, float32);
  expect_near(fft::rfftn(x, {.axes = {2, 0}}), fft::fft(fft::rfft(x, {}, 0), {}, 2));
}

TEST(Fft, LengthsCropAndPad) {
  const Array x = random_matrices({2, 5}, complex64);
  expect_near(fft::fft(x, 3), fft::fft(x(all, slice(3))));
  expect_near(fft::fft(x, 8), fft::fft(pad(x, {{0, 0}, {0, 3}})));
  EXPECT_EQ(fft::irfft(x, 4).shape(), (Shape{2, 4}));
  EXPECT_EQ(fft::irfft(x).shape(), (Shape{2, 8}));
}

TEST(Fft, FrequenciesAreThoseOfTheElements) {
  EXPECT_EQ(fft::fftfreq(5, 0.5).to_vector<float>(), (std::vector<float>{0, 0.4f, 0.8f, -0.8f, -0.4f}));
  EXPECT_EQ(fft::fftfreq(4).to_vector<float>(), (std::vector<float>{0, 0.25f, -0.5f, -0.25f}));
  EXPECT_EQ(fft::rfftfreq(4).to_vector<float>(), (std::vector<float>{0, 0.25f, 0.5f}));
}

// Linear functions: the tangent is the function of the tangent, and the transpose is adjoint to it.
TEST(Fft, DerivativesAreTheTransformsThemselves) {
  auto check = [](auto f, const Array& x) {
    const Array t = random_matrices(x.shape(), x.dtype(), 5);
    expect_near(jvp(f, std::tuple{x}, std::tuple{t}).second, f(t));
    auto [y, pullback] = vjp(f, x);
    const Array w = random_matrices(y.shape(), y.dtype(), 6), back = std::get<0>(pullback(w));
    // They pair without a conjugate, by the real part.
    auto pair = [](const Array& a, const Array& b) { return real((a * b).sum()).item<float>(); };
    EXPECT_NEAR(pair(w, f(t)), pair(back, t), 1e-3);
  };
  for (std::int64_t n : {1, 2, 5, 8}) {
    const Array z = random_matrices({2, n}, complex64), x = random_matrices({2, n}, float32);
    check([](const Array& v) { return fft::fft(v); }, z);
    check([](const Array& v) { return fft::ifft(v); }, z);
    check([](const Array& v) { return fft::rfft(v); }, x);
    check([n](const Array& v) { return fft::irfft(v, n); }, random_matrices({2, n / 2 + 1}, complex64));
    check([](const Array& v) { return fft::rfftn(v); }, x);
    check([](const Array& v) { return fft::irfftn(v, {.s = {2, 4}}); }, random_matrices({2, 3}, complex64));
  }
}

TEST(Fft, VmapJitAndShardsAgree) {
  set_cpu_devices(8);
  const Array z = random_matrices({16, 12}, complex64), x = random_matrices({16, 12}, float32);
  auto f = [](const Array& v) { return fft::fft(v); };
  const Array rows = vmap(f)(z);
  for (int i = 0; i < 16; ++i) expect_same(rows(i), f(z(i)));
  expect_same(jit(f)(z), f(z));
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array split = device_put(x, NamedSharding(mesh, P("x")));
  auto g = jit([](const Array& v) { return fft::irfft(square(abs(fft::rfft(v))), 12); });
  expect_same(g(split), g(x));
  EXPECT_EQ(g(split).addressable_shards()[0].data().shape(), (Shape{2, 12}));
  EXPECT_NE(g.explain(split).str().find(" 0 collectives"), std::string::npos) << g.explain(split);
}

TEST(Fft, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(fft::fft(zeros({2}), {}, 1), IndexError);
  EXPECT_THROW(fft::rfft(zeros({2}, complex64)), ValueError);
  EXPECT_THROW(fft::fft(zeros({2}), 0), ValueError);
  EXPECT_THROW(fft::rfft(zeros({3, 0})), ValueError);
  EXPECT_EQ(fft::fft(zeros({3, 0})).shape(), (Shape{3, 0})) << "of nothing, as in JAX";
  EXPECT_THROW(fft::fftn(zeros({2, 3}), {.s = {2}, .axes = {0, 1}}), ValueError);
  EXPECT_THROW(fft::fftn(zeros({2, 3}), {.axes = {0, 0}}), ValueError);
  EXPECT_THROW(lax::fft(zeros({4}, complex64), lax::FftType::fft, {3}), ShapeError);
  EXPECT_THROW(fft::fftfreq(0), ValueError);
  WithX64 x64;
  EXPECT_EQ(fft::rfft(zeros({4}, float64)).dtype(), complex128);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
