// Kernels that are not of linear algebra give what eval gives: the same elements where they are moved, counted or
// integers; else numbers that differ by roundings.
#include "backend/cpu/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/hypergeometric.hpp"
#include "ops/fft/fft.hpp"
#include "ops/kernel_trials.hpp"
#include "ops/movement/pad.hpp"
#include "ops/reduction/bincount.hpp"
#include "ops/reduction/cumsum.hpp"
#include "ops/reduction/search.hpp"
#include "ops/reduction/sort.hpp"
#include "ops/reduction/true_positions.hpp"
#include "ops/sampled.hpp"

namespace tutti {
namespace {

using testing::Answers;
using testing::expect_near;
using testing::Trial;
using testing::typed;
using testing::Value;

// Judges what comes out of each trial.
template <class Judge> void for_each_trial(const Op& op, const std::vector<Trial>& trials, Judge judge) {
  std::mt19937_64 random(7);
  for (const Trial& t : trials) {
    std::string name = op.name + t.params.str();
    for (const Type& x : t.operands) name += " " + x.str();
    SCOPED_TRACE(name);
    judge(testing::answers(op, t, random));
  }
}

TEST(Kernels, SortMovesTheSameElements) {
  std::vector<Trial> trials;
  for (DType d : {float32, float64, bfloat16, float16, int8, uint8, int32, uint32, int64, bool_})
    for (std::int64_t n : {0, 1, 2, 7, 31, 64, 257, 3000, 70000})
      for (bool descending : {false, true}) {
        const std::int64_t rows = n > 300 ? 1 : n == 31 ? 0 : 5;
        trials.push_back({.params = ops::Sort{.dim = 1, .descending = descending}, .operands = {typed(d, {rows, n})}});
        trials.push_back({.params = ops::Sort{.dim = 0, .descending = descending, .positions = int32},
                          .operands = {typed(d, {n, 3})}});
        if (n > 0 && n < 300)
          for (std::int64_t keep : {1, 3, -2})
            trials.push_back(
                {.params = ops::Sort{.dim = 1, .keep = keep, .positions = int32}, .operands = {typed(d, {9, n})}});
        trials.push_back({.params = ops::Sort{.dim = 0, .num_keys = 2},
                          .operands = {typed(int8, {n}), typed(d, {n}), typed(float64, {n})}});
      }
  // Integers up to 8 in magnitude: many elements are equal, and stay in their order.
  for (Trial& t : trials) {
    t.lo = -8;
    t.hi = 8;
  }
  for_each_trial(ops::sort, trials, [](const Answers& a) { expect_same(a); });
}

TEST(Kernels, SearchFindsTheSamePlaces) {
  std::vector<Trial> trials;
  auto in_order = [](std::vector<Value>& in) {
    const std::int64_t n = in[0].type.shape.back();
    for (auto row = in[0].numbers.begin(); n > 0 && row != in[0].numbers.end(); row += n)
      std::sort(row, row + n, [](auto x, auto y) { return x.real() < y.real(); });
  };
  for (DType d : {float32, float64, bfloat16, int8, int32, uint32, int64})
    for (std::int64_t n : {0, 1, 15, 16, 17, 300, 5000})
      for (bool right : {false, true}) {
        trials.push_back({ops::Search{right, 0}, {typed(d, {n}), typed(d, {41})}, -40, 40, in_order});
        trials.push_back({ops::Search{right, 1}, {typed(d, {3, n}), typed(d, {3, 2, 7})}, -40, 40, in_order});
        trials.push_back({ops::Search{right, 0}, {typed(d, {n}), typed(d, {})}, -40, 40, in_order});
      }
  for_each_trial(ops::search, trials, [](const Answers& a) { expect_same(a); });
}

TEST(Kernels, CountsAndPlacesAreTheSame) {
  std::vector<Trial> counts, places;
  for (DType d : {int8, uint8, int32, uint32, int64})
    for (std::int64_t length : {0, 1, 5, 3000})
      for (std::int64_t n : {0, 1, 33, 200000})
        counts.push_back({ops::Bincount{length, int32, 1}, {typed(d, {3, n})}, -5, 120});
  for_each_trial(ops::bincount, counts, [](const Answers& a) { expect_same(a); });
  for (std::int64_t size : {0, 1, 9, 700000})
    for (std::int64_t n : {0, 1, 13, 600001}) places.push_back({ops::TruePositions{size}, {typed(bool_, {2, n})}});
  for_each_trial(ops::true_positions, places, [](const Answers& a) { expect_same(a); });
}

TEST(Kernels, PadMovesTheSameElements) {
  std::vector<Trial> trials;
  for (DType d : {bool_, int8, bfloat16, float32, float64, complex128})
    for (std::int64_t interior : {0, 1, 3})
      for (std::int64_t low : {-2, 0, 3}) {
        trials.push_back({ops::Pad{{{low, 2, interior}}}, {typed(d, {7}), typed(d, {})}});
        trials.push_back({ops::Pad{{{low, -1, interior}, {1, low, 0}}}, {typed(d, {4, 5}), typed(d, {})}});
        trials.push_back({ops::Pad{{{1, 1, interior}, {3, 0, 2}}}, {typed(d, {0, 3}), typed(d, {})}});
      }
  for_each_trial(ops::pad, trials, [](const Answers& a) { expect_same(a); });
}

TEST(Kernels, IntegerProductsAreTheSame) {
  std::vector<Trial> trials;
  for (DType d : {int8, uint8, int32, uint32, int64, bool_})
    for (std::optional<DType> to : {std::optional<DType>(), std::optional<DType>(int32), std::optional<DType>(int64)}) {
      if (to == d || (d.is_bool() && to)) continue;
      trials.push_back({ops::DotGeneral{{{1}, {0}, {}, {}}, to}, {typed(d, {67, 33}), typed(d, {33, 129})}, -99, 99});
      trials.push_back(
          {ops::DotGeneral{{{1}, {2}, {0}, {0}}, to}, {typed(d, {3, 40, 5}), typed(d, {3, 9, 40})}, -99, 99});
      trials.push_back(
          {ops::DotGeneral{{{0, 2}, {1, 0}, {}, {}}, to}, {typed(d, {7, 31, 6}), typed(d, {6, 7, 5})}, -99, 99});
    }
  for_each_trial(ops::dot_general, trials, [](const Answers& a) { expect_same(a); });
}

// A kernel adds up block by block in float64: sums differ by the roundings of the sum of magnitudes.
TEST(Kernels, RunningSumsDifferByRoundings) {
  std::vector<Trial> trials;
  for (DType d : {float32, float64, bfloat16, int32, uint8, complex64})
    for (bool reverse : {false, true})
      for (std::int64_t n : {0, 1, 17, 1025, 40000}) {
        trials.push_back({ops::Cumulative{1, reverse}, {typed(d, {2, n})}});
        trials.push_back({ops::Cumulative{0, reverse}, {typed(d, {n, 3})}});
      }
  for_each_trial(ops::cumsum, trials, [](const Answers& a) {
    double sum = 0;
    for (auto x : a.in[0].numbers) sum += std::abs(x);
    const DType d = a.in[0].type.dtype;
    // One rounding of a result where the sums are wider; n roundings of float64 at most.
    double largest = 0;
    for (auto x : a.plain[0].numbers) largest = std::max(largest, std::abs(x));
    const double n = static_cast<double>(a.in[0].numbers.size());
    expect_near(a.fast[0], a.plain[0], d.is_integer() ? 0 : 1,
                largest + (d == float64 ? n : n * 0x1p-52 / testing::epsilon(d)) * sum);
  });
}

// Errors of a transform grow with the logarithm of its length, measured against the root of the sum of squares.
TEST(Kernels, FourierTransformsDifferByRoundings) {
  using lax::FftType;
  std::vector<Trial> trials;
  for (DType d : {complex64, complex128})
    for (std::int64_t n : {1, 2, 3, 8, 15, 16, 97, 128, 360, 1009, 2048, 4096, 6006, 32768})
      for (std::int64_t rows : {0, 1, 5}) {
        if (n > 2000 && rows == 5) continue;
        const Shape shape{rows, n}, half{rows, n / 2 + 1};
        trials.push_back({ops::Fft{FftType::fft, {n}}, {typed(d, shape)}});
        trials.push_back({ops::Fft{FftType::ifft, {n}}, {typed(d, shape)}});
        trials.push_back({ops::Fft{FftType::rfft, {n}}, {typed(real_dtype(d), shape)}});
        trials.push_back({ops::Fft{FftType::irfft, {n}}, {typed(d, half)}});
      }
  for (const Shape& lengths : {Shape{4, 6}, Shape{7, 9}, Shape{1, 5}, Shape{32, 18}, Shape{97, 2}}) {
    const Shape whole{2, lengths[0], lengths[1]}, half{2, lengths[0], lengths[1] / 2 + 1};
    trials.push_back({ops::Fft{FftType::fft, lengths}, {typed(complex64, whole)}});
    trials.push_back({ops::Fft{FftType::ifft, lengths}, {typed(complex128, whole)}});
    trials.push_back({ops::Fft{FftType::rfft, lengths}, {typed(float32, whole)}});
    trials.push_back({ops::Fft{FftType::irfft, lengths}, {typed(complex64, half)}});
  }
  for_each_trial(ops::fft, trials, [](const Answers& a) {
    double squares = 0;
    for (auto x : a.plain[0].numbers) squares += std::norm(x);
    const double rows = static_cast<double>(std::max<std::int64_t>(1, a.in[0].type.shape[0]));
    const double n = static_cast<double>(a.plain[0].numbers.size()) / rows;
    // The root of the mean of the squares is about the size of an element.
    expect_near(a.fast[0], a.plain[0], 8 * std::log2(n + 2), std::sqrt(squares / std::max(1., n * rows)));
  });
}

// Complex functions are made of a few real ones, each right to an epsilon or two, of numbers near the result.
TEST(Kernels, ComplexFunctionsDifferByRoundings) {
  int seen = 0;
  for (const Op* op : all_ops()) {
    const Call call{*op, Params(), std::vector(2, typed(complex64, {3})), {}};
    if (!op->pointwise || op->samples.empty() || kernels::kernel_of(call) == nullptr) continue;
    const std::size_t arity = op->samples[0].operands.size();
    const Params& params = op->samples[0].params;
    std::vector<Trial> trials;
    for (DType d : {complex64, complex128})
      for (std::int64_t n : {0, 1, 7, 64, 5001}) {
        std::vector<Type> types(arity, typed(d, {n}));
        trials.push_back({params, types, 0.2, 1.7});
        trials.push_back({params, types, -1.3, 1.2});
        if (arity == 2) {
          types[0].shape = {};
          trials.push_back({params, types, 0.2, 1.7});
          std::swap(types[0], types[1]);
          trials.push_back({params, types, 0.2, 1.7});
        }
      }
    const std::vector<ProgramPtr> none;
    if (!op->infer) continue;
    try {
      infer_types(*op, params, trials[0].operands, none);
    } catch (const Error&) {
      continue;  // it takes no complex numbers
    }
    ++seen;
    for_each_trial(*op, trials, [&](const Answers& a) {
      for (std::size_t i = 0; i < a.plain[0].numbers.size(); ++i)
        expect_near({a.fast[0].type, {a.fast[0].numbers[i]}}, {a.plain[0].type, {a.plain[0].numbers[i]}}, 16,
                    std::max(std::abs(a.plain[0].numbers[i]), 0x1p-4));
    });
  }
  EXPECT_GT(seen, 15);
}

TEST(Kernels, SlowFunctionsGiveTheBitsOfEval) {
  for (const auto& [op, arity] : std::vector<std::pair<const Op*, std::size_t>>{{&ops::hyp1f1, 3}, {&ops::hyp2f1, 4}})
    for (DType d : {float32, float64, bfloat16})
      for (std::int64_t n : {0, 1, 9, 400}) {
        std::vector<Type> types(arity, typed(d, {n}));
        types[1].shape = {};
        for_each_trial(*op, {{.operands = types, .lo = 0.3, .hi = 0.9}}, [](const Answers& a) { expect_same(a); });
      }
}

// The laws here and in matrix_kernels_test.cpp name every op that has a kernel: a new one needs a law.
TEST(Kernels, EachHasALaw) {
  const std::set<std::string> named{"bincount",
                                    "cholesky",
                                    "cumsum",
                                    "det",
                                    "direct_solve",
                                    "eig",
                                    "eigh",
                                    "fft",
                                    "hessenberg",
                                    "lu",
                                    "pad",
                                    "qr",
                                    "schur",
                                    "search",
                                    "slogdet",
                                    "solve",
                                    "sort",
                                    "svd",
                                    "triangular_solve",
                                    "tridiagonal",
                                    "true_positions"};
  std::set<std::string> there;
  for (const Op* op : kernels::ops_with_kernels()) there.insert(op->name);
  EXPECT_EQ(there, named);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
