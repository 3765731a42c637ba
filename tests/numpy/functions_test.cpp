// vectorize and other functions of functions, limits of dtypes, and small functions of numpy, lax and scipy: values are
// JAX's.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using F = std::vector<float>;
using I = std::vector<std::int64_t>;
F floats(const Array& x) { return x.astype(float32).to_vector<float>(); }
I ints(const Array& x) { return x.astype(int32).to_vector<std::int64_t>(); }
void expect_near(const Array& x, const F& want) {
  const F got = floats(x);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else
      EXPECT_NEAR(got[i], want[i], 2e-5f * std::max(1.f, std::abs(want[i]))) << i;
  }
}

TEST(Vectorize, MapsWhatTheSignatureDoesNotName) {
  auto distance =
      vectorize([](const Array& x, const Array& y) { return sqrt(sum(square(x - y))); }, {.signature = "(n),(n)->()"});
  const Array d = distance(ones({5, 1, 3}), zeros({4, 3}));
  EXPECT_EQ(d.shape(), Shape({5, 4}));
  expect_near(d[0][0], {std::sqrt(3.f)});
  auto product =
      vectorize([](const Array& a, const Array& v) { return matmul(a, v); }, {.signature = "(m,n),(n)->(m)"});
  EXPECT_EQ(product(ones({2, 3, 4}), ones({4})).shape(), Shape({2, 3}));
  EXPECT_THROW(product(ones({2, 3, 4}), ones({5})), ShapeError);
  EXPECT_THROW(product(ones({4}), ones({4})), ValueError);
  EXPECT_THROW(vectorize([](const Array& x) { return x; }, {.signature = "(n->()"})(ones({2})), ValueError);
  EXPECT_THROW(vectorize([](const Array& x) { return x; }, {.signature = "(n)->()"})(ones({2})), ValueError);
}
TEST(Vectorize, ScalarsBroadcastAndSomeArgumentsStay) {
  auto f = vectorize([](const Array& a, const Array& b) { return std::pair{a + b, a * b}; });
  const auto [sums, products] = f(array({1.f, 2.f}), array({{10.f}, {20.f}}));
  EXPECT_EQ(floats(sums), F({11, 12, 21, 22}));
  EXPECT_EQ(floats(products), F({10, 20, 20, 40}));
  auto poly = vectorize([](const Array& c, const Array& x, int k) { return sum(c) * x + k; }, {.excluded = {0}});
  EXPECT_EQ(floats(poly(array({1.f, 2.f}), array({1.f, 3.f}), 1)), F({4, 10}));
  EXPECT_EQ(floats(fromfunction([](const Array& i, const Array& j) { return 10 * i + j; }, {2, 3})),
            F({0, 1, 2, 10, 11, 12}));
}

TEST(Limits, AreThoseOfTheFormats) {
  EXPECT_EQ(finfo(float32).eps, 0x1p-23);
  EXPECT_EQ(finfo(float16).max, 65504);
  EXPECT_EQ(finfo(float16).minexp, -14);
  EXPECT_EQ(finfo(bfloat16).precision, 2);
  EXPECT_EQ(finfo(complex64).tiny, 0x1p-126);
  EXPECT_EQ(iinfo(int16).min, -32768);
  EXPECT_EQ(iinfo(uint64).max, ~std::uint64_t{0});
  EXPECT_THROW(finfo{int32}, TypeError);
  EXPECT_THROW(iinfo{float32}, TypeError);
  EXPECT_FALSE(can_cast(int32, float32));
  EXPECT_TRUE(can_cast(int16, float32));
  EXPECT_TRUE(can_cast(uint8, int16));
  EXPECT_FALSE(can_cast(uint8, int8));
  EXPECT_TRUE(can_cast(int64, float64));
  EXPECT_FALSE(can_cast(float64, complex64));
  EXPECT_TRUE(can_cast(float64, float32, Casting::same_kind));
  EXPECT_FALSE(can_cast(float32, int32, Casting::same_kind));
}

