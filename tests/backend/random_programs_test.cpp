// Random programs of elementwise ops, views, reductions and products: the engine against eval, one thread against
// several.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/rev.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"
#include "run/pool.hpp"

namespace tutti::test {
namespace {

struct Maker {
  std::mt19937& random;
  bool sums;  // whether ops may appear whose order of adding differs from eval's
  bool large;
  Builder b;
  std::vector<ValueId> pool;

  int pick(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  ValueId any() { return pool[pool.size() - 1 - pick(std::min<int>(static_cast<int>(pool.size()), 12))]; }
  ValueId floating() {
    for (int i = 0; i < 40; ++i)
      if (ValueId v = any(); b.program.type(v).dtype == float32) return v;
    return pool[0];
  }
  ValueId like(ValueId x) {  // another value of x's type, else x's mirror
    for (int i = 0; i < 20; ++i)
      if (ValueId v = any(); b.program.type(v).dtype == b.program.type(x).dtype && b.shape(v) == b.shape(x)) return v;
    return x;
  }
  std::vector<std::int64_t> permutation(int n) {
    std::vector<std::int64_t> p(n);
    for (int i = 0; i < n; ++i) p[i] = i;
    std::shuffle(p.begin(), p.end(), random);
    return p;
  }

  Program make(int steps) {
    const Shape base =
        large ? Shape{pick(3) + 1, 70 + pick(200), 100 + pick(400)} : Shape{pick(4) + 1, pick(5) + 1, pick(20) + 1};
    pool.push_back(b.input(f32(base)));
    pool.push_back(b.input(f32(base)));
    pool.push_back(b.input(f32({base[2]})));
    for (int i = 0; i < steps; ++i)
      if (ValueId v = step(); v >= 0 && b.shape(v).num_elements() <= (large ? 400000 : 4000)) pool.push_back(v);
    for (int i = 0; i < 3; ++i)
      b.output(pool[pool.size() - 1 - static_cast<std::size_t>(pick(std::min<int>(5, static_cast<int>(pool.size()))))]);
    return without_dead_code(b.program);
  }

  ValueId step() {
    const ValueId x = floating();
    const Shape s = b.shape(x);
    switch (pick(sums ? 21 : 18)) {
      case 0: return b.add(ops::add, {x, like(x)});
      case 1: return b.add(ops::mul, {x, like(x)});
      case 2: return b.add(ops::max, {x, like(x)});
      case 3: return b.add(ops::tanh, {x});
      case 4: return b.add(ops::sub, {like(x), x});
      case 5: return b.add(ops::select, {b.add(ops::lt, {x, like(x)}), x, like(x)});
      case 6:
        return s.ndim() == 0
                   ? -1
                   : b.add(ops::mul,
                           {x, b.add(ops::broadcast_in_dim, ops::BroadcastInDim{s, {}}, {Atom(Scalar(0.5f), false)})});
      case 7: {  // through a narrow type and back
        const DType d = pick(2) ? bfloat16 : float16;
        return b.add(ops::convert_element_type, ops::ConvertElementType{float32},
                     {b.add(ops::neg, {b.add(ops::convert_element_type, ops::ConvertElementType{d}, {x})})});
      }
      case 8: return b.add(ops::transpose, ops::Transpose{permutation(s.ndim())}, {x});
      case 9: {
        std::vector<std::int64_t> dims = s.dims();
        const auto order = permutation(s.ndim());
        std::vector<std::int64_t> shape;
        if (pick(2))
          shape = {s.num_elements()};
        else
          for (auto i : order) shape.push_back(dims[i]);
        return b.add(ops::reshape, ops::Reshape{shape}, {x});
      }
      case 10: {
        if (s.ndim() == 0) return -1;
        ops::SliceParams p;
        for (std::int64_t n : s) {
          p.start.push_back(pick(static_cast<int>(std::min<std::int64_t>(n, 3))));
          p.limit.push_back(n);
          p.strides.push_back(1 + pick(2));
        }
        return b.add(ops::slice, p, {x});
      }
      case 11: {
        if (s.num_elements() > 3000 && !large) return -1;
        Shape out = s;
        const int at = pick(s.ndim() + 1);
        out.insert(at, 1 + pick(3));
        lax::Dims dims;
        for (int i = 0; i < s.ndim(); ++i) dims.push_back(i + (i >= at));
        return b.add(ops::broadcast_in_dim, ops::BroadcastInDim{out, dims}, {x});
      }
      case 12:
        return s.ndim() == 0 ? -1 : b.add(ops::add, {x, b.add(ops::iota, ops::Iota{float32, s, pick(s.ndim())}, {})});
      case 13: return s.ndim() == 0 ? -1 : b.add(ops::rev, ops::Rev{{pick(s.ndim())}}, {x});
      case 14: return s.ndim() == 0 ? -1 : b.add(ops::reduce_max, ops::Reduction{axes(s)}, {x});
      case 15: return s.ndim() == 0 ? -1 : b.add(ops::concatenate, ops::Concatenate{pick(s.ndim())}, {x, like(x), x});
      case 16: {
        if (s.ndim() == 0) return -1;
        const int dim = pick(s.ndim());
        return b.add(ops::roll, ops::Roll{dim, pick(static_cast<int>(s[dim]) + 1)}, {x});
      }
      case 17: {
        std::vector<lax::PadDim> config;
        for (int d = 0; d < s.ndim(); ++d) config.push_back({pick(3), pick(3), pick(8) ? 0 : 1});
        return b.add(ops::pad, ops::Pad{config}, {x, Atom(Scalar(0.5f), false)});
      }
      case 18:
      case 19:
        return s.ndim() == 0 ? -1
                             : b.add(ops::reduce_sum, ops::Reduction{axes(s)},
                                     {b.add(ops::mul, {x, Atom(Scalar(0.125f), false)})});
      default: {
        if (s.ndim() < 2 || s.num_elements() > 60000) return -1;
        const ValueId y = b.add(ops::transpose, ops::Transpose{permutation(s.ndim())}, {x});
        const int i = pick(s.ndim());
        for (int j = 0; j < s.ndim(); ++j)
          if (b.shape(y)[j] == s[i] && s.num_elements() / s[i] < 300)
            return b.add(ops::tanh, {b.add(ops::dot_general, ops::DotGeneral{{{i}, {j}, {}, {}}, {}}, {x, y})});
        return -1;
      }
    }
  }
  std::vector<int> axes(const Shape& s) {
    std::vector<int> out;
    for (int i = 0; i < s.ndim(); ++i)
      if (pick(2)) out.push_back(i);
    if (out.empty()) out.push_back(pick(s.ndim()));
    return out;
  }
};

void compare(bool sums, bool large, int rounds, int steps) {
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(1000 * sums + 10000 * large + round);
    Maker m{random, sums, large, {}, {}};
    const Program p = m.make(steps);
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + str(p));
    std::vector<BufferPtr> inputs;
    for (const Type& t : p.input_types()) inputs.push_back(random_buffer(t, -2, 2, random));
    const auto want = backend("reference").compile(on_one_device(p))->run(inputs);
    const std::vector<bool> all(inputs.size(), true);
    auto exe = backend("cpu").compile(on_one_device(p), all);
    set_num_threads(1);
    const auto one = exe->run(inputs);
    set_num_threads(3);
    const auto several = exe->run(inputs);
    // Donated copies: the same bits, whatever memory is reused.
    std::vector<BufferPtr> copies;
    for (const BufferPtr& x : inputs) {
      copies.push_back(allocate_buffer(x->bytes()));
      std::memcpy(on_host(copies.back()).data(), on_host(x).data(), x->bytes());
    }
    const std::unique_ptr<bool[]> flags(new bool[inputs.size()]);
    std::fill_n(flags.get(), inputs.size(), true);
    const auto donated = exe->run(copies, std::span(flags.get(), inputs.size()));
    bool failed = false;
    for (std::size_t k = 0; k < want.size(); ++k) {
      const Type t = p.type(p.outputs[k]);
      const std::string d = difference(t, on_host(one[k]).data(), on_host(want[k]).data(), sums ? 64 : 0,
                                       sums ? 2e-5 : 0, sums ? 2e-4 : 0);
      EXPECT_EQ(d, "") << "output " << k;
      EXPECT_EQ(std::memcmp(on_host(one[k]).data(), on_host(several[k]).data(), one[k]->bytes()), 0)
          << "threads, output " << k;
      EXPECT_EQ(std::memcmp(on_host(one[k]).data(), on_host(donated[k]).data(), one[k]->bytes()), 0)
          << "donated, output " << k;
      failed |= ::testing::Test::HasFailure();
    }
    if (failed) {
      ADD_FAILURE() << exe->text();
      return;
    }
  }
  set_num_threads(default_num_threads());
}

}  // namespace

TEST(random_programs, exact_ones_agree_to_the_bit) { compare(false, false, 150, 25); }
TEST(random_programs, sums_and_products_agree) { compare(true, false, 150, 25); }
TEST(random_programs, large_exact) { compare(false, true, 8, 15); }
TEST(random_programs, large_sums) { compare(true, true, 8, 15); }

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
