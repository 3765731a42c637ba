// Views along a cut dim, and sums that run along it: blocks send their neighbours a few elements, however the view is
// written.
#include "partition/explain.hpp"
#include "partition/loop_programs.hpp"
#include "partition/rolls.hpp"

namespace tutti::testing {
namespace {

LocalProgram check(const std::vector<Type>& types, const std::vector<PartitionSpec>& specs, const Mesh& mesh,
                   const Function& f) {
  std::mt19937 rng(7);
  std::vector<Sharding> placed;
  std::vector<BufferPtr> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) {
    placed.push_back(named(mesh, specs[i]));
    inputs.push_back(random_buffer(types[i], rng, -1, 1));
  }
  return check_partition(propagate(record(types, f), placed), inputs, 1e-5);
}

Array rows(const Array& x, std::int64_t from, std::int64_t to) { return lax::slice(x, {from, 0}, {to, x.shape()[1]}); }

TEST(Views, ARollSendsTheRowsThatCrossBlocks) {
  Mesh mesh = grid({4}, "x");
  const double row = 4.0 * 5;
  for (std::int64_t shift : {1, 3, 7, -2}) {
    const LocalProgram local =
        check({type({32, 5})}, {P("x")}, mesh, [=](const Arrays& in) { return Arrays{roll(in[0], shift, 0)}; });
    EXPECT_EQ(total_bytes(local), static_cast<double>(std::abs(shift)) * row) << explain(local);
  }
  // Whole blocks, and over two axes.
  check({type({32, 5})}, {P("x")}, mesh, [](const Arrays& in) { return Arrays{roll(in[0], 16, 0)}; });
  check({type({24, 6})}, {P(axes("x", "y"))}, grid({2, 3}, {"x", "y"}),
        [](const Arrays& in) { return Arrays{roll(in[0], 5, 0)}; });
}

TEST(Views, SlicesPutTogetherAreARoll) {
  Mesh mesh = grid({4}, "x");
  const double row = 4.0 * 5;
  const LocalProgram joined = check({type({32, 5})}, {P("x")}, mesh, [](const Arrays& in) {
    return Arrays{lax::concatenate({rows(in[0], 30, 32), rows(in[0], 0, 30)}, 0)};
  });
  EXPECT_EQ(total_bytes(joined), 2 * row) << explain(joined);
  // Zeros come in at the end.
  const LocalProgram padded = check({type({32, 5})}, {P("x")}, mesh, [](const Arrays& in) {
    return Arrays{lax::pad(rows(in[0], 1, 32), Array(0.f), {{0, 1, 0}, {0, 0, 0}})};
  });
  EXPECT_EQ(total_bytes(padded), row) << explain(padded);
  // Three parts, one of another array.
  check({type({32, 5}), type({3, 5})}, {P("x"), P()}, mesh, [](const Arrays& in) {
    return Arrays{lax::concatenate({rows(in[0], 8, 16), in[1], rows(in[0], 0, 21)}, 0)};
  });
}

TEST(Views, ABufferIsShiftedInEachStep) {
  Mesh mesh = grid({4}, "x");
  const LocalProgram local = check({type({4, 3}), type({2, 1, 3})}, {P("x"), P()}, mesh, [](const Arrays& in) {
    return scan(2, {}, {in[0]}, {in[1]}, [](const Arrays&, const Arrays& c, const Arrays& x) {
      return Arrays{tanh(lax::concatenate({x[0], rows(c[0], 0, 3)}, 0))};
    });
  });
  EXPECT_EQ(total_bytes(local), 2 * 4.0 * 3) << explain(local);
}

TEST(Views, RunningSumsSendTheTotals) {
  Mesh mesh = grid({4}, "x");
  for (bool reverse : {false, true}) {
    const LocalProgram local = check({type({32, 5})}, {P("x")}, mesh,
                                     [=](const Arrays& in) { return Arrays{lax::cumsum(in[0], 0, reverse)}; });
    EXPECT_EQ(total_bytes(local), 3 * 4.0 * 5) << explain(local);
  }
  check({type({24, 6})}, {P(axes("x", "y"))}, grid({2, 3}, {"x", "y"}),
        [](const Arrays& in) { return Arrays{lax::cumsum(in[0], 0, false)}; });
}

}  // namespace
}  // namespace tutti::testing