TEST(Functions, HaveJaxsValues) {
  expect_near(kaiser(5, 2.5), {0.30396622f, 0.7791669f, 1, 0.7791669f, 0.30396622f});
  expect_near(ldexp(array({0.75f, -3.f, 0.f}), array({3, -2, 5})), {6, -0.75f, 0});
  EXPECT_THROW(ldexp(1.f, array({0.5f})), ValueError);
  const auto upper = mask_indices(
      3, [](const Array& x, int k) { return triu(x, k); }, 1);
  EXPECT_EQ(ints(upper[0]), I({0, 0, 1}));
  EXPECT_EQ(ints(upper[1]), I({1, 2, 2}));
  expect_near(special::gamma(array({0.5f, -1.5f, -2.f, 5.f})), {1.7724539f, 2.3632718f, NAN, 24});
  expect_near(special::multigammaln(array({3.f, 4.5f}), 2), {1.5501953f, 4.8178635f});
  expect_near(special::poch(3.5, 2.), {15.75f});
  expect_near(special::comb(array({5, 3, 4}), array({2, 4, 4})), {10, 0, 1});
  expect_near(special::comb(4, 2, true), {10});
  expect_near(special::boxcox(array({2.f, .5f}), array({0.f, .3f})), {0.6931472f, -0.6258253f});
  expect_near(special::boxcox1p(array({1.f, -.5f}), array({0.f, .3f})), {0.6931472f, -0.6258253f});
  expect_near(special::gammasgn(array({1.f, -.5f, -1.5f, -2.f, -0.f})), {1, -1, 1, NAN, -1});
  expect_near(special::loggamma(array({2.5f, -.5f})), {0.284683f, NAN});
}

