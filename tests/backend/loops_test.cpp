// Loops and branches: the engine against eval, one thread against several, donated operands against kept ones.
#include <gtest/gtest.h>

#include "backend/loop_programs.hpp"
#include "compile/passes.hpp"
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
    std::memcpy(out.back()->data(), x->data(), x->bytes());
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
      const std::string d = difference(p.type(p.outputs[k]), got[k]->data(), want[k]->data(), 0);
      EXPECT_EQ(d, "") << how << ", output " << k;
    }
  };
  set_num_threads(1);
  const Buffers before = copies(inputs);
  expect(exe->run(inputs), "one thread");
  for (std::size_t k = 0; k < inputs.size(); ++k)
    EXPECT_EQ(std::memcmp(before[k]->data(), inputs[k]->data(), inputs[k]->bytes()), 0) << "input " << k;
  set_num_threads(3);
  expect(exe->run(inputs), "three threads");
  Buffers given = copies(inputs);
  const std::unique_ptr<bool[]> flags(new bool[inputs.size() + 1]);
  std::fill_n(flags.get(), inputs.size(), true);
  expect(exe->run(given, std::span(flags.get(), inputs.size())), "donated");
  set_num_threads(0);
  if (::testing::Test::HasFailure()) ADD_FAILURE() << exe->text();
}

void run_many(int rounds, int columns, int depth) {
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    const unsigned seed = static_cast<unsigned>(round + 1000 * depth + 100000 * columns);
    expect_meaning(LoopMaker(seed, columns).program(depth), seed);
  }
}

}  // namespace

TEST_F(loops, small_ones) { run_many(150, 20, 1); }
TEST_F(loops, nested) { run_many(150, 12, 3); }
TEST_F(loops, middle) { run_many(25, 3000, 2); }
TEST_F(loops, large) { run_many(6, 150000, 2); }

}  // namespace tutti::test
