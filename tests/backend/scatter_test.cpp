// Scatters that are large enough for tables and for blocks of places: the engine against eval.
#include <gtest/gtest.h>

#include <limits>

#include "backend/programs.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/scatter.hpp"

namespace tutti::test {
namespace {

using lax::GatherMode;
using lax::ScatterKind;

const lax::ScatterDims elements = {{}, {0}, {0}, {}, {}}, rows = {{1}, {0}, {0}, {}, {}},
                       windows = {{1}, {}, {0}, {}, {}};

struct Scattered {
  const char* what;
  lax::ScatterDims dims;
  Shape x, updates;
  std::int64_t frame = 0, hop = 0;  // not 0: the places count, frame by frame, and not all are inside
};
// Few places; more than a block of them, each once or often; rows that begin in one block and end in the next; windows
// that overlap, many and few.
const std::vector<Scattered> kCases = {
    {"few places", elements, {1000}, {200'000}},
    {"many places", elements, {300'000}, {100'000}},
    {"rows", rows, {700, 100}, {5000, 100}},
    {"windows", windows, {50'000}, {9000, 7}},
    {"few windows", windows, {50'000}, {120, 7}},
    {"far rows", rows, {9000, 33}, {100, 33}},
    {"rows to few places", rows, {40, 50}, {30'000, 50}},
    {"far elements", elements, {100'000}, {3000}},
    {"rows of a few updates", rows, {900, 48}, {1500, 48}},
    {"no updates", rows, {300, 40}, {0, 40}},
    {"frames", elements, {16'896}, {65'536}, 512, 128},
    {"frames of many blocks", elements, {60'000}, {100'000}, 250, 150},
    {"frames past the end", elements, {3000}, {4000}, 100, 90},
    {"windows that cover all", windows, {9000}, {400, 300}},
};
// users-3, 6: a scatter-add of overlapping frames.
void count_places(const Scattered& s, const BufferPtr& indices) {
  auto* at = static_cast<std::int32_t*>(on_host(indices).data());
  for (std::int64_t i = 0; i < s.updates[0]; ++i)
    at[i] = static_cast<std::int32_t>(i / s.frame * s.hop + i % s.frame + (i % 1000 == 999 ? 100'000 : -3));
}

// `start`: what all elements are before; nothing: an operand says.
void compare(const Scattered& s, ScatterKind kind, DType dtype, std::optional<Scalar> start = {}) {
  SCOPED_TRACE(std::string(s.what) + " " + std::string(dtype.name()) + " " + std::to_string(static_cast<int>(kind)));
  Builder b;
  std::mt19937 random(7);
  std::vector<BufferPtr> inputs;
  auto input = [&](const Type& t, double lo, double hi) {
    inputs.push_back(random_buffer(t, lo, hi, random));
    return Atom(b.input(t));
  };
  const Type x{dtype, s.x, false, {}};
  const Atom to =
      start ? Atom(b.add(ops::broadcast_in_dim, ops::BroadcastInDim{s.x, {}}, {Atom(*start, false)})) : input(x, -3, 3);
  const Atom at = input(Type{int32, {s.updates[0], 1}, false, {}}, -2, static_cast<double>(s.x[0]) + 2);
  if (s.frame) count_places(s, inputs.back());
  const Atom updates = input(Type{dtype, s.updates, false, {}}, -3, 3);
  b.output(b.add(ops::scatter_op(kind), ops::Scatter{s.dims, GatherMode::fill}, {to, at, updates}));
  const auto want = backend("reference").compile(on_one_device(b.program))->run(inputs);
  const auto exe = backend("cpu").compile(on_one_device(b.program));
  EXPECT_EQ(exe->stats().fallbacks, 0);
  EXPECT_EQ(exe->text().find("spread") != std::string::npos, start.has_value()) << exe->text();
  const auto got = exe->run(inputs);
  // Sums of tables are associated in another way, in float64.
  const bool sums = dtype.is_inexact() && kind == ScatterKind::add;
  EXPECT_EQ(difference(x, on_host(got[0]).data(), on_host(want[0]).data(), sums ? 1 : 0, 0,
                       sums && dtype == float64 ? 1e-11 : 0),
            "");
}

TEST(scatter, agrees_with_eval) {
  for (const Scattered& s : kCases)
    for (DType dtype : {float32, bfloat16, int32, int8, bool_})
      for (ScatterKind kind :
           {ScatterKind::set, ScatterKind::add, ScatterKind::mul, ScatterKind::min, ScatterKind::max})
        compare(s, kind, dtype);
}

TEST(scatter, agrees_with_eval_of_wide_and_complex_numbers) {
  for (const Scattered& s : kCases) {
    for (DType dtype : {float64, int64})
      for (ScatterKind kind : {ScatterKind::set, ScatterKind::add, ScatterKind::max}) compare(s, kind, dtype);
    for (ScatterKind kind : {ScatterKind::set, ScatterKind::add}) compare(s, kind, complex64);
  }
}

// What is one number before has no memory of its own, and nobody fills it.
TEST(scatter, begins_with_one_number) {
  for (const Scattered& s : kCases)
    for (ScatterKind kind : {ScatterKind::set, ScatterKind::add, ScatterKind::max})
      compare(s, kind, float32, Scalar(1.5).to(float32));
}
// Results that are larger than the caches, of which little is touched: whole lines of them, and parts.
TEST(scatter, fills_what_no_update_touches) {
  const Scattered parts{"parts of lines", rows, {50'000, 190}, {300, 190}},
      lines{"lines", rows, {131'500, 64}, {900, 64}};
  for (const Scattered& large : {parts, lines})
    for (ScatterKind kind : {ScatterKind::set, ScatterKind::add})
      for (double start : {-0.0, 2.5}) compare(large, kind, float32, Scalar(start).to(float32));
}

// NaN, infinities and signed zeros, many times each: as eval does them one after the other.
TEST(scatter, extrema_of_special_values) {
  const float values[] = {0.f,
                          -0.f,
                          1.f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  for (std::int64_t places : {500, 60'000})
    for (ScatterKind kind : {ScatterKind::min, ScatterKind::max}) {
      Builder b;
      std::mt19937 random(9);
      const Type x = f32({places}), u = f32({200'000}), i{int32, {200'000, 1}, false, {}};
      std::vector<BufferPtr> inputs = {random_buffer(x, -1, 1, random), random_buffer(i, 0, places - 1.0, random),
                                       random_buffer(u, -1, 1, random)};
      auto* updates = static_cast<float*>(on_host(inputs[2]).data());
      const auto* at = static_cast<const std::int32_t*>(on_host(inputs[1]).data());
      // The values of each place are few, so that ties and lone NaNs are met.
      for (std::int64_t k = 0; k < 200'000; ++k) updates[k] = values[(random() % 2 + static_cast<unsigned>(at[k])) % 6];
      const Atom operands[] = {b.input(x), b.input(i), b.input(u)};
      b.output(b.add(ops::scatter_op(kind), ops::Scatter{elements, GatherMode::fill},
                     {operands[0], operands[1], operands[2]}));
      const auto want = backend("reference").compile(on_one_device(b.program))->run(inputs);
      const auto got = backend("cpu").compile(on_one_device(b.program))->run(inputs);
      EXPECT_EQ(std::memcmp(on_host(got[0]).data(), on_host(want[0]).data(), static_cast<std::size_t>(x.nbytes())), 0);
    }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
