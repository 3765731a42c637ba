// 8-bit floats and 4-bit integers: values of JAX, and conversions against numbers that hold every one of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/half.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

void expect_text(const Array& x, const std::string& text) { EXPECT_EQ(str(x), text); }
template <class E, class F> std::string refused(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

// The number of the format that is nearest, the even one of two: by search, not by bits.
double nearest(double x, const std::vector<double>& numbers, double limit, double beyond) {
  if (std::isnan(x) || std::abs(x) > limit) return std::isnan(x) ? x : std::copysign(beyond, x);
  std::size_t best = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double d = std::abs(numbers[k] - std::abs(x)), b = std::abs(numbers[best] - std::abs(x));
    if (d < b || (d == b && k % 2 == 0)) best = k;
  }
  return std::copysign(numbers[best], x);
}

template <class Float8> void rounds_to_nearest(DType dtype, double limit, double beyond) {
  std::vector<double> numbers;  // those that are finite and not negative, in order
  for (int bits = 0; bits < static_cast<int>(Float8::infinite); ++bits) {
    Float8 f;
    f.bits = static_cast<std::uint8_t>(bits);
    numbers.push_back(f);
  }
  // All bfloat16 numbers, and what lies a little beside them.
  const Array halves = lax::bitcast_convert_type(arange(65536).astype(uint16), bfloat16).astype(float32);
  const Array x = concatenate({halves, halves * (1 + 0x1p-20), halves * (1 - 0x1p-20)});
  const auto rounded = jit([=](const Array& v) { return (v * 1).astype(dtype).astype(float32); });
  const auto from = x.to_vector<float>(), eager = x.astype(dtype).to_vector<float>();
  const Array in_loop = rounded(x);
  const auto compiled = in_loop.to_vector<float>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double want = nearest(from[i], numbers, limit, beyond), host = static_cast<float>(Float8(from[i]));
    for (double got : {host, static_cast<double>(eager[i]), static_cast<double>(compiled[i])}) {
      if (std::isnan(want) && std::isnan(got)) continue;
      ASSERT_EQ(want, got) << from[i];
      ASSERT_EQ(std::signbit(want), std::signbit(got)) << from[i];
    }
  }
}

}  // namespace

TEST(SmallTypes, FloatsRoundToTheNearest) {
  rounds_to_nearest<Float8E4M3FN>(float8_e4m3fn, 464, NAN);
  rounds_to_nearest<Float8E5M2>(float8_e5m2, std::nextafter(61440.0, 0), INFINITY);
}

// Printed by JAX 0.10.2 for the same expressions.
TEST(SmallTypes, FloatsComputeAsInJax) {
  const Array x = array({1.f, 2.f, 3.f}).astype(float8_e4m3fn), y = array({1.f, 2.f, 3.f}).astype(float8_e5m2);
  EXPECT_EQ(repr(x), "Array([1, 2, 3], dtype=float8_e4m3fn)");
  expect_text(x * 2.5, "[2.5 5 7.5]");
  expect_text(y * 2.5, "[2.5 5 8]");
  expect_text(exp(x), "[2.75 7.5 20]");
  expect_text(exp(y), "[2.5 7 20]");
  expect_text(var(x), "0.6875");
  expect_text(var(y), "0.625");
  expect_text(matmul(x, x), "14");
  expect_text(cumsum(y), "[1 3 6]");
  expect_text(sort(-x), "[-3 -2 -1]");
  expect_text(where(x > 1, x, -x), "[-1 2 3]");
  expect_text(jit([](const Array& v) { return exp(v) * 2 + v; })(x), "[6.5 16 44]");
  expect_text(jit([](const Array& v) { return exp(v) * 2 + v; })(y), "[6 16 40]");
  expect_text(grad([](const Array& v) { return sum(v * v); })(x), "[2 4 6]");
  EXPECT_EQ((x * 2).dtype(), float8_e4m3fn);
  EXPECT_EQ((x + array({1, 2, 3})).dtype(), float8_e4m3fn);
  EXPECT_EQ(lax::dot_general(x, x, {{0}, {0}, {}, {}}, float32).dtype(), float32);
  expect_text(vmap([](const Array& v) { return v / 3; })(x), "[0.34375 0.6875 1]");
  const Array large = array({500.f, 449.f, 464.f, 465.f, INFINITY, -0.f, 0x1p-10f, 0x1.8p-10f});
  expect_text(large.astype(float8_e4m3fn), "[nan 448 448 nan nan -0 0 0.00195312]");
  expect_text(array({60000.f, 61440.f, 0x1p-17f}).astype(float8_e5m2), "[57344 inf 0]");
  const finfo f(float8_e4m3fn), g(float8_e5m2);
  EXPECT_EQ(f.max, 448);
  EXPECT_EQ(f.maxexp, 9);
  EXPECT_EQ(f.smallest_subnormal, 0x1p-9);
  EXPECT_EQ(g.max, 57344);
  EXPECT_EQ(g.eps, 0.25);
}

