// Loops and branches: the engine against eval, one thread against several, donated operands against kept ones.
#include <gtest/gtest.h>

#include <stdexcept>

#include "backend/cpu/loop_rows.hpp"
#include "backend/cpu/window_moves.hpp"
#include "backend/loop_programs.hpp"
#include "compile/passes.hpp"
#include "ops/movement/scatter.hpp"
#include "run/pool.hpp"

namespace tutti::test {
namespace {

using Buffers = std::vector<BufferPtr>;

// Programs have types of 64 bits.
struct loops : ::testing::Test {
  loops() : before(x64_enabled()) { enable_x64(true); }
  ~loops() override { enable_x64(before); }
  bool before;
};

Buffers copies(const Buffers& from) {
  Buffers out;
  for (const BufferPtr& x : from) {
    out.push_back(allocate_buffer(x->bytes()));
    std::memcpy(on_host(out.back()).data(), on_host(x).data(), x->bytes());
  }
  return out;
}

// The engine's results equal eval's, however it is run.
void expect_meaning(const Program& p, unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + str(p));
  verify(p);
  std::mt19937 random(seed);
  Buffers inputs;
  for (const Type& t : p.input_types()) inputs.push_back(random_buffer(t, -2, 2, random));
  const Buffers want = backend("reference").compile(on_one_device(p))->run(inputs);
  const LocalProgram local = on_one_device(p);
  const std::vector<bool> all(inputs.size(), true);
  compile::verify(compile::compile(local, all));
  auto exe = backend("cpu").compile(local, all);
  auto expect = [&](const Buffers& got, const char* how) {
    for (std::size_t k = 0; k < want.size(); ++k) {
      const std::string d = difference(p.type(p.outputs[k]), on_host(got[k]).data(), on_host(want[k]).data(), 0);
      EXPECT_EQ(d, "") << how << ", output " << k;
    }
  };
  set_num_threads(1);
  const Buffers before = copies(inputs);
  expect(exe->run(inputs), "one thread");
  for (std::size_t k = 0; k < inputs.size(); ++k)
    EXPECT_EQ(std::memcmp(on_host(before[k]).data(), on_host(inputs[k]).data(), inputs[k]->bytes()), 0)
        << "input " << k;
  set_num_threads(3);
  expect(exe->run(inputs), "three threads");
  Buffers given = copies(inputs);
  const std::unique_ptr<bool[]> flags(new bool[inputs.size() + 1]);
  std::fill_n(flags.get(), inputs.size(), true);
  expect(exe->run(given, std::span(flags.get(), inputs.size())), "donated");
  set_num_threads(default_num_threads());
  if (::testing::Test::HasFailure()) ADD_FAILURE() << exe->text();
}

void run_many(int rounds, int columns, int depth) {
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    const unsigned seed =
        static_cast<unsigned>(round) + 1000u * static_cast<unsigned>(depth) + 100000u * static_cast<unsigned>(columns);
    expect_meaning(LoopMaker(seed, columns).program(depth), seed);
  }
}

// A step reads or writes windows: of an array that stays, or that the steps hand on. Where they are, and what is
// written, is another thing in each step. Returns how many of them stand in the function of the loop.
int steps_with_windows(const Op& op, const Params& params, const std::vector<Type>& operands) {
  const bool reads = op.window == Op::Window::read || op.window == Op::Window::read_box;
  Builder b, body;
  std::vector<Atom> given, inside;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Type type = operands[i];
    inside.emplace_back(body.input(type));
    if (i > 0) type.shape.insert(0, 7);
    given.emplace_back(b.input(type));
  }
  body.output(body.add(op, params, inside));
  const ops::Scan scan{.length = 7, .consts = reads, .carries = !reads, .reverse = op.window == Op::Window::write};
  b.output(b.adds(ops::scan, scan, given, {std::make_shared<Program>(body.program)})[0]);
  expect_meaning(b.program, 1);
  int out = 0;
  for (const compile::Step& step : compile::compile(on_one_device(b.program), {}).steps)
    if (const auto* r = std::get_if<compile::Repeat>(&step.what))
      for (const compile::Step& inner : r->body->steps)
        if (const auto* call = std::get_if<compile::CallEqn>(&inner.what)) out += cpu::window_moves(*call).has_value();
  return out;
}

}  // namespace

