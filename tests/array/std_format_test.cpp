// The standard library's format, where it has one.
#include <gtest/gtest.h>

#include <tutti/std_format.hpp>
#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

TEST(StdFormat, PrintsWhatStreamsDo) {
#ifdef __cpp_lib_format
  const Array x = array({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(std::format("{}", x), str(x));
  EXPECT_EQ(std::format("{:.2f} {} {:3d}", array(1.5f), array(true), array(7)), "1.50 True   7");
  EXPECT_EQ(std::format("{:>5}|{}|{}", x.shape(), x.dtype(), P("x", none)), "(2, 2)|float32|" + P("x", none).str());
  EXPECT_EQ(std::format("{}", devices()[0]), devices()[0].str());
#else
  GTEST_SKIP() << "this standard library has no <format>";
#endif
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
