// Gathers whose places the compiler knows are readings: users-3, 6.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Unary = std::function<Array(const Array&)>;

Array places(std::int64_t count, std::int64_t length, std::int64_t hop) {
  return expand_dims(arange(count), 1) * static_cast<int>(hop) + arange(length);
}

bool calls_gather(const std::string& plan) { return plan.find("call gather") != std::string::npos; }

// Jitted, as its operations one at a time, whose indices are values that nobody knows.
void expect_reading(const Unary& f, const Array& x, bool known = true) {
  const auto jitted = jit(f);
  EXPECT_EQ(calls_gather(jitted.lower(x).compile().plan()), !known);
  EXPECT_TRUE(array_equal(jitted(x), f(x))) << jitted(x);
}

}  // namespace

TEST(KnownWindows, AreReadings) {
  const Array x = random::normal(random::key(0), {5000});
  for (const auto& [count, length, hop] :
       {std::array{37, 512, 100}, {10, 64, 64}, {50, 33, 90}, {7, 9, 1}, {1, 5, 3}}) {
    SCOPED_TRACE(count);
    const Array at = places(count, length, hop);
    expect_reading([&, c = count, n = length, h = hop](const Array& x) { return x(places(c, n, h)); }, x);
    expect_reading([&, c = count, n = length, h = hop](const Array& x) { return take(x, places(c, n, h)) * 2; }, x);
    expect_reading([&, c = count, n = length, h = hop](const Array& x) { return x(places(c, n, h).T()); }, x);
    expect_reading([&, c = count, n = length, h = hop](const Array& x) { return x(4999 - places(c, n, h)); }, x);
    expect_reading([&, c = count, n = length, h = hop](const Array& x) { return x(places(c, n, h) - 5000); }, x);
    auto windows = [c = count, n = length, h = hop](const Array& x) {
      return vmap([&](const Array& at) { return lax::dynamic_slice(x, {at}, {n}); })(arange(c) * h);
    };
    expect_reading(windows, x);
    expect_reading(vmap([&, c = count, n = length, h = hop](const Array& x) { return x(places(c, n, h)); }),
                   x.reshape(1, 5000));
  }
}

TEST(KnownWindows, OfSeveralDims) {
  const Array x = random::normal(random::key(0), {40, 60});
  expect_reading([](const Array& x) { return x(arange(40), arange(40)); }, x);           // a diagonal
  expect_reading([](const Array& x) { return x(arange(20), 59 - 2 * arange(20)); }, x);  // another
  expect_reading([](const Array& x) { return x(all, places(10, 12, 5)); }, x);           // frames of rows
  expect_reading([](const Array& x) { return x(expand_dims(arange(0, 40, 3), 1), arange(1, 60, 4)); }, x);
  expect_reading(  // patches of an image
      [](const Array& x) { return x(places(9, 4, 4).reshape(9, 1, 4, 1), places(14, 4, 4).reshape(1, 14, 1, 4)); }, x);
  expect_reading([](const Array& x) { return x(arange(4) + 10 * arange(4)); }, x);
}

TEST(KnownWindows, OthersAreNot) {
  const Array x = random::normal(random::key(0), {300});
  expect_reading([](const Array& x) { return x(abs(expand_dims(arange(300), 1) - arange(300))); }, x, false);
  expect_reading([](const Array& x) { return x(places(10, 40, 30)); }, x, false);  // the last frame is past the end
  expect_reading([](const Array& x) { return x(square(arange(17))); }, x, false);
}

// Slices with steps, to which is added: no scatter.
TEST(KnownWindows, EveryOtherElementIsASum) {
  enable_x64(true);
  for (DType d : {float32, float64, int32}) {
    const Array x = (100 * random::normal(random::key(0), {60, 90})).astype(d);
    auto check = [&](const Index& rows, const Index& columns) {
      const Array u = (100 * random::normal(random::key(1), x(rows, columns).shape())).astype(d);
      auto added = [&](const Array& x, const Array& u) { return x.at(rows, columns).add(u); };
      const auto jitted = jit(added);
      EXPECT_EQ(jitted.lower(x, u).compile().plan().find("call scatter"), std::string::npos);
      EXPECT_TRUE(array_equal(jitted(x, u), added(x, u)));
      const Array zeros = jitted(full_like(x, -0.0), zeros_like(u) * -1);
      EXPECT_TRUE(array_equal(signbit(zeros.astype(float32)),
                              signbit(added(full_like(x, -0.0), zeros_like(u) * -1).astype(float32))));
    };
    check(slice(none, none, 2), all);
    check(slice(none, none, 2), slice(none, none, 3));
    check(slice(1, -3, 2), slice(5, 80, 3));
  }
  enable_x64(false);
}

// Sums that meet are rounded once, whether their places are known or data.
TEST(KnownWindows, AreAddedTo) {
  for (DType d : {float32, bfloat16, int32})
    for (const auto& [count, length, hop] : {std::array{37, 512, 100}, {70, 64, 64}, {50, 33, 90}, {9, 16, 1}}) {
      SCOPED_TRACE(count);
      const Array x = (100 * random::normal(random::key(0), {5000})).astype(d),
                  u = (100 * random::normal(random::key(1), {count, length})).astype(d);
      auto added = [=, c = count, n = length, h = hop](const Array& x, const Array& u) {
        return x.at(places(c, n, h)).add(u);
      };
      const auto jitted = jit(added);
      EXPECT_NE(jitted.lower(x, u).compile().plan().find("call strided_add"), std::string::npos);
      EXPECT_TRUE(array_equal(jitted(x, u), added(x, u)));
      const Array many = stack({u, -u, 2 * u}), zero = zeros({3, 5000}, d);
      EXPECT_TRUE(array_equal(jit(vmap(added))(zero, many), vmap(added)(zero, many)));
    }
}

TEST(KnownWindows, InBodiesAndOfOtherTypes) {
  const Array x = random::normal(random::key(0), {1000});
  auto smoothed = [](const Array& x) {
    return lax::fori_loop(
        0, 4,
        [](const Array&, const Array& x) {
          return pad(x(places(981, 20, 1)).mean(1), {{10, 9}});
        },
        x);
  };
  expect_reading(smoothed, x);
  for (DType d : {int32, bfloat16, bool_, complex64})
    expect_reading([](const Array& x) { return x(places(9, 100, 80)); }, (100 * x).astype(d));
  auto energy = [](const Array& x) { return square(x(places(9, 100, 80))).sum(); };
  EXPECT_TRUE(allclose(jit(grad(energy))(x), grad(energy)(x)));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