// Where rows do not need each other all steps of some run before those of the next.
TEST_F(loops, by_rows) {
  static const int rows[] = {64, 100, 256, 1000, 2049};
  int found = 0;
  for (int round = 0; round < 120 && !::testing::Test::HasFailure(); ++round) {
    const auto seed = static_cast<unsigned>(round + 7000000);
    const Program p = LoopMaker(seed, 1, rows[round % 5]).program(1);
    expect_meaning(p, seed);
    for (const compile::Step& step : compile::compile(on_one_device(p), {}).steps)
      if (const auto* r = std::get_if<compile::Repeat>(&step.what)) found += cpu::rows_of(*r).has_value();
  }
  EXPECT_GT(found, 60);
}

TEST_F(loops, windows) {
  int in_functions = 0;
  for (const Op* op : all_ops()) {
    if (op->window == Op::Window::none || op->window == Op::Window::add || HasFailure()) continue;
    for (const Sample& s : op->samples) in_functions += steps_with_windows(*op, s.params, s.operands);
  }
  EXPECT_GT(in_functions, 20);
}

// Of sums the place of one window is changed in the function; windows that may meet are summed elsewhere.
TEST_F(loops, sums_of_windows) {
  using lax::GatherMode;
  for (DType d : {float32, float64, int32, uint8}) {
    const Type x{d, {4, 3}, false, {}}, row{d, {3}, false, {}}, at{int32, {1}, false, {}};
    for (GatherMode mode : {GatherMode::fill, GatherMode::clip})
      EXPECT_EQ(steps_with_windows(ops::scatter_add, ops::Scatter{{{0}, {0}, {0}, {}, {}}, mode}, {x, at, row}), 1);
  }
  const Type x = f32({4, 3}), at{int32, {1, 1}, false, {}};
  steps_with_windows(ops::scatter_add, ops::Scatter{{{1}, {0}, {0}, {}, {}}, GatherMode::fill}, {x, at, f32({1, 3})});
}

TEST_F(loops, small_ones) { run_many(150, 20, 1); }
// A callback, say, that fails in the middle of a loop.
TEST_F(loops, an_exception_ends_the_loop_and_nothing_else) {
  static int calls = 0;
  static const Op fails = [] {
    Op op;
    op.name = "fails";
    op.infer = [](const Call& c) { return c.operands; };
    op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
      if (++calls % 5 == 0) throw std::runtime_error("the fifth time");
      std::memcpy(out[0].data, in[0].data, static_cast<std::size_t>(in[0].type.nbytes()));
    };
    return op;
  }();
  Builder body;
  const ValueId x = body.input(f32({300000}));
  body.output(body.add(ops::tanh, {body.add(fails, {body.add(ops::add, {x, x})})}));
  Builder b;
  const ValueId start = b.input(f32({300000}));
  const auto sub = std::make_shared<Program>(body.program);
  b.output(b.adds(ops::scan, ops::Scan{.length = 7, .carries = 1}, {start}, {sub})[0]);
  auto exe = backend("cpu").compile(on_one_device(b.program));
  std::mt19937 random(1);
  const Buffers in{random_buffer(f32({300000}), -1, 1, random)};
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(exe->run(in), std::runtime_error);
    EXPECT_EQ(calls % 5, 0);
    expect_meaning(LoopMaker(1, 20).program(2), 1);
  }
}

TEST_F(loops, a_million_steps) {
  const Type count{int32, {}, false, {}};
  Builder body, condition;
  const ValueId k = body.input(count), x = body.input(f32({40}));
  body.output(body.add(ops::add, {k, Atom(Scalar(1).to(int32), false)}));
  body.output(body.add(ops::tanh, {x}));
  const ValueId test = condition.input(count);
  condition.input(f32({40}));
  condition.output(condition.add(ops::lt, {test, Atom(Scalar(1000000).to(int32), false)}));
  Builder b;
  const ValueId start = b.input(f32({40}));
  const std::vector<ProgramPtr> subs{std::make_shared<Program>(condition.program),
                                     std::make_shared<Program>(body.program)};
  for (ValueId v : b.adds(ops::while_loop, ops::While{}, {Atom(Scalar(0).to(int32), false), start}, subs)) b.output(v);
  auto exe = backend("cpu").compile(on_one_device(b.program));
  EXPECT_LT(exe->stats().peak_bytes, 4096u);
  std::mt19937 random(1);
  EXPECT_EQ(*static_cast<std::int32_t*>(on_host(exe->run(Buffers{random_buffer(f32({40}), -1, 1, random)})[0]).data()),
            1000000);
}

TEST_F(loops, nested) { run_many(150, 12, 3); }
TEST_F(loops, middle) { run_many(25, 3000, 2); }
TEST_F(loops, large) { run_many(6, 150000, 2); }

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
