// Whose memory results take.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/dynamic_slice.hpp"

namespace tutti::test {
namespace {

using Kind = compile::Storage::Kind;

// x with boxes of one row written into it, one after the other.
Builder updates(int n) {
  Builder b;
  Atom x = b.input(f32({64, 64}));
  const Atom row = b.input(f32({1, 64})), zero = b.input(Type{int32, {}, false, {}});
  for (int i = 0; i < n; ++i) x = b.add(ops::dynamic_update_slice, {x, row, zero, zero});
  b.output(x);
  return b;
}

}  // namespace

TEST(memory, an_update_of_a_donated_array_is_in_place) {
  for (int n : {1, 2, 5}) {
    const Builder b = updates(n);
    const compile::Plan plan = compile::compile(on_one_device(b.program), {true, false, false});
    EXPECT_EQ(plan.slab_bytes, 0) << n;
    for (const compile::Storage& s : plan.storages)
      if (s.kind == Kind::output) {
        EXPECT_EQ(s.takes, plan.inputs[0]) << plan.str();
      }
  }
}

TEST(memory, updates_of_temporaries_share_their_memory) {
  Builder b;
  const Atom x = b.input(f32({64, 64})), row = b.input(f32({1, 64})), zero = b.input(Type{int32, {}, false, {}});
  Atom y = b.add(ops::sin, {x});
  for (int i = 0; i < 6; ++i) y = b.add(ops::dynamic_update_slice, {y, row, zero, zero});
  b.output(b.add(ops::dot_general,
                 [] {
                   ops::DotGeneral d;
                   d.dims.lhs_contract = {1};
                   d.dims.rhs_contract = {0};
                   return Params(d);
                 }(),
                 {y, x}));
  EXPECT_EQ(compile::compile(on_one_device(b.program), {}).slab_bytes, 64 * 64 * 4);
}

TEST(memory, chains_of_updates_mean_what_they_say) {
  for (int n : {1, 2, 5}) {
    const Builder b = updates(n);
    std::mt19937 random(1);
    std::vector<BufferPtr> in;
    for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -2, 2, random));
    const auto want = backend("reference").compile(on_one_device(b.program))->run(in);
    const auto plan = backend("cpu").compile(on_one_device(b.program), {true, false, false});
    const std::vector<char> before(static_cast<char*>(on_host(in[0]).data()),
                                   static_cast<char*>(on_host(in[0]).data()) + 64 * 64 * 4);
    const auto kept = plan->run(in);  // not donated after all
    EXPECT_EQ(std::memcmp(before.data(), on_host(in[0]).data(), before.size()), 0);
    EXPECT_EQ(std::memcmp(on_host(kept[0]).data(), on_host(want[0]).data(), before.size()), 0);
  }
}

// Each output takes a donated input of its size while there is one.
TEST(memory, many_outputs_take_many_inputs) {
  Builder b;
  std::vector<Atom> in;
  for (int i = 0; i < 40; ++i) in.push_back(b.input(f32({i % 2 ? 64 : 128})));
  for (int i = 0; i < 40; ++i) b.output(b.add(ops::sin, {in[i]}));
  const compile::Plan plan = compile::compile(on_one_device(b.program), std::vector<bool>(40, true));
  std::vector<int> taken;
  for (const compile::Storage& s : plan.storages)
    if (s.kind == Kind::output) taken.push_back(s.takes);
  std::sort(taken.begin(), taken.end());
  EXPECT_EQ(taken, plan.inputs);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
