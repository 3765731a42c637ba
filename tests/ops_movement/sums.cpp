// Sums of many numbers keep their digits, whatever function they are in.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kMany = 17 << 20;  // ones: a float32 sum that adds one after the other stays at 2^24

double relative_error(double got, double wanted) { return std::abs(got - wanted) / std::abs(wanted); }

TEST(Sums, ManyOnes) {
  Array x = ones({kMany});
  const float n = static_cast<float>(kMany);
  EXPECT_EQ(dot(x, x).item<float>(), n);
  EXPECT_EQ(jit([](const Array& v) { return inner(v, v); })(x).item<float>(), n);
  EXPECT_EQ(einsum("i,i->", {x, x}).item<float>(), n);
  EXPECT_EQ(matmul(x, x).item<float>(), n);
  EXPECT_EQ(matmul(x.reshape(1, -1), x.reshape(-1, 1)).item<float>(), n);
  EXPECT_EQ(x.sum().item<float>(), n);
  EXPECT_EQ(cumsum(x)[kMany - 1].item<float>(), n);
  EXPECT_EQ(lax::reduce_window(x, lax::WindowReduction::sum, {.window_dimensions = {kMany}}).item<float>(), n);
  Array places = zeros({kMany}, int32);
  EXPECT_EQ(zeros({1}).at(places).add(x).item<float>(), n);
}

TEST(Sums, OfUniformsInEveryType) {
  std::mt19937_64 dice(5);
  std::vector<double> a(200000), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(dice() % 256) / 256;
    b[i] = static_cast<double>(dice() % 256) / 256;
  }
  const Shape shape{static_cast<std::int64_t>(a.size())};
  double products = 0, sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    products += a[i] * b[i];
    sum += a[i];
  }
  Array places = zeros(shape, int32);
  for (DType d : {float32, bfloat16, float16}) {
    const double tolerance = d == float32 ? 1e-6 : d == bfloat16 ? 4e-3 : 1e-3;
    Array x = array(a, shape).astype(d), y = array(b, shape).astype(d), scale = array(0.25f).astype(d);
    auto value = [](const Array& v) { return v.astype(float32).item<float>(); };
    EXPECT_LE(relative_error(value(dot(x, y * scale)), products / 4), tolerance) << d;
    EXPECT_LE(relative_error(value(cumsum(x * scale)[-1]), sum / 4), tolerance) << d;
    EXPECT_LE(relative_error(value(zeros({3}, d).at(places).add(x * scale)[0]), sum / 4), tolerance) << d;
  }
}

// Vectors are summed without the matrix library: in all types, with batches, and as the reference does.
TEST(Sums, ProductsOfVectorsAreThoseOfTheReference) {
  auto cases = [](const Array& x, const Array& y) {
    return std::vector<Array>{
        dot(x[0], y[0]),
        einsum("ij,ij->i", {x, y}),
        einsum("ij,ij->", {x, y}),
        einsum("ij,ij->j", {x, y}),
        matmul(x(slice(0, 1)), y(slice(0, 1)).T()),
        lax::dot_general(x, y, {{1}, {1}, {0}, {0}}, x.dtype().size() < 4 ? std::optional(float32) : std::nullopt)};
  };
  for (DType d : {float32, bfloat16, float16, int32}) {
    if (d.is_integer()) continue;
    Array x = sin(arange(33.f * 5)).reshape(5, 33).astype(d), y = cos(arange(33.f * 5)).reshape(5, 33).astype(d);
    std::vector<Array> got = jit(cases)(x, y), eager = cases(x, y);
    config::backend("reference");
    std::vector<Array> wanted = jit(cases)(x, y);
    config::backend("cpu");
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), wanted[i].dtype());
      double tolerance = got[i].dtype() == float32 ? 1e-5 : 2e-2;
      EXPECT_TRUE(allclose(got[i].astype(float32), wanted[i].astype(float32), tolerance, tolerance).item<bool>())
          << d << " " << i << got[i] << wanted[i];
      EXPECT_TRUE(array_equal(got[i], eager[i]).item<bool>()) << d << " " << i;
    }
  }
  Array i = arange(12) - 6;
  EXPECT_EQ(dot(i, i).item<int>(), 146);
  Array small = (arange(40) * 7).astype(int8);
  EXPECT_EQ(dot(small, small).dtype(), int8);
}

