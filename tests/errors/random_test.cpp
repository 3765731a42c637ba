// The errors of random numbers.
#include <climits>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

TEST(RandomErrors, EveryDrawTakesOneKey) {
  Array words = ones({2}), none, many = random::split_array(random::key(0), {3});
  expect_error<TypeError>("random::bits", {"float32[2]", "random::key"}, [&] { random::bits(words, {2}); });
  expect_error<TypeError>("random::normal", {"float32[2]", "random::key"}, [&] { random::normal(words, {2}); });
  expect_error<ValueError>("random::normal", {"[3]", "one key", "vmap"}, [&] { random::normal(many, {2}); });
  expect_error<ValueError>("random::split", {"[3]", "one key", "vmap"}, [&] { random::split(many, 2); });
  expect_error<TypeError>("random::uniform", {"empty", "random::key"}, [&] { random::uniform(none, {2}); });
  expect_error<TypeError>("random::fold_in", {"float32[2]", "random::key"}, [&] { random::fold_in(words, 1); });
  expect_error<TypeError>("random::split_array", {"float32[2]", "random::key"},
                          [&] { random::split_array(words, {2}); });
  expect_error<TypeError>("random::randint", {"float32[2]", "random::key"}, [&] { random::randint(words, {2}, 0, 5); });
  expect_error<TypeError>("random::permutation", {"float32[2]", "random::key"}, [&] { random::permutation(words, 5); });
  expect_error<TypeError>("random::choice", {"float32[2]", "random::key"}, [&] { random::choice(words, 5, {2}); });
  expect_error<TypeError>("random::categorical", {"float32[2]", "random::key"},
                          [&] { random::categorical(words, ones({4})); });
}

TEST(RandomErrors, Keys) {
  Array key = random::key(0);
  expect_error<TypeError>("random::key", {"float32[]", "integer scalar"}, [&] { random::key(ones({})); });
  expect_error<TypeError>("random::PRNGKey", {"int32[2]", "integer scalar"}, [&] { random::PRNGKey(array({1, 2})); });
  expect_error<TypeError>("random::fold_in", {"int32[2]", "vmap"}, [&] { random::fold_in(key, array({1, 2})); });
  expect_error<TypeError>("random::fold_in", {"float32[]"}, [&] { random::fold_in(key, 1.5f); });
  expect_error<ValueError>("random::split", {"-1 keys"}, [&] { random::split(key, -1); });
  expect_error<ShapeError>("random::split_array", {"(2, -1)", "negative"}, [&] { random::split_array(key, {2, -1}); });
  expect_error<TypeError>("random::wrap_key_data", {"float32[2]", "uint32"}, [&] { random::wrap_key_data(ones({2})); });
}

TEST(RandomErrors, Shapes) {
  Array key = random::key(0);
  expect_error<ShapeError>("random::bits", {"(-1,)", "negative"}, [&] { random::bits(key, {-1}); });
  expect_error<ShapeError>("random::uniform", {"(2, -1)", "negative"}, [&] { random::uniform(key, {2, -1}); });
  expect_error<ShapeError>("random::normal", {"(-1,)", "negative"}, [&] { random::normal(key, {-1}); });
  expect_error<ShapeError>("random::truncated_normal", {"(-1,)", "negative"},
                           [&] { random::truncated_normal(key, -1.f, 1.f, {-1}); });
  expect_error<ShapeError>("random::randint", {"(-1,)", "negative"}, [&] { random::randint(key, {-1}, 0, 5); });
  expect_error<ShapeError>("random::bernoulli", {"(-1,)", "negative"}, [&] { random::bernoulli(key, 0.5f, {-1}); });
  expect_error<ShapeError>("random::rademacher", {"(-1,)", "negative"}, [&] { random::rademacher(key, {-1}); });
  expect_error<ShapeError>("random::gumbel", {"(-1,)", "negative"}, [&] { random::gumbel(key, {-1}); });
  expect_error<ShapeError>("random::exponential", {"(-1,)", "negative"}, [&] { random::exponential(key, {-1}); });
  expect_error<ShapeError>("random::laplace", {"(-1,)", "negative"}, [&] { random::laplace(key, {-1}); });
  expect_error<ShapeError>("random::logistic", {"(-1,)", "negative"}, [&] { random::logistic(key, {-1}); });
  expect_error<ShapeError>("random::cauchy", {"(-1,)", "negative"}, [&] { random::cauchy(key, {-1}); });
  expect_error<ShapeError>("random::lognormal", {"(-1,)", "negative"}, [&] { random::lognormal(key, 1.f, {-1}); });
  expect_error<UnsupportedError>("random::normal", {"(4294967296, 2)", "2^32"}, [&] {
    random::normal(key, {1ll << 32, 2});
  });
  expect_error<UnsupportedError>("random::bits", {"(4611686018427387904, 4)"}, [&] {
    random::bits(key, {1ll << 62, 4});
  });
  EXPECT_EQ(random::normal(key, {1ll << 40, 0}).size(), 0);
}

