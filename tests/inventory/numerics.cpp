// Rows 43 to 63: numeric functions and random numbers.
#include <cmath>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_43_sin, LiftsIntegersAndKeepsTheSharding) {
  EXPECT_EQ(sin(arange(3)).dtype(), float32);
  expect_values(sin(arange(3)), {0, std::sin(1.f), std::sin(2.f)}, 1e-7);
  Array x = device_put(arange(64.f).reshape(8, 8), NamedSharding(mesh42(), P("x", "y")));
  EXPECT_EQ(sin(x).sharding(), x.sharding());
  EXPECT_EQ((2 * sin(x) + 1).sharding(), x.sharding());
}

TEST(row_44_dot, OfVectorsAndMatrices) {
  Array m = arange(6.f).reshape(2, 3), v = arange(3.f);
  EXPECT_EQ(dot(v, v).shape(), Shape{});
  expect_values(dot(v, v), {5});
  expect_values(dot(m, v), {5, 14});
  EXPECT_EQ(matmul(m, m.T()).shape(), (Shape{2, 2}));
  EXPECT_EQ(dot(v, m.T()).shape(), (Shape{2}));
  expect_error<ShapeError>([&] { dot(m, m); }, {"float32[2,3]"});
  Mesh mesh = mesh42();
  Array w = dot(device_put(ones({8, 8}), NamedSharding(mesh, P("x", none))), device_put(ones({8, 8}), NamedSharding(mesh, P(none, "y"))));
  EXPECT_EQ(w.sharding(), NamedSharding(mesh, P("x", "y")));
}

TEST(row_45_copy, KeepsShardingAndCommitment) {
  Array x = device_put(arange(8.f), NamedSharding(line8(), P("x")));
  Array y = copy(x);
  EXPECT_EQ(y.sharding(), x.sharding());
  EXPECT_TRUE(y.committed());
  EXPECT_FALSE(arange(3).copy().committed());
}

