// The user's line in what has no argument, or no last one, for it (ecosystem-2, section 3).
#include <cstdint>
#include <functional>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

std::string text_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Lines, OfVectorsAndSpansWithoutAShape) {
  const std::vector<std::int64_t> large{std::int64_t{1} << 40};
  const std::array<std::int64_t, 1> fixed{std::int64_t{1} << 40};
  expect_error<ValueError>("array", {"does not fit int32"}, [&] { array(large); });
  expect_error<ValueError>("array", {"does not fit int32"}, [&] { array(std::span<const std::int64_t>(large)); });
  expect_error<ValueError>("array", {"does not fit int32"}, [&] { array(fixed); });
}

// An operator of conversion learns of no line: it names that of the operation before it.
TEST(Lines, OfConversions) {
  const std::string here = "conversions_test.cpp:";
  int line = 0;
  const auto expect_after = [&](const std::function<void()>& call) {
    const std::string text = text_of(call);
    EXPECT_NE(text.find("\n  after " + here + std::to_string(line) + ", the operation before\n"), text.npos) << text;
  };
  expect_after([&] {
    line = __LINE__ + 1;
    const Array x = ones({3}) + 1;
    (void)float(x);
  });
  expect_after([&] {
    line = __LINE__ + 1;
    if (arange(3) > 1) line = 0;
  });
  expect_after([&] {
    jit([&](const Array& x) {
      line = __LINE__ + 1;
      return x > 0 ? x : -x;
    })(ones({}));
  });
}

TEST(Lines, OfTreesOfThreeAndFour) {
  const std::vector<Array> a{ones({}), ones({})}, b{ones({})};
  const auto three = [](const Array& x, const Array&, const Array&) { return x; };
  const auto four = [](const Array& x, const Array&, const Array&, const Array&) { return x; };
  const auto with_path = [](const tree::Path&, const Array& x, const Array&, const Array&) { return x; };
  expect_error<ValueError>("tree::map", {}, [&] { tree::map(three, a, a, b); });
  expect_error<ValueError>("tree::map", {}, [&] { tree::map(four, a, a, a, b); });
  expect_error<ValueError>("tree::map_with_path", {}, [&] { tree::map_with_path(with_path, a, a, b); });
}

TEST(Lines, OfBatches) {
  const std::tuple uneven{ones({4}), ones({3})};
  expect_error<ShapeError>("batches", {"(4,)", "(3,)"}, [&] { data::batches(uneven, 2); });
  expect_error<ValueError>("batches", {"batch size is 0"}, [&] { data::batches(ones({4}), 0, {.shuffle = true}); });
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
