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
  expect_values((2 * sin(x) + 1).reshape(-1),
                (2 * sin(arange(64.f)) + 1).to_vector<float>());  // the same program on a block
}

TEST(row_44_dot, OfVectorsAndMatrices) {
  Array m = arange(6.f).reshape(2, 3), v = arange(3.f);
  EXPECT_EQ(dot(v, v).shape(), Shape{});
  expect_values(dot(v, v), {5});
  expect_values(dot(m, v), {5, 14});
  EXPECT_EQ(matmul(m, m.T()).shape(), (Shape{2, 2}));
  expect_values(matmul(m, m.T()).reshape(-1), {5, 14, 14, 50});
  EXPECT_EQ(dot(v, m.T()).shape(), (Shape{2}));
  expect_values(dot(v, m.T()), {5, 14});
  expect_values(dot(v, arange(12.f).reshape(3, 4)), {20, 23, 26, 29});
  Array batched = matmul(arange(12.f).reshape(2, 2, 3), arange(12.f).reshape(3, 4));  // jnp.matmul of these shapes
  EXPECT_EQ(batched.shape(), (Shape{2, 2, 4}));
  expect_values(batched.reshape(-1), {20, 23, 26, 29, 56, 68, 80, 92, 92, 113, 134, 155, 128, 158, 188, 218});
  EXPECT_EQ(dot(arange(3), arange(3)).dtype(), int32);
  EXPECT_EQ(matmul(ones({2, 2}, bfloat16), ones({2, 2}, bfloat16)).dtype(), bfloat16);
  expect_error<ShapeError>([&] { matmul(m, ones({4, 2})); }, {"float32[2,3]", "float32[4,2]", "numerics.cpp:"});
  expect_error<ShapeError>([&] { dot(m, m); }, {"float32[2,3]"});
  Mesh mesh = mesh42();
  Array w = dot(device_put(ones({8, 8}), NamedSharding(mesh, P("x", none))),
                device_put(ones({8, 8}), NamedSharding(mesh, P(none, "y"))));
  EXPECT_EQ(w.sharding(), NamedSharding(mesh, P("x", "y")));
  // The contracted dim may be cut too: the parts are added.
  Array a = arange(64.f).reshape(8, 8), b = a * 0.5f - 3;
  Array parts = dot(device_put(a, NamedSharding(mesh, P("x", "y"))), device_put(b, NamedSharding(mesh, P("y", none))));
  expect_values(parts.reshape(-1), dot(a, b).reshape(-1).to_vector<float>());
}

TEST(row_45_copy, KeepsShardingAndCommitment) {
  Array x = device_put(arange(8.f), NamedSharding(line8(), P("x")));
  Array y = copy(x);
  EXPECT_EQ(y.sharding(), x.sharding());
  EXPECT_TRUE(y.committed());
  EXPECT_FALSE(arange(3).copy().committed());
  Array z = device_put(ones({8, 2}), NamedSharding(line8(), P("x", none)));
  EXPECT_EQ(copy(z).sharding(), z.sharding());  // as it was written, too
}