TEST(SmallTypes, IntegersWrapAndSaturateAsInJax) {
  const Array a = array({7, -8, 3}).astype(int4);
  expect_text(a + a, "[-2  0  6]");
  expect_text(a * a, "[ 1  0 -7]");
  expect_text(-a, "[-7 -8 -3]");
  expect_text(~a, "[-8  7 -4]");
  expect_text(a << 1, "[-2  0  6]");
  expect_text(a >> 1, "[ 3 -4  1]");
  expect_text(floor_divide(a, 3), "[ 2 -3  1]");
  expect_text(a.astype(uint4), "[7 8 3]");
  expect_text(array({-9, -8, 7, 8, 100}).astype(int4), "[ 7 -8  7 -8  4]");
  expect_text(array({-9.5f, 7.6f, 100.f, NAN}).astype(int4), "[-8  7  7  0]");
  expect_text(jit([](const Array& x) { return x.astype(uint4); })(array({-9.5f, 7.6f, 100.f, NAN})), "[ 0  7 15  0]");
  expect_text(cumsum(a), "[ 7 -1  2]");
  EXPECT_EQ(exp(a).dtype(), float32);
  EXPECT_EQ((a * 2).dtype(), int4);
  expect_text(lax::scan(
                  [](const Array& c, const Array& x) {
                    return std::pair{c + x, c * x};
                  },
                  a[0], a)
                  .second,
              "[1 0 2]");
  EXPECT_EQ(iinfo(int4).min, -8);
  EXPECT_EQ(iinfo(uint4).max, 15u);
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{7, -8, 3}));
}

TEST(SmallTypes, BecomeNoOtherTypeUnasked) {
  const Array f = ones({2}, float8_e5m2), i = ones({2}, int4);
  EXPECT_NE(refused<TypeError>([&] { f + ones({2}); }).find("astype"), std::string::npos);
  EXPECT_NE(refused<TypeError>([&] { f + f.astype(float8_e4m3fn); }), "");
  EXPECT_NE(refused<TypeError>([&] { i + ones({2}, int32); }), "");
  EXPECT_NE(refused<TypeError>([&] { i * 2.5; }), "");
  EXPECT_NE(refused<TypeError>([&] { lax::population_count(i); }), "");
  EXPECT_NE(refused<TypeError>([&] { lax::bitcast_convert_type(i, int8); }), "");
}

TEST(SmallTypes, AreShardedAndSaved) {
  set_cpu_devices(8);
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array x = device_put(arange(64.f).astype(float8_e5m2), NamedSharding(mesh, P("x")));
  const Array total = shard_map([](const Array& b) { return lax::psum(sum(b.astype(float32)), "x"); },
                                {.mesh = mesh, .in_specs = {P("x")}, .out_specs = P()})(x);
  EXPECT_EQ(total.item<float>(), sum(x.astype(float32)).item<float>());
  const std::string path = (std::filesystem::temp_directory_path() / "tutti_small_types.safetensors").string();
  io::save(path, x);
  const Array back = io::load(path, x);
  std::filesystem::remove(path);
  EXPECT_EQ(back.dtype(), float8_e5m2);
  expect_text(back, str(x));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
