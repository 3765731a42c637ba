// Loops that are large enough for tiles, for several vectors side by side and for stores past the cache: the engine
// against eval, to the bit.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"
#include "run/pool.hpp"

namespace tutti::test {
namespace {

Atom repeated(Builder& b, Atom x, const Atom& scale, int times) {
  for (int i = 0; i < times; ++i)
    x = b.add(ops::tanh, {b.add(ops::add, {b.add(ops::mul, {x, scale}), b.add(ops::sin, {x})})});
  return x;
}

void compare(const Builder& b, const std::vector<BufferPtr>& inputs, const std::vector<bool>& donated) {
  auto want = backend("reference").compile(on_one_device(b.program))->run(inputs);
  auto exe = backend("cpu").compile(on_one_device(b.program), donated);
  std::vector<BufferPtr> given;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    given.push_back(allocate_buffer(inputs[k]->num_bytes));
    std::memcpy(on_host(given[k]).data(), on_host(inputs[k]).data(), inputs[k]->num_bytes);
  }
  const std::unique_ptr<bool[]> flags(new bool[inputs.size()]);
  for (std::size_t k = 0; k < inputs.size(); ++k) flags[k] = k < donated.size() && donated[k];
  auto got = exe->run(given, std::span<const bool>(flags.get(), inputs.size()));
  for (std::size_t r = 0; r < got.size(); ++r) {
    const Type t = b.program.type(b.program.outputs[r]);
    EXPECT_EQ(difference(t, on_host(got[r]).data(), on_host(want[r]).data(), 0, 0, 0), "")
        << "result " << r << ": " << t.str();
  }
}

// Sizes with whole vectors, with a rest, and with rows that do not begin in a line.
TEST(large_loops, chains_agree_to_the_bit) {
  std::mt19937 random(3);
  for (const Shape& shape : {Shape{2'200'007}, Shape{1100, 2003}, Shape{512, 4352}})
    for (bool donate : {false, true}) {
      if (donate && shape.ndim() > 1) continue;
      SCOPED_TRACE(shape.str() + (donate ? " donated" : ""));
      Builder b;
      const Type t{float32, shape, false, {}};
      const Atom x = b.input(t), s = b.input(Type{float32, {}, false, {}});
      const Atom y = repeated(b, x, s, 3);
      b.output(y);
      b.output(b.add(ops::select,
                     {b.add(ops::lt, {x, y}), x, repeated(b, y, s, 1)}));  // x and a comparison live over the cuts
      compare(b, {random_buffer(t, -2, 2, random), random_buffer(Type{float32, {}, false, {}}, 0.5, 1.5, random)},
              {donate, false});
    }
}

// Sums over rows take several rows at a column: whole groups of them, and a rest; columns with a rest.
TEST(large_loops, sums_over_rows_agree_to_the_bit) {
  std::mt19937 random(7);
  for (const Shape& shape : {Shape{803, 701}, Shape{9000, 65}, Shape{60, 16'384}}) {
    SCOPED_TRACE(shape.str());
    Builder b;
    const Type t{float32, shape, false, {}};
    const Atom x = b.input(t), y = b.input(Type{float32, {shape[1]}, false, {}});
    const Atom all = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{shape, {1}}, {y});
    const Atom off = b.add(ops::sub, {x, all});
    b.output(b.add(ops::reduce_max, ops::Reduction{{0}}, {x}));
    b.output(b.add(ops::reduce_min, ops::Reduction{{0}}, {b.add(ops::mul, {off, off})}));
    b.output(off);
    compare(b, {random_buffer(t, -2, 2, random), random_buffer(Type{float32, {shape[1]}, false, {}}, -1, 1, random)},
            {false, false});
  }
}

// Bytes fill vectors of 64.
TEST(large_loops, bytes_agree_to_the_bit) {
  std::mt19937 random(8);
  for (DType dtype : {int8, uint8})
    for (const Shape& shape : {Shape{130, 1022}, Shape{1 << 20}, Shape{700, 129}}) {
      SCOPED_TRACE(shape.str());
      Builder b;
      const Type t{dtype, shape, false, {}}, row{dtype, {shape.back()}, false, {}};
      const Atom x = b.input(t), y = b.input(t), z = b.input(row);
      const Atom some = b.add(ops::lt, {x, y}), one = Atom(Scalar(1).to(dtype), false);
      const Atom all = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{shape, {shape.ndim() - 1}}, {z});
      const Atom sum = b.add(ops::add, {b.add(ops::mul, {x, y}), all});
      b.output(b.add(ops::select, {some, sum, b.add(ops::max, {b.add(ops::sub, {x, one}), y})}));
      b.output(b.add(ops::eq, {sum, one}));
      compare(b, {random_buffer(t, -9, 9, random), random_buffer(t, -9, 9, random), random_buffer(row, -9, 9, random)},
              {false, false, false});
    }
}

// A value that is put together of several boxes is there as a whole, though its last box and those who read it run a
// few rows at a time.
TEST(large_loops, borders_are_there_for_those_who_read_row_by_row) {
  std::mt19937 random(5);
  Builder b;
  const Type t{float32, {512, 56, 56}, false, {}};
  const Atom x = b.input(t);
  const Atom padded = b.add(ops::pad, ops::Pad{{{0, 0, 0}, {1, 1, 0}, {1, 1, 0}}}, {x, Atom(Scalar(2.0f), false)});
  std::vector<Atom> views;
  for (std::int64_t i : {0, 1, 2})
    for (std::int64_t k : {0, 1, 2}) {
      const Atom view = b.add(ops::slice, ops::SliceParams{{0, i, k}, {512, i + 56, k + 56}, {1, 1, 1}}, {padded});
      views.push_back(b.add(ops::reshape, ops::Reshape{{512, 56 * 56}}, {view}));
    }
  b.output(b.add(ops::concatenate, ops::Concatenate{0}, views));
  compare(b, {random_buffer(t, -2, 2, random)}, {false});
}

TEST(large_loops, integers_and_doubles_agree_to_the_bit) {
  std::mt19937 random(4);
  for (DType d : {int32, uint32, float64, bfloat16}) {
    SCOPED_TRACE(std::string(d.name()));
    Builder b;
    const Type t{d, {1'300'021}, false, {}};
    const Atom x = b.input(t), y = b.input(t);
    Atom u = x, v = y;
    for (int i = 0; i < 30; ++i) {
      const Atom sum = b.add(ops::add, {u, v});
      v = b.add(i % 3 ? ops::mul : ops::max, {sum, u});
      u = sum;
    }
    b.output(u);
    b.output(v);
    compare(b, {random_buffer(t, -2, 2, random), random_buffer(t, -2, 2, random)}, {});
  }
}

TEST(large_loops, transpositions_agree_to_the_bit) {
  std::mt19937 random(8);
  for (const Shape& shape : {Shape{2048, 1104}, Shape{1001, 2203}, Shape{3, 1024, 800}}) {
    SCOPED_TRACE(shape.str());
    Builder b;
    const Type t = f32(shape);
    const Atom x = b.input(t),
               turned = b.add(ops::transpose,
                              Params(ops::Transpose{shape.ndim() == 2 ? lax::Dims{1, 0} : lax::Dims{0, 2, 1}}), {x});
    b.output(turned);
    b.output(b.add(ops::add, {turned, turned}));
    compare(b, {random_buffer(t, -2, 2, random)}, {});
  }
}

// Loops over the same rows run a few rows at a time; what they hand on may also be a result, and a donated input may
// lie under one.
TEST(large_loops, rows_together_agree) {
  std::mt19937 random(6);
  for (const Shape& shape : {Shape{1003, 1500}, Shape{4096, 512}, Shape{40, 33000}})
    for (bool donate : {false, true}) {
      SCOPED_TRACE(shape.str() + (donate ? " donated" : ""));
      Builder b;
      const Type t = f32(shape);
      const Atom x = b.input(t);
      auto wide = [&](const Atom& v) {
        return b.add(ops::broadcast_in_dim, Params(ops::BroadcastInDim{shape, {0}}), {v});
      };
      auto along = [&](const Op& op, const Atom& v) { return b.add(op, Params(ops::Reduction{{1}}), {v}); };
      const Atom e = b.add(ops::exp, {b.add(ops::sub, {x, wide(along(ops::reduce_max, x))})});
      const Atom y = b.add(ops::div, {e, wide(along(ops::reduce_sum, e))});
      const Atom turned = b.add(ops::transpose, Params(ops::Transpose{{1, 0}}), {y});
      b.output(y);
      b.output(b.add(ops::mul, {turned, b.add(ops::transpose, Params(ops::Transpose{{1, 0}}), {e})}));
      const std::vector<BufferPtr> in{random_buffer(t, -3, 3, random)};
      auto want = backend("reference").compile(on_one_device(b.program))->run(in);
      auto exe = backend("cpu").compile(on_one_device(b.program), {donate});
      EXPECT_NE(exe->text().find(" rows"), std::string::npos);
      std::vector<BufferPtr> first;
      for (int threads : {1, 2, 3, 7, 16}) {
        set_num_threads(threads);
        std::vector<BufferPtr> given{allocate_buffer(in[0]->num_bytes)};
        std::memcpy(on_host(given[0]).data(), on_host(in[0]).data(), in[0]->num_bytes);
        const bool flags[] = {donate};
        auto got = exe->run(given, flags);
        if (first.empty()) first = got;
        for (std::size_t r = 0; r < got.size(); ++r) {
          const Type result = b.program.type(b.program.outputs[r]);
          EXPECT_EQ(difference(result, on_host(got[r]).data(), on_host(want[r]).data(), 0, 1e-5, 1e-12), "")
              << "result " << r;
          EXPECT_EQ(difference(result, on_host(got[r]).data(), on_host(first[r]).data(), 0), "")
              << "depends on the number of threads";
        }
      }
      set_num_threads(default_num_threads());
    }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
