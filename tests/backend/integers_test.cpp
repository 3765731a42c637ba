// Quotients, remainders and conversions of integers in vectors, against the reference backend.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Two = std::function<Array(const Array&, const Array&)>;

void expect_as_reference(const Two& f, const Array& x, const Array& y) {
  const Array got = jit(f)(x, y);
  config::backend("reference");
  const Array want = jit(f)(x, y);
  config::backend("cpu");
  EXPECT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(bool(array_equal(got, want))) << x.dtype().name();
}

// Whatever the bits of a word say, and what divides with least to spare.
Array words(DType dtype, int seed) {
  const Array any = lax::bitcast_convert_type(random::bits(random::key(seed), {20000}), int32);
  const Array small = any % 7,
              large = array({0, 1, -1, 2147483647, -2147483647 - 1, 65535, 65536, 46341, 3, 2147483646});
  return concatenate({any, small, tile(large, {100}), repeat(large, 100)}).astype(dtype);
}

TEST(Integers, QuotientsAreExact) {
  for (DType d : {int8, uint8, int16, uint16, int32, uint32}) {
    const Array x = words(d, 1),
                y = concatenate({words(d, 2)(slice(0, 40000)), repeat(words(d, 1)(slice(40000, 40010)), 200)});
    for (const Two& f : {Two([](const Array&x, const Array&y) { return lax::div(x, y); }),
                         Two([](const Array&x, const Array&y) { return lax::rem(x, y); }),
                         Two([](const Array&x, const Array&y) { return floor_divide(x, y); }),
                         Two([](const Array&x, const Array&y) { return remainder(x, y); }),
                         Two([](const Array&x, const Array&) { return (x % 10 + x / 7) * 3 + x % 100; })})
      expect_as_reference(f, x, y);
  }
}

TEST(Integers, FloatsBecomeTheNearestThatThereIs) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Array edges =
      array({0.f,   -0.f,    0.99f,   -0.99f,   127.f,    127.9f,  128.f,   -128.f, -128.9f, -129.f, 255.f, 255.9f,
             256.f, 32767.f, 32768.f, -32768.f, -32769.f, 65535.f, 65536.f, 1e10f,  -1e10f,  inf,    -inf,  nan});
  const Array x = concatenate({edges, random::normal(random::key(1), {5000}) * 300});
  for (DType to : {int8, uint8, int16, uint16})
    for (DType from : {float32, bfloat16})
      expect_as_reference([&](const Array& x, const Array&) { return x.astype(to); }, x.astype(from), x);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
