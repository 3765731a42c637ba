// NumPy's texts of arrays. The golden file text.json holds many more; here is one case per rule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <sstream>

#include "array/node.hpp"
#include "tutti/format.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

Array floats(std::vector<float> v) { return array(v, Shape{v.size()}); }
Array as(DType dtype, std::vector<float> v) {
  HostPtr b = allocate_buffer(v.size() * static_cast<std::size_t>(dtype.size()));
  convert_elements(float32, v.data(), dtype, b->data(), static_cast<std::int64_t>(v.size()));
  return make_array(Type{dtype, Shape{v.size()}, false, {}}, b);
}
template <class T> std::vector<T> counted(T n) {
  std::vector<T> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), T(0));
  return v;
}

TEST(Text, LoneNumbers) {
  EXPECT_EQ(str(array(3.f)), "3.0");
  EXPECT_EQ(repr(array(3.f)), "Array(3., dtype=float32)");
  EXPECT_EQ(str(array(1.f / 3)), "0.33333334");
  EXPECT_EQ(str(array(-0.f)), "-0.0");
  EXPECT_EQ(str(array(1e8f)), "1e+08");
  EXPECT_EQ(str(array(1e-4f)), "1e-04");  // the float32 lies below 1e-4
  EXPECT_EQ(repr(array(1e-4f)), "Array(0.0001, dtype=float32)");
  EXPECT_EQ(str(array(nan)), "nan");
  EXPECT_EQ(str(array(-7)), "-7");
  EXPECT_EQ(repr(array(true)), "Array(True, dtype=bool)");
  EXPECT_EQ(repr(Array(2.5)), "Array(2.5, dtype=float32, weak_type=True)");
}

TEST(Text, ColumnsLineUp) {
  EXPECT_EQ(str(floats({-1.5f, 2.25f, -100.125f})), "[  -1.5      2.25  -100.125]");
  EXPECT_EQ(repr(floats({0.5f, 400.25f})), "Array([  0.5 , 400.25], dtype=float32)");
  EXPECT_EQ(str(floats({1, nan, inf, -inf, -0.f, 0})), "[  1.  nan  inf -inf  -0.   0.]");
  EXPECT_EQ(str(floats({inf, -inf})), "[ inf -inf]");
  EXPECT_EQ(str(array(std::vector<int>{-5, 0, 12}, {3})), "[-5  0 12]");
  EXPECT_EQ(str(array(std::vector<bool>{true, false}, {2})), "[ True False]");
}

TEST(Text, Exponents) {
  EXPECT_EQ(str(floats({1, 1000})), "[   1. 1000.]");
  EXPECT_EQ(str(floats({1, 1001})), "[1.000e+00 1.001e+03]");
  EXPECT_EQ(str(floats({1e-10f, nan, 1})), "[1.e-10    nan 1.e+00]");
  EXPECT_EQ(str(floats({3.4028235e38f, 1.1754944e-38f})), "[3.4028235e+38 1.1754944e-38]");
  // A common number of digits shows more of a number than its shortest text.
  EXPECT_EQ(str(floats({-527384.2f, 7.468856e-06f})), "[-5.273842e+05  7.468856e-06]");
}

TEST(Text, SmallFloats) {
  EXPECT_EQ(str(as(bfloat16, {1, 2.5f, 0.1f, 300, -0.f, 1e10f})), "[1 2.5 0.100098 300 -0 9.99922e+09]");
  EXPECT_EQ(str(as(float16, {1, 2.5f, 0.1f, 300})), "[1.0e+00 2.5e+00 1.0e-01 3.0e+02]");
  EXPECT_EQ(str(as(float16, {0, 1.f / 3, 2.f / 3})), "[0.     0.3333 0.6665]");
}

TEST(Text, Complex) {
  using C = std::complex<float>;
  EXPECT_EQ(str(array(C(1, 2))), "(1+2j)");
  EXPECT_EQ(str(array(C(0, 2))), "2j");
  EXPECT_EQ(str(array(std::vector<C>{{-1.5f, 0}, {1, 0}}, {2})), "[-1.5+0.j  1. +0.j]");
  EXPECT_EQ(repr(array(std::vector<C>{{1, 2}}, {1})), "Array([1.+2.j], dtype=complex64)");
}

TEST(Text, Nested) {
  EXPECT_EQ(str(array(counted(6.f), {2, 3})), "[[0. 1. 2.]\n [3. 4. 5.]]");
  EXPECT_EQ(repr(array(counted(4.f), {2, 1, 2})), "Array([[[0., 1.]],\n\n       [[2., 3.]]], dtype=float32)");
}

TEST(Text, Empty) {
  EXPECT_EQ(str(array(std::vector<float>{}, {0, 5})), "[]");
  EXPECT_EQ(repr(array(std::vector<float>{}, {0, 5})), "Array([], shape=(0, 5), dtype=float32)");
  EXPECT_EQ(str(Array()), "None");
}

