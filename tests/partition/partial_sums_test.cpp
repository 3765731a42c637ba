// Partial sums may be larger than their sum, and rounded otherwise: what could tell is computed after they are
// complete.
#include <cstring>
#include <limits>

#include "partition/magnitudes.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

using Values = std::vector<float>;

BufferPtr buffer(const Values& values) {
  HostPtr b = allocate_buffer(values.size() * sizeof(float));
  std::memcpy(b->data(), values.data(), values.size() * sizeof(float));
  return b;
}

// Two devices along x hold one row each of an array with two rows; `f` takes it, and it runs as the global program
// does.
LocalProgram check(const Values& rows, const std::function<Array(const Array&)>& f, double tolerance = 0) {
  Type t = type({2, static_cast<std::int64_t>(rows.size()) / 2});
  ProgramPtr p = record({t}, [&](const Arrays& in) { return Arrays{f(in[0])}; });
  return check_partition(propagate(p, {named(grid({2}, "x"), P("x"))}), {buffer(rows)}, tolerance);
}

const float most = 3e38f;

TEST(PartialSums, PassNoConversionThatIsNarrower) {
  check({70000, 1, -69000, 1}, [](const Array& x) { return sum(x, 0).astype(float16); });
  // In bfloat16 the parts are 256 and -256.
  check({256.9f, 1, -255.9f, 1}, [](const Array& x) { return sum(x, 0).astype(bfloat16); });
  check({0.6f, 0.7f, 0.6f, 0.7f}, [](const Array& x) { return sum(x, 0).astype(int32); });
}

TEST(PartialSums, PassNoProductThatMayOverflow) {
  check({2, 1e30f, -1, -1e30f}, [](const Array& x) { return sum(x, 0) * 1e38f; });
  check({2, 1, -1, -3}, [](const Array& x) { return sum(x, 0) * std::numeric_limits<float>::infinity(); });
  check({2, 1, -1, -3}, [](const Array& x) { return sum(x, 0) / 0.0f; });
  check({2e3f, 1, -1.9e3f, 1}, [](const Array& x) { return sum(x, 0) / 1e-36f; });
  // By a value, which may be anything; by a matrix.
  check({2, -1, -1, -3}, [](const Array& x) { return sum(x, 0) * (sum(x, 0) * 1e38f); });
  check(
      {2, 1, -1.5f, -3},
      [](const Array& x) {
        return dot(sum(x, 0), full({2, 2}, 1e38f));
      },
      1e-6);
}

TEST(PartialSums, PassWhatIsHarmless) {
  // The sum is completed once, where it is smallest: a scalar of 4 bytes to and fro.
  auto sent = [&](const std::function<Array(const Array&)>& f) {
    return total_bytes(check({1, 2, 3, 4, 5, 6, 7, 8}, f, 1e-6));
  };
  EXPECT_EQ(sent([](const Array& x) { return sum(sum(x, 0) * 0.5f); }), 4);
  EXPECT_EQ(sent([](const Array& x) { return sum(sum(x, 0) / 4.0f); }), 4);
  EXPECT_EQ(
      sent([](const Array& x) { return sum(sum(x, 0) * broadcast_to(lax::div(Array(1.0f), Array(64.0f)), {4})); }), 4);
  EXPECT_EQ(sent([](const Array& x) { return sum(sum(x, 0) * tanh(arange(4.0f))); }), 4);
  EXPECT_EQ(sent([](const Array& x) { return sum(where(arange(4.0f) > 1, -sum(x, 0), 0.0f)); }), 4);
  EXPECT_EQ(sent([](const Array& x) { return dot(sum(x, 0), cos(arange(4.0f))); }), 4);
  EXPECT_GT(sent([](const Array& x) { return sum(sum(x, 0) * 3.0f); }), 4);
  EXPECT_GT(sent([](const Array& x) { return sum(sum(x, 0) / arange(4.0f)); }), 4);
}

// Integers wrap: products and sums of parts are those of the whole, conversions only where they keep the width.
TEST(PartialSums, OfIntegersPassProducts) {
  auto integers = [](const Array& x) { return sum((x * 1e9f).astype(int32), 0); };
  LocalProgram local = check({1, 2, -1.5f, 2}, [&](const Array& x) { return sum(integers(x) * 1000003); });
  EXPECT_EQ(total_bytes(local), 4);
  check({1.5f, 2, 1.5f, 2}, [&](const Array& x) { return integers(x).astype(uint32); });
  check({1.5f, 2, 1.5f, 2}, [&](const Array& x) { return integers(x).astype(float32); });
  check({1.5f, 2, 1.5f, 2}, [&](const Array& x) { return integers(x) / 7; });
  check({100, 90, 100, 90}, [&](const Array& x) { return sum(x.astype(int8), 0).astype(int32); });
}

TEST(PartialSums, MagnitudesBoundValues) {
  ProgramPtr p = record({type({3}), type({3}, float16)}, [](const Arrays& in) {
    const Array &x = in[0], &h = in[1];
    return Arrays{tanh(x) * sin(x) * 0.5f,
                  1 / (x * 0 + 2),
                  broadcast_to(lax::div(Array(1.0f), Array(8.0f)), {3}),
                  -(tanh(x) / 4),
                  (h < 0).astype(float16),
                  sign(x) * most * 8,
                  concatenate({sign(x), tanh(x) * 3})};
  });
  std::vector<Magnitude> all = magnitudes(*p);
  auto bound = [&](std::size_t k) { return all[p->outputs[k].id].most; };
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bound(0), 0.5);
  EXPECT_EQ(bound(1), unknown);
  EXPECT_EQ(bound(2), 0.125);
  EXPECT_EQ(all[p->outputs[2].id].least, 0.125);
  EXPECT_EQ(bound(3), 0.25);
  EXPECT_EQ(bound(4), 1);
  EXPECT_EQ(bound(5), unknown);
  EXPECT_EQ(bound(6), 3);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
