// Order statistics, histograms, sets and selections where NumPy's and JAX's rules are not the obvious ones.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

std::vector<float> elements(const Array& x) { return x.astype(float32).to_vector<float>(); }
std::vector<std::int64_t> integers(const Array& x) { return x.astype(int32).to_vector<std::int64_t>(); }
using F = std::vector<float>;
using I = std::vector<std::int64_t>;

TEST(Statistics, AQuantileLiesBetweenTwoElements) {
  Array x = array({3.f, 1.f, 10.f, 2.f});
  EXPECT_EQ(elements(median(x)), F({2.5f}));
  EXPECT_EQ(elements(quantile(x, array({0.f, 0.5f, 1.f}))), F({1, 2.5f, 10}));
  EXPECT_EQ(elements(percentile(x, 50, {.method = QuantileMethod::lower})), F({2}));
  EXPECT_EQ(quantile(ones({2, 3, 4}), array({0.1f, 0.2f}), {.axes = {0, 2}}).shape(), Shape({2, 3}));
  EXPECT_EQ(quantile(ones({2, 3, 4}), 0.1, {.axes = {0, 2}, .keepdims = true}).shape(), Shape({1, 3, 1}));
  EXPECT_THROW(quantile(x, ones({2, 2})), ShapeError);
  EXPECT_THROW(median(zeros({0})), ValueError);
}

TEST(Statistics, NanWinsUnlessItIsLeftOut) {
  Array x = array({1.f, NAN, 3.f});
  EXPECT_TRUE(std::isnan(median(x).item<float>()));
  EXPECT_EQ(nanmedian(x).item<float>(), 2);
  EXPECT_EQ(nanvar(x).item<float>(), 1);
  EXPECT_EQ(nanargmax(x).item<int>(), 2);
  EXPECT_EQ(nanargmax(array({NAN, NAN})).item<int>(), -1);
}

TEST(Statistics, TheLastBinHasBothEdges) {
  const Histogram h = histogram(array({0.f, 1.f, 1.f, 2.f}), Bins(2));
  EXPECT_EQ(elements(h.counts), F({1, 3}));
  EXPECT_EQ(elements(h.edges), F({0, 1, 2}));
  EXPECT_EQ(elements(histogram(array({5.f, 5.f}), Bins(1)).edges), F({4.5f, 5.5f}));
  EXPECT_EQ(elements(histogram(array({0.f, 1.f, 1.f, 2.f}).reshape(2, 2), 2).counts), elements(h.counts));
  EXPECT_EQ(histogram2d(array({0.f, 1.f}), array({0.f, 1.f}), Bins(2), Bins(3)).counts.shape(), Shape({2, 3}));
}

TEST(Statistics, BincountOfTracedNumbersNeedsALength) {
  Array x = array({1, 1, 3, -2});
  EXPECT_EQ(integers(bincount(x)), I({1, 2, 0, 1}));
  auto counted = jit([](const Array& v) { return bincount(v, {.length = 3}); });
  EXPECT_EQ(integers(counted(x)), I({1, 2, 0}));
  EXPECT_THROW(jit([](const Array& v) { return bincount(v); })(x), TracerError);
}

TEST(Sets, UniqueOfAFixedSizeRunsInJit) {
  Array x = array({3, 1, 3, 2});
  EXPECT_EQ(integers(unique(x)), I({1, 2, 3}));
  auto five = jit([](const Array& v) { return unique(v, {.size = 5}); });
  EXPECT_EQ(integers(five(x)), I({1, 2, 3, 1, 1}));
  const Unique u = unique_all(x);
  EXPECT_EQ(integers(u.indices), I({1, 3, 0}));
  EXPECT_EQ(integers(u.inverse), I({2, 0, 2, 1}));
  EXPECT_EQ(integers(u.counts), I({1, 1, 2}));
  EXPECT_EQ(unique(array({NAN, 1.f, NAN})).size(), 2);
  EXPECT_EQ(unique(array({NAN, 1.f, NAN}), {.equal_nan = false}).size(), 3);
  EXPECT_THROW(jit([](const Array& v) { return unique(v); })(x), TracerError);
}

TEST(Sets, DifferencesKeepOrderAndFill) {
  Array x = array({5, 1, 1, 4}), y = array({4, 7});
  EXPECT_EQ(integers(setdiff1d(x, y)), I({1, 5}));
  EXPECT_EQ(integers(setdiff1d(x, y, {.size = 3, .fill_value = -1})), I({1, 5, -1}));
  EXPECT_EQ(integers(union1d(x, y)), I({1, 4, 5, 7}));
  EXPECT_EQ(integers(intersect1d(x, y)), I({4}));
  EXPECT_EQ(integers(setxor1d(x, y)), I({1, 5, 7}));
  EXPECT_EQ(integers(isin(x, array(std::vector<int>{}, {0})).astype(int32)), I({0, 0, 0, 0}));
}

