// enable_x64 reaches every function that chooses a dtype; the dtypes are those of jax.numpy under jax_enable_x64.
#include <gtest/gtest.h>

#include <climits>
#include <functional>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct X64 {
  X64() { enable_x64(true); }
  ~X64() { enable_x64(false); }
};

struct Made {
  const char* what;
  std::function<Array()> make;
  DType wide, narrow;
};

std::vector<Made> all_made() {
  auto f32 = [] { return zeros({3}, float32); };
  auto i32 = [] { return zeros({3}, int32); };
  auto i8 = [] { return zeros({3}, int8); };
  auto u8 = [] { return zeros({3}, uint8); };
  auto bits = [] { return zeros({3}, bool_); };
  auto key = [] { return random::key(0); };
  return {
      {"zeros", [] { return zeros({3}); }, float64, float32},
      {"ones", [] { return ones({3}); }, float64, float32},
      {"empty", [] { return empty({3}); }, float64, float32},
      {"full 1.", [] { return full({3}, 1.); }, float64, float32},
      {"full 1", [] { return full({3}, 1); }, int64, int32},
      {"full float32", [] { return full({3}, 1, float32); }, float32, float32},
      {"eye", [] { return eye(3); }, float64, float32},
      {"tri", [] { return tri(3, 3); }, float32, float32},
      {"linspace", [] { return linspace(0, 1, 5); }, float64, float32},
      {"linspace int32", [] { return linspace(0, 4, 5, true, int32); }, int32, int32},
      {"arange 3", [] { return arange(3); }, int64, int32},
      {"arange 3.", [] { return arange(3.); }, float64, float32},
      {"array 1.5", [] { return array(1.5); }, float64, float32},
      {"array {1}", [] { return array({1}); }, int32, int32},
      {"argmax", [=] { return argmax(f32()); }, int64, int32},
      {"argmin", [=] { return argmin(f32()); }, int64, int32},
      {"argsort", [=] { return argsort(f32()); }, int64, int32},
      {"count_nonzero", [=] { return count_nonzero(f32()); }, int64, int32},
      {"sum int32", [=] { return sum(i32()); }, int64, int32},
      {"sum int8", [=] { return sum(i8()); }, int64, int32},
      {"sum bool", [=] { return sum(bits()); }, int64, int32},
      {"sum uint8", [=] { return sum(u8()); }, uint64, uint32},
      {"prod int8", [=] { return prod(i8()); }, int64, int32},
      {"nansum int8", [=] { return nansum(i8()); }, int64, int32},
      {"cumsum int8", [=] { return cumsum(i8()); }, int8, int8},
      {"cumsum bool", [=] { return cumsum(bits()); }, int64, int32},
      {"max int8", [=] { return max(i8()); }, int8, int8},
      {"mean int32", [=] { return mean(i32()); }, float32, float32},
      {"sin int32", [=] { return sin(i32()); }, float32, float32},
      {"int32 / int32", [=] { return i32() / i32(); }, float32, float32},
      {"int32 + 1.5", [=] { return i32() + 1.5; }, float64, float32},
      {"float32 * 2.5", [=] { return f32() * 2.5; }, float32, float32},
      {"where", [=] { return where(bits(), 1., 0); }, float64, float32},
      {"one_hot", [=] { return nn::one_hot(i32(), 3); }, float64, float32},
      {"zeros_like", [=] { return zeros_like(i32()); }, int32, int32},
      {"randint", [=] { return random::randint(key(), {3}, 0, 5); }, int64, int32},
      {"bits", [=] { return random::bits(key(), {3}); }, uint64, uint32},
      {"uniform", [=] { return random::uniform(key(), {3}); }, float64, float32},
      {"permutation", [=] { return random::permutation(key(), 5); }, int64, int32},
      {"choice", [=] { return random::choice(key(), 5, {2}); }, int64, int32},
      {"choice p",
       [=] {
         return random::choice(key(), 2, {2}, {.p = array({0.5f, 0.5f})});
       },
       int64, int32},
      {"categorical", [=] { return random::categorical(key(), f32()); }, int64, int32},
      {"axis_index", [=] { return vmap([](const Array&) { return lax::axis_index("i"); }, {.axis_name = "i"})(f32()); },
       int32, int32},
      {"fori_loop",
       [] {
         return lax::fori_loop(
             0, 2, [](const Array& i, const Array&) { return i; }, 0);
       },
       int64, int32},
      {"lax::argmax", [=] { return lax::argmax(f32(), 0); }, int32, int32},
  };
}

TEST(X64, ReachesEveryFunctionThatChoosesADtype) {
  for (const Made& m : all_made()) EXPECT_EQ(m.make().dtype(), m.narrow) << m.what;
  X64 on;
  for (const Made& m : all_made()) EXPECT_EQ(m.make().dtype(), m.wide) << m.what;
}

TEST(X64, PrecisionStays) {
  X64 on;
  EXPECT_EQ(zeros({1}).at(0).set(array(0.1)).item<double>(), 0.1);
  EXPECT_EQ(array(std::int64_t(5000000000)).item<std::int64_t>(), 5000000000);
  EXPECT_EQ(arange(2147483646L, 2147483650L)[-1].item<std::int64_t>(), 2147483649);
}

// Positions are 64 bits wide where 32 do not hold them, whatever x64 says; the arrays are not made here.
TEST(Positions, BeyondInt32) {
  const std::int64_t n = 2200000000;
  auto big = [](const Array& x) { return broadcast_to(x, {n}); };
  auto program = [&](auto f) { return jit_program(f)(array(1.f)); };
  auto has = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  const std::string text = std::to_string(n - 2);
  std::string set = program([&](const Array& x) { return big(x).at(slice(n - 2, n - 1)).set(2)[0]; });
  EXPECT_TRUE(has(set, text)) << set;
  std::string steps = program([&](const Array& x) { return big(x).at(slice(none, none, 1000000000)).add(2)[0]; });
  EXPECT_TRUE(has(steps, "int64")) << steps;
  std::string by_array = program([&](const Array& x) { return big(x)[array({-1, 2})]; });
  EXPECT_TRUE(has(by_array, "int64") && has(by_array, std::to_string(n))) << by_array;
  std::string taken = program([&](const Array& x) { return take(big(x), array({-1, 2})); });
  EXPECT_TRUE(has(taken, "int64") && has(taken, std::to_string(n))) << taken;
  std::string dynamic = program([&](const Array& x) { return lax::dynamic_slice(big(x), {x.astype(int32)}, {1}); });
  EXPECT_TRUE(has(dynamic, "int64") && has(dynamic, std::to_string(n))) << dynamic;
  EXPECT_THROW(program([&](const Array& x) { return argmax(big(x)); }), ValueError);
  EXPECT_THROW(program([&](const Array& x) { return argsort(big(x)); }), ValueError);
  EXPECT_THROW(program([&](const Array& x) { return x + arange(n); }), ValueError);
  X64 on;
  EXPECT_TRUE(has(program([&](const Array& x) { return argmax(big(x)); }), "int64"));
}

TEST(Positions, BandsOfAnyDiagonal) {
  for (int k : {INT_MAX, 7, 3, -3, -7, INT_MIN + 1}) {
    Array wanted = k >= 3 ? ones({3, 3}) : zeros({3, 3});
    EXPECT_TRUE(array_equal(tri(3, 3, k), wanted).item<bool>()) << k;
    EXPECT_TRUE(array_equal(eye(3, 3, k), zeros({3, 3})).item<bool>()) << k;
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