TEST(Lax, ProductsInGroups) {
  const Array a = reshape(arange(12.f), {4, 3}), b = reshape(arange(18.f), {2, 3, 3}) / 7;
  expect_near(lax::ragged_dot(a, b, array({1, 2})), {2.1428573f, 2.5714285f, 3, 21.428574f, 23.142859f, 24.857143f,
                                                     36.857147f, 39.857143f, 42.857143f, 0, 0, 0});
  const Array sums =
      lax::ragged_dot_general(a, reshape(arange(8.f), {4, 2}), array({1, 3}), {{{0}, {0}, {}, {}}, 0, {}});
  EXPECT_EQ(sums.shape(), Shape({2, 3, 2}));
  EXPECT_EQ(floats(sums), F({0, 0, 0, 1, 0, 2, 84, 102, 96, 117, 108, 132}));
  EXPECT_THROW(lax::ragged_dot(a, b, array({1, 2, 3})), ShapeError);
}
TEST(Lax, TheUpperHalfOfAProduct) {
  EXPECT_EQ(ints(lax::mulhi(array({1 << 30, INT32_MIN, -5, 7}), array({6, INT32_MIN, 3, -9}))),
            I({1, 1 << 30, -1, -1}));
  const Array big = array({2147483647u, 3000000000u}) * array({2u, 1u}).astype(uint32);
  EXPECT_EQ(lax::mulhi(big, array({4294967295u, 5u})).to_vector<std::uint32_t>(),
            (std::vector<std::uint32_t>{4294967293u, 3u}));
  EXPECT_THROW(lax::mulhi(ones({1}), ones({1})), TypeError);
}
TEST(Lax, ShapesAndPlaces) {
  EXPECT_EQ(lax::collapse(zeros({2, 3, 4}), 0, 2).shape(), Shape({6, 4}));
  EXPECT_EQ(lax::collapse(zeros({2, 3, 4}), 1).shape(), Shape({2, 12}));
  EXPECT_EQ(lax::broadcast_to_rank(zeros({3}), 3).shape(), Shape({1, 1, 3}));
  EXPECT_EQ(lax::broadcast_like(zeros({3}), zeros({2, 3})).shape(), Shape({2, 3}));
  const Array x = reshape(arange(12.f), {3, 4});
  EXPECT_EQ(floats(lax::index_take(x, {array({0, -1}), array({1, 2})}, {0, 1})), F({1, 10}));
  EXPECT_EQ(floats(lax::approx_min_k(array({3.f, 1.f, 2.f}), 2).values), F({1, 2}));
  const Array twice = lax::scatter_apply(
      arange(4.f), array({{1}, {3}, {1}}), [](const Array& v) { return v + 10; }, {{}, {0}, {0}, {}, {}}, Shape{3});
  EXPECT_EQ(floats(twice), F({0, 21, 2, 13}));
  expect_near(lax::scaled_dot(ones({2, 4}), ones({4, 1}), {.lhs_scale = array({{1.f, 2.f}, {3.f, 4.f}})}), {6, 14});
  auto f = jit([](const Array& v) { return lax::optimization_barrier(std::pair{v, 2 * v}); });
  EXPECT_EQ(floats(f(array({3.f})).second), F({6}));
}
TEST(Lax, ConvolutionsOfPatches) {
  const Array x = reshape(arange(8.f), {1, 2, 4}), w = reshape(arange(24.f), {2, 4, 3}) / 5;
  expect_near(lax::conv_general_dilated_local(x, w, {1}, "VALID", {2}), {14.4f, 20.8f, 28.8f, 38.4f, 54.4f, 72});
  EXPECT_EQ(floats(lax::conv_general_dilated_patches(x, {2}, {2})), F({0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(Tree, ReducesAndBroadcasts) {
  using Pair = std::pair<Array, std::vector<Array>>;
  const Pair tree{array(1.f), {array(2.f), array(3.f)}};
  auto add = [](const Array& a, const Array& b) { return a + b; };
  EXPECT_EQ(tree::reduce(add, tree).item<float>(), 6);
  EXPECT_EQ(tree::reduce([](int n, const Array&) { return n + 1; }, tree, 0), 3);
  EXPECT_EQ(tree::reduce_associative(add, tree).item<float>(), 6);
  EXPECT_THROW(tree::reduce(add, std::vector<Array>{}), ValueError);
  EXPECT_TRUE(tree::all(tree::map([](const Array& x) { return x > 0; }, tree)));
  EXPECT_FALSE(tree::all(tree::map([](const Array& x) { return x > 1; }, tree)));
  const Pair spread = tree::broadcast(std::pair{array(7.f), array(8.f)}, tree);
  EXPECT_EQ(spread.second[1].item<float>(), 8);
  EXPECT_EQ(tree::flatten_with_path(tree).first.size(), 3u);
}

// Exact: the series of JAX, 30.03258 at -30, has fewer terms.
TEST(Special, LogNdtrHasDerivativesFarFromZero) {
  const Array x = array({-30.f, -10.f, -9.5f, 0.f, 5.f, 6.f});
  expect_near(vmap(grad([](const Array& v) { return special::log_ndtr(v); }))(x),
              {30.033259f, 10.098093f, 9.603054f, .79788458f, 1.4867194e-6f, 6.0758882e-9f});
}

TEST(Extrema, MinusZeroIsLess) {
  const Array zero = array({0.f, -0.f, 0.f, -0.f}), other = array({-0.f, 0.f, 0.f, -0.f});
  auto signs = [](const Array& x) { return ints(signbit(x)); };
  for (bool compiled : {false, true}) {
    auto most = [](const Array& x, const Array& y) { return maximum(x, y); };
    auto least = [](const Array& x, const Array& y) { return minimum(x, y); };
    EXPECT_EQ(signs(compiled ? jit(most)(zero, other) : most(zero, other)), I({0, 0, 0, 1}));
    EXPECT_EQ(signs(compiled ? jit(least)(zero, other) : least(zero, other)), I({1, 1, 0, 1}));
  }
  EXPECT_EQ(signs(maximum(other, 0.f)), I({0, 0, 0, 0}));
  EXPECT_EQ(signs(minimum(0.f, other)), I({1, 0, 0, 1}));
  EXPECT_EQ(signs(max(reshape(zero, {2, 2}), 1)), I({0, 0}));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