TEST(Text, LongLinesWrap) {
  std::string s = str(array(counted(32), {32}));
  EXPECT_EQ(s, "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29 30 31]");
  // The dtype does not fit the last line: it goes to the column behind "Array(".
  std::string r = repr(array(counted(32), {32}));
  EXPECT_TRUE(r.ends_with(" 28, 29, 30, 31],      dtype=int32)")) << r;
  for (int n = 1; n < 200; n += 7) {
    std::istringstream lines(str(array(counted(static_cast<float>(n)), {n})));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 75u);
  }
}

TEST(Text, LongArraysAreSummarised) {
  EXPECT_EQ(str(array(counted(1001), {1001})), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(str(array(counted(1200), {300, 4})),
            "[[   0    1    2    3]\n [   4    5    6    7]\n [   8    9   10   11]\n ...\n [1188 1189 1190 1191]\n "
            "[1192 1193 1194 1195]\n [1196 1197 1198 1199]]");
  // What is not shown does not count for the format.
  std::vector<float> v(1100, 1.f);
  v[500] = 1e12f;
  EXPECT_EQ(repr(floats(v)), "Array([1., 1., 1., ..., 1., 1., 1.], dtype=float32)");
}

// Samples of every exponent, of float16 and of float32.
TEST(Text, LoneNumbersReadBack) {
  for (int exponent = 0; exponent < 30; ++exponent)
    for (int mantissa = 1024; mantissa < 2048; mantissa += 3) {
      float f = std::ldexp(static_cast<float>(mantissa), exponent - 24);
      Array x = as(float16, {f}), y = as(float16, {std::stof(repr(x).substr(7))});
      ASSERT_EQ(std::memcmp(held_buffer_of(x, "test")->data(), held_buffer_of(y, "test")->data(), 2), 0) << repr(x);
    }
  for (std::uint32_t bits = 1; bits < 0x7f800000; bits += 0x0003a7c1) {
    float f = std::bit_cast<float>(bits);
    ASSERT_EQ(std::strtof(str(array(f)).c_str(), nullptr), f);
  }
}

TEST(Text, Keys) {
  EXPECT_EQ(str(random::key(0)), "Array((), dtype=key<fry>) overlaying:\n[0 0]");
  EXPECT_EQ(repr(random::PRNGKey(42)), "Array([ 0, 42], dtype=uint32)");
}

TEST(Text, Deleted) {
  Array x = floats({1, 2});
  x.delete_();
  EXPECT_THROW(str(x), DeletedError);
}

TEST(Text, TracedArraysPrintTheirValueUnderGradAndTheirTypeUnderJit) {
  std::string value, type;
  grad([&](Array x) {
    value = str(x);
    return (x * x).sum();
  })(floats({1, 2}));
  EXPECT_EQ(value, "[1. 2.]");
  jit([&](Array x) {
    type = str(x);
    return x * 2.f;
  })(floats({1, 2}));
  EXPECT_EQ(type, "Traced<float32[2]>");
}

TEST(Text, Streams) {
  std::ostringstream out;
  out << floats({1, 2.5f});
  EXPECT_EQ(out.str(), "[1.  2.5]");
}

TEST(Text, Fmt) {
  EXPECT_EQ(fmt::format("{}", floats({1, 2.5f})), "[1.  2.5]");
  EXPECT_EQ(fmt::format("{:.3f}", array(1.f / 3)), "0.333");
  EXPECT_EQ(fmt::format("{:>5}|{}", array(7), array(true)), "    7|True");
  EXPECT_EQ(fmt::format("{} {} {}", Shape{4, 2}, float32, Device(3)), "(4, 2) float32 CpuDevice(id=3)");
  EXPECT_EQ(fmt::format("{}", P("x", none)), "P('x', None)");
  auto streamed = [](const auto& x) {
    std::ostringstream out;
    out << x;
    return out.str();
  };
  const Dict d{{"w", ones({2})}};
  EXPECT_EQ(fmt::format("{}", d), streamed(d));
  EXPECT_EQ(fmt::format("{}", tree::structure(d)), streamed(tree::structure(d)));
  auto f = [](const Array& x) { return sin(x); };
  const ShapeDtypeStruct type{eval_shape(f, ones({2}))};
  EXPECT_EQ(fmt::format("{}", type), streamed(type));
  EXPECT_EQ(fmt::format("{}", jit(f).explain(ones({2}))), streamed(jit(f).explain(ones({2}))));
  EXPECT_EQ(fmt::format("{}", jit_program(f)(ones({2}))), streamed(jit_program(f)(ones({2}))));
  EXPECT_EQ(fmt::format("{:>4}", Scalar(7)), "   7");
}

TEST(Text, Shards) {
  set_cpu_devices(8);
  Array x = device_put(array(counted(16.f), {8, 2}), NamedSharding(make_mesh({4, 2}, {"x", "y"}), P("x")));
  EXPECT_EQ(str(x.addressable_shards()[3]),
            "Shard(device=CpuDevice(id=3), index=(slice(2, 4, None), slice(None, None, None)), replica_id=1, data=[[4. "
            "5.]\n [6. 7.]])");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