TEST(RandomErrors, TypesAndParameters) {
  Array key = random::key(0), p = ones({3});
  expect_error<TypeError>("random::bits", {"int32", "unsigned"}, [&] { random::bits(key, {2}, int32); });
  expect_error<TypeError>("random::normal", {"int32", "floating"}, [&] { random::normal(key, {2}, int32); });
  expect_error<TypeError>("random::uniform", {"int32", "floating"}, [&] { random::uniform(key, {2}, int32); });
  expect_error<TypeError>("random::exponential", {"int32", "floating"}, [&] { random::exponential(key, {2}, int32); });
  expect_error<TypeError>("random::gumbel", {"complex64", "floating"}, [&] { random::gumbel(key, {2}, complex64); });
  expect_error<ShapeError>("random::uniform", {"(3,)", "(2,)"}, [&] { random::uniform(key, {2}, p, 2.f); });
  expect_error<ShapeError>("random::truncated_normal", {"(3,)", "(2,)"},
                           [&] { random::truncated_normal(key, p, 2.f, {2}); });
  expect_error<ShapeError>("random::bernoulli", {"(3,)", "(2,)"}, [&] { random::bernoulli(key, p, {2}); });
  expect_error<ShapeError>("random::lognormal", {"float32[2]", "float32[3]"}, [&] { random::lognormal(key, p, {2}); });
  expect_error<TypeError>("random::randint", {"float32", "integer dtype"},
                          [&] { random::randint(key, {2}, 0, 5, float32); });
  expect_error<TypeError>("random::randint", {"a bound is float32[3]"}, [&] { random::randint(key, {3}, 0, p); });
  expect_error<ShapeError>("random::randint", {"(2,)", "(3,)"}, [&] { random::randint(key, {3}, 0, array({1, 2})); });
}

TEST(RandomErrors, Choices) {
  Array key = random::key(0), x = ones({3, 4});
  expect_error<ValueError>("random::permutation", {"-3 numbers"}, [&] { random::permutation(key, -3); });
  expect_error<IndexError>("random::permutation", {"axis 2", "float32[3,4]"}, [&] { random::permutation(key, x, 2); });
  expect_error<IndexError>("random::permutation", {"axis -2147483648"}, [&] { random::permutation(key, x, INT_MIN); });
  expect_error<IndexError>("random::permutation", {"float32[]", "no axes"},
                           [&] { random::permutation(key, ones({})); });
  expect_error<ValueError>("random::choice", {"2 draws", "0 things"}, [&] { random::choice(key, 0, {2}); });
  expect_error<ValueError>("random::choice", {"nothing", "-4 things"}, [&] { random::choice(key, -4, {2}); });
  expect_error<ValueError>("random::choice", {"size 5", "size 3"},
                           [&] { random::choice(key, 3, {5}, {.replace = false}); });
  expect_error<ShapeError>("random::choice", {"(-1,)", "negative"}, [&] { random::choice(key, 3, {-1}); });
  expect_error<ShapeError>("random::choice", {"(-1,)", "negative"},
                           [&] { random::choice(key, x, {-1}, {.replace = false}); });
  expect_error<ShapeError>("random::choice", {"p are float32[2]", "3 things"},
                           [&] { random::choice(key, 3, {5}, {.p = ones({2})}); });
  expect_error<TypeError>("random::choice", {"p are int32[3]"}, [&] {
    random::choice(key, 3, {5}, {.p = array({1, 2, 3})});
  });
  expect_error<IndexError>("random::choice", {"axis 2", "float32[3,4]"},
                           [&] { random::choice(key, x, {2}, {.axis = 2}); });
  expect_error<IndexError>("random::categorical", {"axis 2", "float32[3,4]"}, [&] { random::categorical(key, x, 2); });
  expect_error<IndexError>("random::categorical", {"float32[]", "no axes"},
                           [&] { random::categorical(key, ones({})); });
  expect_error<ShapeError>("random::categorical", {"()", "float32[3,4]"}, [&] { random::categorical(key, x, -1, {}); });
  expect_error<ShapeError>("random::categorical", {"(2,)", "float32[3,4]"},
                           [&] { random::categorical(key, x, -1, {2}); });
  expect_error<ValueError>("random::categorical", {"5 draws", "4 classes"}, [&] {
    random::categorical(key, x, -1, {5, 3}, false);
  });
}

// Numbers of the host have no line to name.
TEST(RandomErrors, Host) {
  data::HostRandom rng(0);
  EXPECT_THROW(rng.normal({-1}), ShapeError);
  EXPECT_THROW(rng.uniform({2, -1}), ShapeError);
  EXPECT_THROW(rng.below(0), ValueError);
  EXPECT_THROW(rng.permutation(-1), ValueError);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