TEST(row_46_creation, HasNumpysDtypes) {
  EXPECT_EQ(arange(32.0).dtype(), float32);
  EXPECT_EQ(arange(32).dtype(), int32);
  EXPECT_EQ(zeros({2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(ones({2}, int32).dtype(), int32);
  EXPECT_EQ(ones_like(arange(4)).dtype(), int32);
  EXPECT_FALSE(ones({2}).committed());
  expect_values(array({{1, 2}, {3, 4}})[1].astype(float32), {3, 4});
}

TEST(row_47_maximum, HalvesTheGradientAtATie) {
  expect_values(maximum(array({-1.f, 0.f, 2.f}), 0), {0, 0, 2});
  expect_values(grad([](const Array& x) { return sum(maximum(x, 0)); })(array({-1.f, 0.f, 2.f})), {0, 0.5, 1});
}

TEST(row_48_sum, AlongAxes) {
  Array x = arange(6.f).reshape(2, 3);
  expect_values(sum(x, -1), {3, 12});
  expect_values(x.sum(0), {3, 5, 7});
  EXPECT_EQ(sum(x, 1, true).shape(), (Shape{2, 1}));
  Array y = device_put(arange(32.f).reshape(4, 8), NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x", "y")));
  EXPECT_TRUE(y.sum(0).sharding().is_equivalent_to(NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("y")), 1));
  expect_values(y.sum(0), {48, 52, 56, 60, 64, 68, 72, 76});
}

TEST(row_49_mean, DividesByTheCount) {
  expect_values(mean(arange(4)), {1.5});
  EXPECT_EQ(mean(arange(4)).dtype(), float32);
  // Half precision is summed in float32: 4096 ones and more would stick at 2048 otherwise.
  EXPECT_EQ(static_cast<float>(mean(ones({8192}, float16))), 1.f);
  EXPECT_EQ(mean(ones({8}, bfloat16)).dtype(), bfloat16);
}

TEST(row_50_sqrt, OfANumberIsAWeakFloat) {
  Array r = sqrt(Array(2));
  EXPECT_EQ(r.dtype(), float32);
  EXPECT_TRUE(r.weak_type());
  EXPECT_FLOAT_EQ(static_cast<float>(r), std::sqrt(2.f));
}

TEST(row_51_power, IsExactForSquares) {
  Array x = array({-3.f, 0.5f});
  expect_values(power(x, 2), {9, 0.25});
  expect_values(square(x), {9, 0.25});
  expect_values(grad([](const Array& x) { return sum(power(x, 2)); })(x), {-6, 1});
}

TEST(row_52_reshape, InfersOneDim) {
  EXPECT_EQ(reshape(arange(12), {3, -1}).shape(), (Shape{3, 4}));
  expect_error<ShapeError>([] { reshape(arange(12), {-1, -1}); }, {"-1"});
  expect_error<ShapeError>([] { reshape(arange(12), {5, -1}); }, {"int32[12]"});
}

TEST(row_53_split, IntoEqualParts) {
  std::vector<Array> parts = split(arange(6.f), 3);
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[2], {4, 5});
  expect_error<ValueError>([] { split(arange(6.f), 4); }, {"6", "4"});
}

TEST(row_54_host_arrays, StackAndCompare) {
  expect_values(stack({arange(2.f), arange(2.f) + 2})[1], {2, 3});
  EXPECT_TRUE(static_cast<bool>(allclose(array({1.f, 2.f}), array({1.000001f, 2.f}))));
  EXPECT_FALSE(static_cast<bool>(allclose(array({1.f}), array({1.1f}))));
  EXPECT_TRUE(static_cast<bool>(array_equal(arange(3), array({0, 1, 2}))));
  // |a - b| <= atol + rtol |b|: of the second.
  EXPECT_TRUE(static_cast<bool>(allclose(array({0.f}), array({9e-9f}))));
}

TEST(row_56_sigmoid, IsStableOnBothTails) {
  expect_values(nn::sigmoid(array({-200.f, 0.f, 200.f})), {0, 0.5, 1});
  expect_values(nn::sigmoid(array({1.5f})), {1 / (1 + std::exp(-1.5f))}, 1e-7);
  EXPECT_TRUE(static_cast<bool>(isfinite(grad([](const Array& x) { return nn::sigmoid(x); })(Array(-200.f)))));
}

TEST(row_57_relu, HasNoGradientAtZero) {
  expect_values(nn::relu(array({-1.f, 0.f, 2.f})), {0, 0, 2});
  expect_values(grad([](const Array& x) { return sum(nn::relu(x)); })(array({-1.f, 0.f, 2.f})), {0, 0, 1});
}

TEST(row_58_dtypes, FloatsMinusLabels) {
  EXPECT_EQ((ones({3}) - array({0, 1, 2})).dtype(), float32);
  expect_values(ones({3}) - array({0, 1, 2}), {1, 0, -1});
}

TEST(row_59_key, IsATypedScalar) {
  Array key = random::key(0);
  EXPECT_EQ(key.shape(), Shape{});
  EXPECT_EQ(key.dtype(), prng_key);
  expect_values<unsigned>(random::key_data(random::key(7)), {0, 7});
}

TEST(row_60_prngkey, IsTwoWords) {
  Array key = random::PRNGKey(6789);
  EXPECT_EQ(key.dtype(), uint32);
  expect_values<unsigned>(key, {0, 6789});
}

struct Layout {
  explicit Layout(bool partitionable) { config::threefry_partitionable(partitionable); }
  ~Layout() { config::threefry_partitionable(true); }
};

TEST(row_61_split_keys, BothLayouts) {
  expect_values<unsigned>(random::split_array(random::PRNGKey(0), {2}), {1797259609u, 2579123966u, 928981903u, 3453687069u});
  auto [a, b] = random::split<2>(random::PRNGKey(0));
  expect_values<unsigned>(b, {928981903u, 3453687069u});
  EXPECT_EQ(random::split(random::key(0), 5).size(), 5u);
  Layout original(false);
  expect_values<unsigned>(random::split_array(random::PRNGKey(0), {2}), {4146024105u, 967050713u, 2718843009u, 1272950319u});
}

TEST(row_62_normal, BothLayouts) {
  std::vector<float> now = {1.6226422f, 2.0252647f, -0.43359444f, -0.07861735f, 0.1760909f, -0.97208923f, -0.49529874f, 0.4943786f, 0.6643493f, -0.9501635f};
  expect_values(random::normal(random::key(0), {10}), now, 2e-6);
  EXPECT_EQ(random::normal(random::key(42)).shape(), Shape{});
  EXPECT_NEAR(static_cast<float>(random::normal(random::key(42))), -0.028304616f, 1e-7);
  Layout original(false);
  std::vector<float> before = {-0.3721109f, 0.26423115f, -0.18252768f, -0.7368197f, -0.44030377f, -0.1521442f, -0.67135346f, -0.5908641f, 0.73168886f, 0.5673026f};
  expect_values(random::normal(random::key(0), {10}), before, 2e-6);
  EXPECT_NEAR(static_cast<float>(random::normal(random::key(42))), -0.18471177f, 1e-6);
}

TEST(row_63_other_draws, MatchPublishedNumbers) {
  expect_values(random::uniform(random::key(0), {5}), {.947667f, .9785799f, .33229148f, .46866846f, .5698887f}, 1e-7);
  expect_values<int>(random::permutation(random::key(0), 8), {0, 1, 5, 6, 4, 3, 2, 7});
  expect_values<unsigned>(random::fold_in(random::PRNGKey(0), 4), {2285895361u, 433833334u});
  Array t = random::truncated_normal(random::key(1), -1.f, 2.f, {1000});
  EXPECT_GT(static_cast<float>(min(t)), -1.f);
  EXPECT_LT(static_cast<float>(max(t)), 2.f);
  Layout original(false);
  expect_values(random::uniform(random::key(0), {5}), {.57450044f, .09968603f, .39316022f, .8941783f, .59656656f}, 1e-7);
  expect_values<int>(random::permutation(random::key(0), 8), {4, 1, 6, 0, 2, 5, 3, 7});
}

}  // namespace
}  // namespace tutti::inventory