TEST(Sums, VdotConjugates) {
  using C = std::complex<float>;
  Array z = array({1.f, 2.f}).astype(complex64) * C(1, 1);
  EXPECT_EQ(vdot(z, z).item<C>(), C(10, 0));
  EXPECT_EQ(inner(z, z).item<C>(), C(0, 10));
  EXPECT_EQ(conj(z)[0].item<C>(), C(1, -1));
  EXPECT_EQ(conj(array({3})).dtype(), int32);
}

// Places that are hit often, seldom and never; runs that overlap; more runs than few.
TEST(Sums, ScatterAddAgreesWithALoop) {
  std::mt19937 dice(3);
  for (std::int64_t n : {8, 1000, 100000}) {
    std::vector<int> at(500);
    std::vector<float> add(at.size() * 2), wanted(static_cast<std::size_t>(n), -0.f);
    for (int& i : at) i = static_cast<int>(dice() % static_cast<unsigned>(std::min<std::int64_t>(n, 3000) - 1));
    for (float& v : add) v = static_cast<float>(dice() % 1000);
    for (std::size_t k = 0; k < at.size(); ++k)
      for (std::size_t j : {0u, 1u}) wanted[static_cast<std::size_t>(at[k]) + j] += add[2 * k + j];
    const std::int64_t runs = static_cast<std::int64_t>(at.size());
    lax::ScatterDims windows{{1}, {}, {0}, {}, {}};
    Array y = lax::scatter_add(-zeros({n}), array(at, {runs, 1}), array(add, {runs, 2}), windows);
    EXPECT_EQ(y.to_vector<float>(), wanted) << n;
  }
}

// Windows of every length, direct and by doubling, against loops.
TEST(Sums, ReduceWindowOfAnyLength) {
  for (std::int64_t window : {1, 2, 7, 16, 17, 24, 31, 33, 64, 100})
    for (std::int64_t stride : {1, 3})
      for (std::int64_t dilation : {1, 2}) {
        const std::int64_t n = 230, rows = 3, count = (n - ((window - 1) * dilation + 1)) / stride + 1;
        Array x = (sin(arange(690.f)) * 100).reshape(rows, n);
        std::vector<float> v = x.to_vector<float>();
        for (auto kind : {lax::WindowReduction::sum, lax::WindowReduction::max, lax::WindowReduction::min}) {
          auto reduce = [&](const Array& a) {
            return lax::reduce_window(
                a, kind,
                {.window_dimensions = {2, window}, .window_strides = {1, stride}, .window_dilation = {1, dilation}});
          };
          Array y = reduce(x);
          ASSERT_EQ(y.shape(), (Shape{rows - 1, count}));
          std::vector<float> got = y.to_vector<float>();
          std::vector<float> hits(v.size(), 0.f),
              slope = grad([&](const Array&a) { return sum(reduce(a)); })(x).to_vector<float>();
          for (std::int64_t r = 0; r + 1 < rows; ++r)
            for (std::int64_t i = 0; i < count; ++i) {
              double wanted = kind == lax::WindowReduction::sum ? 0 : NAN;
              std::size_t winner = 0;
              for (std::int64_t p = 0; p < 2; ++p)
                for (std::int64_t q = 0; q < window; ++q) {
                  const auto at = static_cast<std::size_t>((r + p) * n + i * stride + q * dilation);
                  const double e = v[at];
                  if (kind == lax::WindowReduction::sum) {
                    wanted += e;
                    hits[at] += 1;
                  } else if (std::isnan(wanted) || (kind == lax::WindowReduction::max ? e > wanted : e < wanted)) {
                    wanted = e;
                    winner = at;
                  }
                }
              if (kind != lax::WindowReduction::sum) hits[winner] += 1;
              ASSERT_NEAR(got[static_cast<std::size_t>(r * count + i)], wanted, 2e-3)
                  << window << " " << stride << " " << dilation;
            }
          ASSERT_EQ(slope, hits) << window << " " << stride << " " << dilation;
        }
      }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
