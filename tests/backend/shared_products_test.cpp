// Products whose operands are packed once for all threads: values beside the reference, and the same bits with any
// number of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "backend/programs.hpp"
#include "ops/contraction/dot_general.hpp"
#include "run/timeline.hpp"

namespace tutti::test {
namespace {

struct Sizes {
  std::int64_t batch, m, n, k;
};

Builder product(DType dtype, const Sizes& s, bool turn_x, bool turn_y) {
  const auto shape = [&](std::int64_t rows, std::int64_t columns) {
    return s.batch ? Shape{s.batch, rows, columns} : Shape{rows, columns};
  };
  Builder b;
  const Atom x = b.input(Type{dtype, turn_x ? shape(s.k, s.m) : shape(s.m, s.k), false, {}}),
             y = b.input(Type{dtype, turn_y ? shape(s.n, s.k) : shape(s.k, s.n), false, {}});
  ops::DotGeneral d;
  const std::int64_t first = s.batch ? 1 : 0;
  if (s.batch) d.dims.lhs_batch = d.dims.rhs_batch = {0};
  d.dims.lhs_contract = {turn_x ? first : first + 1};
  d.dims.rhs_contract = {turn_y ? first + 1 : first};
  b.output(b.add(ops::dot_general, Params(d), {x, y}));
  return b;
}

// Blocks of the inner dimension: one, several, slices of it; tiles that end anywhere; batches.
const std::vector<Sizes> kSizes{{0, 200, 300, 192},  {0, 333, 257, 512}, {0, 193, 400, 1100}, {0, 500, 290, 513},
                                {0, 200, 210, 3000}, {3, 210, 260, 300}, {70, 192, 200, 193}};

class SharedProducts : public testing::TestWithParam<DType> {};

}  // namespace

TEST_P(SharedProducts, agree_and_keep_bits_with_any_number_of_threads) {
  std::mt19937 random(3);
  int order = 0;
  for (const Sizes& s : kSizes) {
    const bool turn_x = ++order & 1, turn_y = order & 2;
    SCOPED_TRACE(std::to_string(s.batch) + " times " + std::to_string(s.m) + " " + std::to_string(s.n) + " " +
                 std::to_string(s.k));
    const Builder b = product(GetParam(), s, turn_x, turn_y);
    std::vector<BufferPtr> in;
    for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -1, 1, random));
    const auto want = backend("reference").compile(on_one_device(b.program))->run(in);
    const auto executable = backend("cpu").compile(on_one_device(b.program));
    std::vector<BufferPtr> first;
    for (int threads : {1, 2, 3, 4, 5, 7, 16}) {
      set_num_threads(threads);
      const auto got = executable->run(in);
      if (first.empty()) {
        first = got;
        // Of 16 bits, the result is rounded last: to half a unit of its last place, or to the other neighbour.
        const double sum = 1e-7 * static_cast<double>(s.k), last_place = GetParam() == bfloat16  ? 0x1p-8
                                                                         : GetParam() == float16 ? 0x1p-11
                                                                                                 : 0;
        EXPECT_EQ(difference(b.program.type(b.program.outputs[0]), on_host(got[0]).data(), on_host(want[0]).data(), 0,
                             1e-6 + 2 * last_place, GetParam() == float64 ? 1e-9 * sum : sum),
                  "");
      }
      const std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(s.batch, 1) * s.m * s.n) *
                                static_cast<std::size_t>(GetParam().size());
      EXPECT_EQ(std::memcmp(on_host(got[0]).data(), on_host(first[0]).data(), bytes), 0) << threads << " threads";
    }
    set_num_threads(default_num_threads());
  }
}
INSTANTIATE_TEST_SUITE_P(, SharedProducts, testing::Values(float32, float64, bfloat16, float16),
                         [](const auto& info) { return std::string(info.param.name()); });

// What keeps 64 cores busy: the longest task of a phase is a small part of the whole.
TEST(shared_products, are_cut_finely) {
  for (const Sizes& s : {Sizes{0, 2048, 2048, 2048}, Sizes{0, 1024, 4096, 512}, Sizes{0, 256, 256, 16384}}) {
    const Builder b = product(float32, s, false, false);
    std::vector<BufferPtr> in;
    std::mt19937 random(3);
    for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -1, 1, random));
    const auto executable = backend("cpu").compile(on_one_device(b.program));
    set_num_threads(64);
    run::Timeline timeline;
    executable->run(in);
    timeline.finish();
    set_num_threads(default_num_threads());
    std::size_t tasks = 0;
    for (const auto& span : timeline.spans()) tasks = std::max(tasks, span.tasks_ns.size());
    EXPECT_GE(tasks, 64u) << s.m << " " << s.n << " " << s.k;
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
