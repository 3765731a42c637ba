// Laws of random numbers; the values themselves are compared with JAX's by the golden runner.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using U = std::vector<std::uint32_t>;

TEST(Random, KnownKeys) {
  auto [a, b] = random::split<2>(random::key(0));
  EXPECT_EQ(random::key_data(a).to_vector<std::uint32_t>(), (U{1797259609, 2579123966}));
  EXPECT_EQ(random::key_data(b).to_vector<std::uint32_t>(), (U{928981903, 3453687069}));
}
TEST(Random, OldLayout) {
  config::threefry_partitionable(false);
  EXPECT_EQ(random::split(random::PRNGKey(0), 2)[0].to_vector<std::uint32_t>(), (U{4146024105, 967050713}));
  config::threefry_partitionable(true);
}
TEST(Random, RawAndTypedKeysDrawTheSame) {
  EXPECT_EQ(random::normal(random::key(7), {5}).to_vector<float>(),
            random::normal(random::PRNGKey(7), {5}).to_vector<float>());
  EXPECT_EQ(random::PRNGKey(7).dtype(), uint32);
  EXPECT_TRUE(random::key(7).dtype().is_key());
  EXPECT_EQ(random::key_data(random::wrap_key_data(random::PRNGKey(7))).to_vector<std::uint32_t>(), (U{0, 7}));
}
TEST(Random, SplitIsFoldInOfTheNumber) {
  std::vector<Array> keys = random::split(random::PRNGKey(3), 4);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(keys[i].to_vector<std::uint32_t>(), random::fold_in(random::PRNGKey(3), i).to_vector<std::uint32_t>());
}
TEST(Random, AnElementDependsOnItsPositionAlone) {
  std::vector<float> few = random::uniform(random::key(5), {10}).to_vector<float>(),
                     many = random::uniform(random::key(5), {1000}).to_vector<float>();
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}
TEST(Random, Moments) {
  std::vector<float> x = random::normal(random::key(1), {20000}).to_vector<float>();
  double mean = 0, square = 0;
  for (float v : x) {
    mean += v / x.size();
    square += double(v) * v / x.size();
  }
  EXPECT_NEAR(mean, 0, 0.03);
  EXPECT_NEAR(square, 1, 0.05);
}
TEST(Random, BoundsHold) {
  for (float v : random::uniform(random::key(2), {1000}, -2.f, 3.f).to_vector<float>()) EXPECT_TRUE(v >= -2 && v < 3);
  for (int v : random::randint(random::key(2), {1000}, -3, 4).to_vector<std::int32_t>()) EXPECT_TRUE(v >= -3 && v < 4);
  for (float v : random::truncated_normal(random::key(2), -1.f, 0.5f, {1000}).to_vector<float>())
    EXPECT_TRUE(v > -1 && v < 0.5f);
}
TEST(Random, PermutationHoldsEachOnce) {
  std::vector<std::int32_t> p = random::permutation(random::key(4), 100).to_vector<std::int32_t>();
  EXPECT_EQ(std::set<std::int32_t>(p.begin(), p.end()).size(), 100u);
}
TEST(Random, WrongKeysAreRefused) {
  EXPECT_THROW(random::normal(zeros({2}), {3}), TypeError);
  EXPECT_THROW(random::normal(random::split_array(random::key(0), {3}), {3}), ValueError);
  EXPECT_THROW(random::choice(random::key(0), 3, {5}, {.replace = false}), ValueError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