TEST(row_46_creation, HasNumpysDtypes) {
  EXPECT_EQ(arange(32.0).dtype(), float32);
  EXPECT_EQ(arange(32).dtype(), int32);
  expect_values(arange(0.f, 1.f, 0.25f), {0, 0.25, 0.5, 0.75});
  expect_values<int>(arange(5, 0, -2), {5, 3, 1});
  expect_values(arange(2.5f), {0, 1, 2});
  expect_values(zeros({2}), {0, 0});
  expect_values<int>(ones({2}, int32), {1, 1});
  expect_values<int>(ones_like(arange(3)), {1, 1, 1});
  EXPECT_EQ(zeros({2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(array({{1, 2}, {3, 4}}).dtype(), int32);
  EXPECT_EQ(array({1, 2.5}).dtype(), float32);
  EXPECT_EQ(array({true, false}).dtype(), bool_);
  expect_error<ShapeError>([] { array({{1, 2}, {3}}); }, {"2", "1"});
  EXPECT_EQ(ones({2}, int32).dtype(), int32);
  EXPECT_EQ(ones_like(arange(4)).dtype(), int32);
  EXPECT_FALSE(ones({2}).committed());
  expect_values(array({{1, 2}, {3, 4}})[1].astype(float32), {3, 4});
}

TEST(row_47_maximum, HalvesTheGradientAtATie) {
  expect_values(maximum(array({-1.f, 0.f, 2.f}), 0), {0, 0, 2});
  expect_values(grad([](const Array& x) { return sum(maximum(x, 0)); })(array({-1.f, 0.f, 2.f})), {0, 0.5, 1});
  auto [a, b] = grad<0, 1>([](const Array& a, const Array& b) { return sum(maximum(a, b)); })(array({1.f, 2.f}),
                                                                                              array({1.f, 3.f}));
  expect_values(a, {0.5, 0});
  expect_values(b, {0.5, 1});
  EXPECT_TRUE(static_cast<bool>(isnan(maximum(array(NAN), 1.f))));
}

TEST(row_48_sum, AlongAxes) {
  Array x = arange(6.f).reshape(2, 3);
  expect_values(sum(x, -1), {3, 12});
  expect_values(x.sum(0), {3, 5, 7});
  EXPECT_EQ(sum(x, 1, true).shape(), (Shape{2, 1}));
  expect_values(sum(x, 1, true).reshape(-1), {3, 12});
  expect_values(sum(arange(24.f).reshape(2, 3, 4), {0, -1}), {60, 92, 124});
  EXPECT_EQ(arange(4).astype(uint8).sum().dtype(), uint32);
  expect_error<IndexError>([&] { sum(x, 2); }, {"2", "numerics.cpp:"});
  Array y = device_put(arange(32.f).reshape(4, 8), NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x", "y")));
  EXPECT_TRUE(y.sum(0).sharding().is_equivalent_to(NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("y")), 1));
  expect_values(y.sum(0), {48, 52, 56, 60, 64, 68, 72, 76});
}

TEST(row_49_mean, DividesByTheCount) {
  expect_values(mean(arange(4)), {1.5});
  EXPECT_EQ(mean(arange(4)).dtype(), float32);
  expect_values(mean(arange(6.f).reshape(2, 3), 0), {1.5, 2.5, 3.5});
  EXPECT_EQ(mean(arange(6.f).reshape(2, 3), -1, true).shape(), (Shape{2, 1}));
  expect_values(mean(array({true, false})), {0.5});
  expect_values(grad([](const Array& x) { return mean(x * x); })(array({2.f, 4.f})), {2, 4});
  // Half precision is summed in float32: 4096 ones and more would stick at 2048 otherwise.
  EXPECT_EQ(static_cast<float>(mean(ones({8192}, float16))), 1.f);
  EXPECT_EQ(mean(ones({8}, bfloat16)).dtype(), bfloat16);
}

TEST(row_50_sqrt, OfANumberIsAWeakFloat) {
  Array r = sqrt(Array(2));
  EXPECT_EQ(r.dtype(), float32);
  EXPECT_TRUE(r.weak_type());
  EXPECT_FLOAT_EQ(static_cast<float>(r), std::sqrt(2.f));
  EXPECT_EQ((ones({2}, bfloat16) * r).dtype(), bfloat16);  // weak: the array decides
  EXPECT_EQ(sqrt(array(4)).dtype(), float32);
}

TEST(row_51_power, IsExactForSquares) {
  Array x = array({-3.f, 0.5f});
  expect_values(power(x, 2), {9, 0.25});
  expect_values(square(x), {9, 0.25});
  expect_values<int>(power(array({2, -3}), 3), {8, -27});
  expect_values(power(array({4.f, 9.f}), 0.5f), {2, 3}, 1e-6);
  expect_values(grad([](const Array& x) { return sum(power(x, 3)); })(array({-2.f, 0.f, 0.5f})), {12, 0, 0.75});
  expect_values(grad([](const Array& x) { return sum(power(x, 2)); })(x), {-6, 1});
}

TEST(row_52_reshape, InfersOneDim) {
  EXPECT_EQ(reshape(arange(12), {3, -1}).shape(), (Shape{3, 4}));
  expect_values<int>(reshape(reshape(arange(12), {3, -1}), {2, 6})[1], {6, 7, 8, 9, 10, 11});  // row-major
  expect_values<int>(arange(6).reshape(2, 3).T().reshape(-1), {0, 3, 1, 4, 2, 5});
  expect_error<ShapeError>([] { reshape(arange(12), {-1, -1}); }, {"-1"});
  expect_error<ShapeError>([] { reshape(arange(12), {5, -1}); }, {"int32[12]"});
}

TEST(row_53_split, IntoEqualParts) {
  std::vector<Array> parts = split(arange(6.f), 3);
  ASSERT_EQ(parts.size(), 3u);
  for (int i = 0; i < 3; ++i)
    expect_values(parts[static_cast<std::size_t>(i)], {2.f * static_cast<float>(i), 2.f * static_cast<float>(i) + 1});
  std::vector<Array> columns = split(arange(12.f).reshape(2, 6), 3, 1);
  EXPECT_EQ(columns[1].shape(), (Shape{2, 2}));
  expect_values(columns[1].reshape(-1), {2, 3, 8, 9});
  expect_error<ValueError>([] { split(arange(6.f), 4); }, {"6", "4"});
}

TEST(row_54_host_arrays, StackAndCompare) {
  expect_values(stack({arange(2.f), arange(2.f) + 2})[1], {2, 3});
  EXPECT_TRUE(static_cast<bool>(allclose(array({1.f, 2.f}), array({1.000001f, 2.f}))));
  EXPECT_FALSE(static_cast<bool>(allclose(array({1.f}), array({1.1f}))));
  EXPECT_TRUE(static_cast<bool>(array_equal(arange(3), array({0, 1, 2}))));
  // |a - b| <= atol + rtol |b|: of the second.
  EXPECT_TRUE(static_cast<bool>(allclose(array({0.f}), array({9e-9f}))));
  EXPECT_FALSE(static_cast<bool>(allclose(array({0.f}), array({2e-8f}))));
  EXPECT_FALSE(static_cast<bool>(allclose(array({10.f}), array({9.05f}), 0.1, 0)));
  EXPECT_TRUE(static_cast<bool>(allclose(array({9.05f}), array({10.f}), 0.1, 0)));
  EXPECT_FALSE(static_cast<bool>(array_equal(arange(3), array({0, 1, 3}))));
  EXPECT_FALSE(static_cast<bool>(array_equal(arange(3), arange(4))));
}

TEST(row_56_sigmoid, IsStableOnBothTails) {
  expect_values(nn::sigmoid(array({-200.f, 0.f, 200.f})), {0, 0.5, 1});
  expect_values(nn::sigmoid(array({-3.f, -.5f, .1f, 4.f})), {0.0474258736f, 0.377540678f, 0.524979174f, 0.982013762f},
                1e-7);
  expect_values(vmap(grad([](const Array& x) { return nn::sigmoid(x); }))(array({-3.f, 0.f, 4.f})),
                {0.0451766588f, 0.25f, 0.0176627338f}, 1e-8);
  EXPECT_TRUE(static_cast<bool>(isfinite(grad([](const Array& x) { return nn::sigmoid(x); })(Array(-200.f)))));
}

TEST(row_57_relu, HasNoGradientAtZero) {
  expect_values(nn::relu(array({-1.f, 0.f, 2.f})), {0, 0, 2});
  expect_values(grad([](const Array& x) { return sum(nn::relu(x)); })(array({-1.f, 0.f, 2.f})), {0, 0, 1});
}

TEST(row_58_dtypes, FloatsMinusLabels) {
  EXPECT_EQ((ones({3}) - array({0, 1, 2})).dtype(), float32);
  expect_values(ones({3}) - array({0, 1, 2}), {1, 0, -1});
  // jnp's: of an operand of each dtype.
  for (auto [a, b, want] :
       {std::tuple{int32, float16, float16}, std::tuple{bfloat16, float16, float32}, std::tuple{int8, int32, int32},
        std::tuple{bool_, bool_, bool_}, std::tuple{int32, uint32, int32}, std::tuple{uint8, int8, int16}})
    EXPECT_EQ((ones({1}, a) + ones({1}, b)).dtype(), want) << a.name() << " + " << b.name();
  EXPECT_EQ((ones({1}, int8) * 2.5).dtype(), float32);  // a number is weak
  EXPECT_EQ((ones({1}, int8) * 2).dtype(), int8);
  EXPECT_EQ((ones({1}, bool_) + 1).dtype(), int32);
}

TEST(row_59_key, IsATypedScalar) {
  Array key = random::key(0);
  EXPECT_EQ(key.shape(), Shape{});
  EXPECT_EQ(key.dtype(), prng_key);
  expect_values<unsigned>(random::key_data(random::key(7)), {0, 7});
  EXPECT_EQ(key.dtype().name(), "key<fry>");
  expect_error<TypeError>([&] { key + 1; }, {"key<fry>"});
  EXPECT_EQ(random::split(key, 3)[1].dtype(), prng_key);
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
  expect_values<unsigned>(random::split_array(random::PRNGKey(0), {2}),
                          {1797259609u, 2579123966u, 928981903u, 3453687069u});
  auto [a, b] = random::split<2>(random::PRNGKey(0));
  expect_values<unsigned>(b, {928981903u, 3453687069u});
  EXPECT_EQ(random::split(random::key(0), 5).size(), 5u);
  // random.key_data(random.split(random.key(7), (2, 2)))
  expect_values<unsigned>(
      random::key_data(random::split_array(random::key(7), {2, 2})).reshape(-1),
      {3625411723u, 1954958720u, 195045567u, 4062205631u, 966301609u, 1948237315u, 276534068u, 1641862660u});
  Layout original(false);
  expect_values<unsigned>(random::split_array(random::PRNGKey(0), {2}),
                          {4146024105u, 967050713u, 2718843009u, 1272950319u});
}

TEST(row_62_normal, BothLayouts) {
  std::vector<float> now = {1.6226422f,   2.0252647f,   -0.43359444f, -0.07861735f, 0.1760909f,
                            -0.97208923f, -0.49529874f, 0.4943786f,   0.6643493f,   -0.9501635f};
  expect_values(random::normal(random::key(0), {10}), now, 2e-6);
  EXPECT_EQ(random::normal(random::key(42)).shape(), Shape{});
  EXPECT_NEAR(static_cast<float>(random::normal(random::key(42))), -0.028304616f, 1e-7);
  Layout original(false);
  std::vector<float> before = {-0.3721109f, 0.26423115f,  -0.18252768f, -0.7368197f, -0.44030377f,
                               -0.1521442f, -0.67135346f, -0.5908641f,  0.73168886f, 0.5673026f};
  expect_values(random::normal(random::key(0), {10}), before, 2e-6);
  EXPECT_NEAR(static_cast<float>(random::normal(random::key(42))), -0.18471177f, 1e-6);
}

TEST(row_63_other_draws, MatchPublishedNumbers) {
  expect_values(random::uniform(random::key(0), {5}), {.947667f, .9785799f, .33229148f, .46866846f, .5698887f}, 1e-7);
  expect_values<int>(random::permutation(random::key(0), 8), {0, 1, 5, 6, 4, 3, 2, 7});
  expect_values<unsigned>(random::fold_in(random::PRNGKey(0), 4), {2285895361u, 433833334u});
  expect_values<unsigned>(random::key_data(random::fold_in(random::key(7), 123456789)), {3349933111u, 58029761u});
  expect_values(random::truncated_normal(random::key(1), -1.f, 2.f, {5}),
                {0.0444256216f, 0.241929233f, 0.0593958087f, 0.0439405814f, 1.24389887f}, 1e-6);
  expect_values(random::uniform(random::key(3), {4}, -2.f, 3.f), {-1.62973714f, 2.69072151f, 1.24478507f, 2.87810493f});
  expect_values<int>(random::permutation(random::key(1), arange(12).reshape(4, 3)).reshape(-1),
                     {9, 10, 11, 6, 7, 8, 0, 1, 2, 3, 4, 5});
  expect_values<int>(random::randint(random::key(2), {6}, 0, 100), {99, 92, 13, 3, 17, 76});
  Array t = random::truncated_normal(random::key(1), -1.f, 2.f, {1000});
  EXPECT_GT(static_cast<float>(min(t)), -1.f);
  EXPECT_LT(static_cast<float>(max(t)), 2.f);
  Layout original(false);
  expect_values(random::uniform(random::key(0), {5}), {.57450044f, .09968603f, .39316022f, .8941783f, .59656656f},
                1e-7);
  expect_values<int>(random::permutation(random::key(0), 8), {4, 1, 6, 0, 2, 5, 3, 7});
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