TEST(Selection, AMaskIsAnIndexWhereItIsConcrete) {
  Array x = arange(6).reshape(2, 3), m = array({{true, false, true}, {false, true, false}});
  EXPECT_EQ(integers(x[m]), I({0, 2, 4}));
  EXPECT_EQ(integers(x(array({false, true}))), I({3, 4, 5}));
  EXPECT_EQ(integers(x(all, array({true, false, true}))), I({0, 2, 3, 5}));
  EXPECT_THROW(x[array({true, false, true})], IndexError);
  EXPECT_THROW(jit([](const Array& v, const Array& mask) { return v[mask]; })(x, m), TracerError);
  // One value needs no positions.
  auto set = jit([](const Array& v, const Array& mask) { return v.at(mask).set(9); });
  EXPECT_EQ(integers(set(x, m)), I({9, 1, 9, 3, 9, 5}));
}

TEST(Selection, NonzeroFillsUpToItsSize) {
  Array x = array({0, 3, 0, 4});
  EXPECT_EQ(integers(nonzero(x)[0]), I({1, 3}));
  EXPECT_EQ(integers(nonzero(x, {.size = 3})[0]), I({1, 3, 0}));
  EXPECT_EQ(integers(nonzero(x, {.size = 3, .fill_value = -1})[0]), I({1, 3, -1}));
  EXPECT_EQ(integers(nonzero(x, {.size = 1})[0]), I({1}));
  EXPECT_THROW(nonzero(array(1)), ValueError);
}

TEST(Selection, UpdatesByPositionsOutOfRange) {
  Array x = array({1.f, 2.f, 3.f}), at = array({0, 7});
  EXPECT_EQ(elements(x.at(at).set(9)), F({9, 2, 3}));
  EXPECT_EQ(elements(x.at(at).set(9, AtMode::clip)), F({9, 2, 9}));
  EXPECT_TRUE(std::isnan(elements(x.at(at).get(AtMode::fill))[1]));
  EXPECT_EQ(elements(x.at(at).get(AtMode::fill, -5)), F({1, -5}));
  EXPECT_EQ(elements(x.at(1).divide(4).at(0).power(2).at(2).subtract(1)), F({1, 0.5f, 2}));
  EXPECT_EQ(elements(x.at(slice(0, 2)).apply(square)), F({1, 4, 3}));
  // As often as a position is named, as in JAX.
  const Array often = array({1, 1, 0});
  auto thrice = [](const Array& v) { return 3 * v; };
  EXPECT_EQ(elements(x.at(often).apply(thrice)), F({3, 18, 3}));
  auto applied = [&](const Array& v, const Array& i) { return v.at(i).apply(thrice); };
  EXPECT_EQ(elements(jit(applied)(x, often)), F({3, 18, 3}));
  EXPECT_EQ(elements(jit(grad([&](const Array& v, const Array& i) { return sum(applied(v, i)); }))(x, often)),
            F({3, 9, 1}));
  EXPECT_EQ(elements(x.at(often).divide(2)), F({0.5f, 0.5f, 3}));
  EXPECT_EQ(elements(x.at(often).power(2)), F({1, 16, 3}));
  EXPECT_EQ(elements(array({1, 2}).at(0).divide(2)), F({0.5f, 2}));
}

TEST(Derivatives, OfScattersWithRepeatedPositions) {
  Array x = array({2.f, 5.f}), at = array({0, 0, 1}), u = array({3.f, 0.f, 4.f});
  auto [dx, du] = grad<0, 1>([&](const Array& a, const Array& b) { return sum(a.at(at).mul(b)); })(x, u);
  EXPECT_EQ(elements(dx), F({0, 4}));
  EXPECT_EQ(elements(du), F({0, 6, 5}));
  auto [mx, mu] =
      grad<0, 1>([&](const Array& a, const Array& b) { return sum(a.at(at).max(b)); })(x, array({3.f, 3.f, 4.f}));
  EXPECT_EQ(elements(mx), F({0, 1}));
  EXPECT_EQ(elements(mu), F({0.5f, 0.5f, 0}));
}

TEST(Derivatives, OfRunningProductsWithZeros) {
  Array x = array({2.f, 0.f, 3.f});
  EXPECT_EQ(elements(cumprod(x)), F({2, 0, 0}));
  EXPECT_EQ(elements(grad([](const Array& v) { return sum(cumprod(v)); })(x)), F({1, 8, 0}));
  EXPECT_EQ(elements(lax::cummax(array({1.f, 3.f, 2.f}), 0, true)), F({3, 3, 2}));
}

TEST(Derivatives, HolomorphicGradientsAreTheComplexDerivative) {
  Array z = array({1, 2}).astype(complex64) * std::complex<float>(0, 1);
  Array d = grad([](const Array& v) { return sum(v * v); }, {.holomorphic = true})(z);
  EXPECT_TRUE(array_equal(d, z * 2).item<bool>());
  EXPECT_THROW(grad([](const Array& v) { return sum(v); }, {.holomorphic = true})(ones({2})), TypeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
