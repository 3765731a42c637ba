// Scatters that read their updates where a gather would, and work that is done before a gather: the engine against
// eval, and what of it is left in the plan.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/scatter.hpp"

namespace tutti::test {
namespace {

using lax::GatherMode;
using lax::ScatterKind;

std::vector<std::string> calls_of_plan(const Program& p) {
  std::vector<std::string> out;
  for (const compile::Step& s : compile::compile(on_one_device(p), {}).steps)
    if (const auto* c = std::get_if<compile::CallEqn>(&s.what))
      out.push_back((c->gather ? "through " : "") + c->eqn.op->name);
  return out;
}
// With indices that reach out of 0 to `most` on both sides.
void expect_as_eval(const Program& p, double most, double tolerance = 1e-6) {
  std::mt19937 random(3);
  std::vector<BufferPtr> in;
  for (ValueId v : p.inputs) {
    const bool index = p.types[v].dtype == int32;
    in.push_back(random_buffer(p.types[v], index ? -4 : -1, index ? most + 4 : 1, random));
  }
  const auto want = backend("reference").compile(on_one_device(p))->run(in),
             got = backend("cpu").compile(on_one_device(p))->run(in);
  for (std::size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(
        difference(p.type(p.outputs[k]), on_host(got[k]).data(), on_host(want[k]).data(), 4, tolerance, tolerance), "")
        << str(p);
}

struct Rows {
  std::int64_t nodes = 900, edges = 3000, row = 48;
  GatherMode gather = GatherMode::clip, scatter = GatherMode::fill;
  ScatterKind kind = ScatterKind::add;
  std::int64_t split = 1;  // rows of the scatter in one of the gather
  bool onto_itself = false;
};
// Rows of nodes at one end of edges come to those at the other end.
Builder messages(const Rows& r) {
  Builder b;
  const ValueId nodes = b.input(f32({r.nodes, r.row})), from = b.input(Type{int32, {r.edges, 1}, false, {}}),
                to = b.input(Type{int32, {r.edges * r.split, 1}, false, {}});
  const Shape part{r.edges * r.split, r.row / r.split};
  ValueId rows = b.add(ops::gather, ops::Gather{{{1}, {0}, {0}, {}, {}}, {1, r.row}, r.gather}, {nodes, from});
  if (r.split > 1) rows = b.add(ops::reshape, ops::Reshape{part}, {rows});
  const ValueId start = r.onto_itself ? nodes : b.input(f32({r.nodes, part[1]}));
  b.output(b.add(ops::scatter_op(r.kind), ops::Scatter{{{1}, {0}, {0}, {}, {}}, r.scatter}, {start, to, rows}));
  return b;
}

TEST(ScatterGathers, Messages) {
  for (const ScatterKind kind : {ScatterKind::add, ScatterKind::set, ScatterKind::max})
    for (const GatherMode gather : {GatherMode::clip, GatherMode::fill})
      for (const std::int64_t split : {1, 3})
        for (const bool onto_itself : {false, true}) {
          if (onto_itself && split > 1) continue;
          const Rows r{.gather = gather, .kind = kind, .split = split, .onto_itself = onto_itself};
          const Builder b = messages(r);
          EXPECT_EQ(calls_of_plan(b.program), std::vector<std::string>{"through " + ops::scatter_op(kind).name});
          expect_as_eval(b.program, static_cast<double>(r.nodes));
        }
  expect_as_eval(messages({.nodes = 40, .edges = 30'000, .row = 50}).program, 40, 1e-5);  // few places
  expect_as_eval(messages({.nodes = 9000, .edges = 600, .row = 33}).program, 9000);       // few rows
  expect_as_eval(messages({.nodes = 9000, .edges = 60, .row = 300, .split = 2}).program, 9000);
}

// A donated array is written in place only where nothing is read of it.
TEST(ScatterGathers, OntoItselfInDonatedMemory) {
  const Builder b = messages({.onto_itself = true});
  std::mt19937 random(3);
  std::vector<BufferPtr> in;
  for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], 0, 800, random));
  const auto want = backend("reference").compile(on_one_device(b.program))->run(in);
  const auto exe = backend("cpu").compile(on_one_device(b.program), {true, true, true});
  const auto got = exe->run(in);
  EXPECT_EQ(
      difference(b.program.type(b.program.outputs[0]), on_host(got[0]).data(), on_host(want[0]).data(), 4, 1e-6, 1e-6),
      "");
}

// Runs of the gather that are no whole number of the scatter's.
TEST(ScatterGathers, RunsThatLieAcross) {
  Builder b;
  const std::int64_t n = 1200;
  const ValueId x = b.input(f32({n, 32})), from = b.input(Type{int32, {n, 1}, false, {}}),
                to = b.input(Type{int32, {n / 3, 1}, false, {}}), start = b.input(f32({n, 96}));
  const ValueId rows = b.add(ops::gather, ops::Gather{{{1}, {0}, {0}, {}, {}}, {1, 32}, GatherMode::clip}, {x, from});
  const ValueId wide = b.add(ops::reshape, ops::Reshape{{n / 3, 96}}, {rows});
  b.output(b.add(ops::scatter_add, ops::Scatter{{{1}, {0}, {0}, {}, {}}}, {start, to, wide}));
  EXPECT_EQ(calls_of_plan(b.program), std::vector<std::string>{"through scatter_add"});
  expect_as_eval(b.program, n);
}

// Frames of a signal, scaled and put together again: the scaling is of the signal, and frames never lie in memory.
// By a number that only the call knows, too.
Builder frames(bool read_by_loop, bool by_input = false) {
  Builder b;
  const std::int64_t n = 9000, count = 128, length = 512;
  const ValueId x = b.input(f32({n})), at = b.input(Type{int32, {count, 1}, false, {}}), zeros = b.input(f32({n}));
  const ValueId rows = b.add(ops::gather, ops::Gather{{{1}, {}, {0}, {}, {}}, {length}, GatherMode::clip}, {x, at});
  Atom factor(Scalar(2.f), false);
  if (by_input) factor = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{count, length}, {}}, {b.input(f32({}))});
  const ValueId scaled = b.add(ops::tanh, {b.add(ops::mul, {rows, factor})});
  b.output(b.add(ops::scatter_add, ops::Scatter{{{1}, {}, {0}, {}, {}}, GatherMode::clip}, {zeros, at, scaled}));
  if (read_by_loop) b.output(b.add(ops::neg, {scaled}));
  return b;
}
TEST(ScatterGathers, WorkBeforeThem) {
  const Builder b = frames(false);
  EXPECT_EQ(calls_of_plan(b.program), std::vector<std::string>{"through scatter_add"});
  const compile::Plan plan = compile::compile(on_one_device(b.program), {});
  EXPECT_LE(plan.slab_bytes, 2 * 9000 * 4) << plan.str();  // frames would be seven times the signal
  expect_as_eval(b.program, 9000, 1e-5);
  EXPECT_EQ(calls_of_plan(frames(false, true).program), std::vector<std::string>{"through scatter_add"});
  verify(compile::before_gathers(frames(false, true).program));
  expect_as_eval(frames(false, true).program, 9000, 1e-5);
  EXPECT_EQ(str(compile::before_gathers(frames(true).program)),
            str(frames(true).program));  // a loop goes on from there
  expect_as_eval(frames(true).program, 9000, 1e-5);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
