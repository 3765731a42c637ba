// Tables that are added to, compared with and read by rows whose numbers are data: cut as the numbers are, each device
// has a table of its own, and these are completed where it is cheapest.
#include "ops/placement/sharding_constraint.hpp"
#include "partition/counted_dims.hpp"
#include "partition/explain.hpp"
#include "partition/loop_programs.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/segments.hpp"
#include "tutti/transform/linear_maps.hpp"

namespace tutti::testing {
namespace {

// check_placed with integers from -3 to `most` + 3: some count from the end, some lie outside.
LocalProgram check_ids(const std::vector<Type>& types, const std::vector<PartitionSpec>& specs, const Mesh& mesh,
                       int most, const Function& f, double tolerance = 1e-5) {
  std::mt19937 rng(11);
  std::vector<BufferPtr> inputs;
  for (const Type& t : types)
    inputs.push_back(t.dtype.is_integer() ? random_buffer(t, rng, -3, most + 3) : random_buffer(t, rng, -1, 1));
  return check_partition(propagated(types, specs, mesh, f), inputs, tolerance);
}

Array cut(const Array& x, const Mesh& mesh, PartitionSpec spec) {
  return bind1(ops::sharding_constraint, ops::Constrain{named(mesh, std::move(spec))}, {x});
}

const Type ids64 = type({64}, int32);

TEST(Tables, PartialTablesAreAddedUpWhereTheyAreWanted) {
  Mesh mesh = grid({4}, "x");
  const std::vector<Type> types = {type({64, 6}), ids64};
  for (bool whole : {true, false}) {
    const LocalProgram local = check_ids(types, {P("x"), P("x")}, mesh, 8, [&](const Arrays& in) {
      return Arrays{cut(segment_sum(in[0], in[1], 8), mesh, whole ? P() : P("x"))};
    });
    EXPECT_LE(total_bytes(local), (whole ? 2 : 1) * 4.0 * 8 * 6 * 3 / 4) << explain(local);
  }
  // The same by at, of a table that has values: it counts once, and is added where it lies.
  for (const PartitionSpec& spec : {P(), P("x")}) {
    const LocalProgram local =
        check_ids({type({8, 6}), type({64, 6}), ids64}, {spec, P("x"), P("x")}, mesh, 8,
                  [&](const Arrays& in) { return Arrays{cut(in[0].at(in[2]).add(in[1]), mesh, spec)}; });
    EXPECT_LE(total_bytes(local), 2 * 4.0 * 8 * 6 * 3 / 4) << explain(local);
  }
}

TEST(Tables, ExtremaAndTruthValuesToo) {
  Mesh mesh = grid({4}, "x");
  const double block = 4.0 * 8 * 6 / 4;
  for (bool whole : {true, false}) {
    const LocalProgram local = check_ids({type({64, 6}), ids64}, {P("x"), P("x")}, mesh, 8, [&](const Arrays& in) {
      const Array high = full({8, 6}, -9.f).at(in[1]).max(in[0], AtMode::drop);
      return Arrays{cut(high, mesh, whole ? P() : P("x"))};
    });
    EXPECT_LE(total_bytes(local), (whole ? 2 : 1) * 3 * block) << explain(local);
  }
  const LocalProgram least =
      check_ids({type({64, 6}), ids64, type({8, 6})}, {P("x"), P("x"), P()}, mesh, 8,
                [&](const Arrays& in) { return Arrays{in[2].at(in[1]).min(in[0], AtMode::clip)}; });
  EXPECT_LE(total_bytes(least), 2 * 3 * block) << explain(least);
  const LocalProgram seen = check_ids({ids64}, {P("x")}, mesh, 64, [&](const Arrays& in) {
    const Array some = zeros({64}, bool_).at(in[0]).max(ones({64}, bool_));
    return Arrays{some, ones({64}, bool_).at(in[0]).mul(zeros({64}, bool_))};
  });
  EXPECT_LE(total_bytes(seen), 2 * 2 * 64 * 3 / 4.0) << explain(seen);
  // Uneven blocks: what fills them up changes nothing.
  for (std::int64_t n : {61, 5})
    check_ids({type({n, 3}), type({n}, int32)}, {P("x"), P("x")}, mesh, 7, [&](const Arrays& in) {
      const Array start = full({7, 3}, -0.5f);
      return Arrays{start.at(in[1]).max(in[0]), start.at(in[1]).min(in[0]), start.at(in[1]).add(in[0])};
    });
}

TEST(Tables, OfAllDtypesAndModes) {
  Mesh mesh = grid({2, 2}, {"x", "y"});
  for (DType dtype : {bfloat16, int32, uint8, int64, complex64})
    for (AtMode mode : {AtMode::clip, AtMode::drop})
      check_ids({type({24}), type({24}, int32), type({10})}, {P(axes("x", "y")), P("x"), P("y")}, mesh, 10,
                [&](const Arrays& in) {
                  const Array v = floor(in[0] * 4).astype(int32).astype(dtype), t = floor(in[2] * 4).astype(int32);
                  const Array added = t.astype(dtype).at(in[1]).add(v, mode);
                  return Arrays{dtype == complex64 ? lax::real(added) : added.astype(int32)};
                });
}

// Ids of two dims, windows of two; both axes on the ids, or one of them on the windows.
TEST(Tables, AdvancedIndicesAndBatches) {
  Mesh mesh = grid({2, 2}, {"x", "y"});
  const std::vector<Type> types = {type({4, 6, 3, 4}), type({4, 6}, int32)};
  for (const PartitionSpec& spec : {P("x", "y"), P("x", none, none, "y"), P(axes("x", "y"))})
    check_ids(types, {spec, P("x", "y")}, mesh, 9, [](const Arrays& in) {
      return Arrays{zeros({9, 3, 4}).at(in[1]).add(in[0])};
    });
  const LocalProgram batch =
      check_ids({type({4, 32}), type({4, 32}, int32)}, {P("x", "y"), P("x", "y")}, mesh, 8, [&](const Arrays& in) {
        auto one = [](const Array& v, const Array& i) { return segment_sum(v, i, 8); };
        return Arrays{cut(vmap(one)(in[0], in[1]), mesh, P("x"))};
      });
  EXPECT_LE(total_bytes(batch), 2 * 4.0 * 2 * 8 / 2) << explain(batch);
  // Products have no sums to be completed by.
  check_ids({ids64, type({64})}, {P("x"), P("x")}, mesh, 8,
            [](const Arrays& in) { return Arrays{ones({8}).at(in[0]).mul(in[1])}; });
}

// Deposits in each step of a loop: no step gathers ids, and the table is completed once.
TEST(Tables, SumsAreCarriedThroughLoops) {
  Mesh mesh = grid({4}, "x");
  const LocalProgram local =
      check_ids({type({8}), type({64}), ids64}, {P(), P("x"), P("x")}, mesh, 8, [](const Arrays& in) {
        return scan(5, {in[1], in[2]}, {in[0]}, {},
                    [](const Arrays& c, const Arrays& t, const Arrays&) { return Arrays{t[0].at(c[1]).add(c[0])}; });
      });
  EXPECT_LE(total_bytes(local), 2 * 4.0 * 8 * 3 / 4) << explain(local);
}

TEST(Tables, TheGradientOfReadsIsSuchASum) {
  Mesh mesh = grid({4}, "x");
  const std::vector<Type> types = {type({8, 3}), ids64, type({64, 3})};
  const ProgramPtr p = record(types, [](const Arrays& in) { return Arrays{sum(in[0](in[1]) * in[2])}; });
  const ProgramPtr both = value_and_grad(p, 1);
  std::mt19937 rng(3);
  std::vector<BufferPtr> inputs;
  for (const Type& t : types) inputs.push_back(random_buffer(t, rng, -2, 7));
  const LocalProgram local =
      check_partition(propagate(both, {named(mesh, P()), named(mesh, P("x")), named(mesh, P("x"))}), inputs);
  EXPECT_LE(total_bytes(local), 2 * 3 + 2 * 4.0 * 8 * 3 * 3 / 4) << explain(local);
}

// ---- indices that count along a batch dim ---------------------------------------------------------------------------

TEST(Tables, IndicesThatCountNeedNoMessages) {
  Mesh mesh = grid({4}, "x");
  const std::vector<Type> types = {type({16, 10}), type({16}, int32), type({16})};
  const std::vector<PartitionSpec> specs = {P("x"), P("x"), P("x")};
  auto quiet = [&](const std::function<Array(const Arrays&)>& f) {
    const LocalProgram local =
        check_ids(types, specs, mesh, 9, [&](const Arrays& in) { return Arrays{cut(f(in), mesh, P("x"))}; });
    EXPECT_EQ(total_bytes(local), 0) << explain(local);
  };
  quiet([&](const Arrays& in) { return in[0](arange(16), in[1]); });
  quiet([&](const Arrays& in) { return in[0].at(arange(16), in[1]).get(AtMode::fill, Array(0.f)); });
  quiet([&](const Arrays& in) { return in[0].at(arange(16), in[1]).set(in[2]); });
  quiet([&](const Arrays& in) { return in[0].at(arange(16), in[1]).add(in[2], AtMode::clip); });
  quiet([&](const Arrays& in) { return in[0].at(arange(16), in[1]).max(in[2]); });
  quiet([&](const Arrays& in) { return zeros({16, 10}).at(arange(16), in[1]).set(1); });
  // Counted otherwise, in another dtype, by more steps.
  quiet([&](const Arrays& in) { return in[0]((arange(16) + 32) % 16, in[1]); });
  quiet([&](const Arrays& in) { return in[0](cumsum(ones({16}, int32)) - 1, in[1]); });
  quiet([&](const Arrays& in) { return in[0](15 - arange(16)(slice(none, none, -1)), in[1]); });
  // Two ids per row; the dim that counts is the second one.
  quiet([&](const Arrays& in) { return in[0](expand_dims(arange(16), 1), stack({in[1], in[1] - 1}, 1)); });
  quiet([&](const Arrays& in) { return in[0].T()(in[1], arange(16)); });
  // In each step of a loop, counted inside and before.
  auto steps = [](const Arrays& in, bool before) {
    return scan(3, {in[1], arange(16)}, {in[0]}, {}, [&](const Arrays& c, const Arrays& q, const Arrays&) {
      const Array at = before ? c[1] : arange(16);
      return Arrays{q[0].at(at, c[0]).add(max(q[0], 1) - q[0](at, c[0]))};
    })[0];
  };
  quiet([&](const Arrays& in) { return steps(in, false); });
  quiet([&](const Arrays& in) { return steps(in, true); });
}

TEST(Tables, WhatDoesNotCountStaysAsItIs) {
  Mesh mesh = grid({4}, "x");
  const std::vector<Type> types = {type({16, 10}), type({16}, int32)};
  auto same = [&](const std::function<Array(const Arrays&)>& f) {
    const Function whole = [&](const Arrays& in) { return Arrays{f(in)}; };
    const ShardedProgram before = propagated(types, {P("x"), P("x")}, mesh, whole);
    EXPECT_EQ(with_counted_dims(before).program, before.program) << str(before);
    check_ids(types, {P("x"), P("x")}, mesh, 9, whole);
  };
  same([](const Arrays& in) { return in[0](15 - arange(16), in[1]); });
  same([](const Arrays& in) { return in[0](floor_divide(arange(16), 2), in[1]); });
  same([](const Arrays& in) { return in[0](arange(10), in[1](slice(none, 10))); });  // fewer rows than there are
  same([](const Arrays& in) { return in[0](minimum(arange(16), 14), in[1]); });
  same([](const Arrays& in) { return in[0](in[1]); });
}

// The same labels, both axes: the sum over the vocabulary is completed, rows of logits stay where they are.
TEST(Tables, LabelsOfACutVocabulary) {
  Mesh mesh = grid({2, 2}, {"x", "y"});
  const std::vector<Type> types = {type({16, 12}), type({16}, int32)};
  auto bytes = [&](const std::function<Array(const Array&, const Array&)>& pick) {
    const ProgramPtr p = record(types, [&](const Arrays& in) {
      const Array shifted = in[0] - max(in[0], 1, true);
      return Arrays{mean(pick(shifted - log(sum(exp(shifted), 1, true)), in[1]))};
    });
    const ProgramPtr both = value_and_grad(p, 1);
    std::mt19937 rng(3);
    const std::vector<BufferPtr> inputs = {random_buffer(types[0], rng), random_buffer(types[1], rng, 0, 11)};
    return total_bytes(check_partition(propagate(both, {named(mesh, P("x", "y")), named(mesh, P("x"))}), inputs));
  };
  const double along = bytes([](const Array& z, const Array& y) { return take_along_axis(z, expand_dims(y, 1), 1); });
  EXPECT_EQ(bytes([](const Array& z, const Array& y) { return z(arange(16), y); }), along);
  EXPECT_EQ(bytes([](const Array& z, const Array& y) {
              return vmap([](const Array& row, const Array& i) { return row(i); })(z, y);
            }),
            along);
}

// Tokens of a batch, both counted; the cache of a decoder.
TEST(Tables, SeveralDimsThatCount) {
  Mesh mesh = grid({2, 2}, {"x", "y"});
  const LocalProgram tokens =
      check_ids({type({4, 6, 9}), type({4, 6}, int32)}, {P("x", "y"), P("x", "y")}, mesh, 8, [&](const Arrays& in) {
        const Array b = expand_dims(arange(4), 1), t = expand_dims(arange(6), 0);
        return Arrays{cut(in[0](b, t, in[1]), mesh, P("x", "y"))};
      });
  EXPECT_EQ(total_bytes(tokens), 0) << explain(tokens);
  const LocalProgram cache = check_ids(
      {type({4, 6, 2, 3}), type({4, 2, 3}), type({4}, int32)}, {P("x", none, "y"), P("x", "y"), P("x")}, mesh, 5,
      [&](const Arrays& in) { return Arrays{cut(in[0].at(arange(4), in[2]).set(in[1]), mesh, P("x", none, "y"))}; });
  EXPECT_EQ(total_bytes(cache), 0) << explain(cache);
}

// Frames every 4 samples, 10 long, and their sum: hops of a window that stand in the next block are sent, no more.
TEST(Tables, FramesThatOverlap) {
  Mesh mesh = grid({4}, "x");
  auto places = [](int count) { return expand_dims(arange(count), 1) * 4 + arange(10); };
  const double hops = 4.0 * (4 + 2 * 4);  // one row of a hop, and two
  const LocalProgram round = check_ids({type({3, 64})}, {P(none, "x")}, mesh, 0, [&](const Arrays& in) {
    return Arrays{cut(in[0](all, places(16) % 64), mesh, P(none, "x"))};
  });
  EXPECT_LE(total_bytes(round), 3 * hops) << explain(round);
  const LocalProgram added = check_ids({type({16, 10}), type({64})}, {P("x"), P("x")}, mesh, 0, [&](const Arrays& in) {
    return Arrays{cut(in[1].at(places(16) % 64).add(in[0]), mesh, P("x"))};
  });
  EXPECT_LE(total_bytes(added), hops) << explain(added);
  // Inside, with fewer frames than there are hops, and where hops do not divide among the devices.
  for (std::int64_t n : {64, 60}) {
    const int count = static_cast<int>(n - 10) / 4 + 1;
    check_ids({type({n}), type({count, 10})}, {P("x"), P("x")}, mesh, 0, [&](const Arrays& in) {
      return Arrays{in[0](places(count)), zeros({n}).at(places(count)).add(in[1])};
    });
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
