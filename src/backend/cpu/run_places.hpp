// Where the runs of a gather or a scatter lie in the operand: what is of a window in one piece there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ops/movement/gather.hpp"

namespace tutti::cpu {

/// Whether n numbers count up by one; compiled for vectors by whoever calls it.
template <int n, class I> [[gnu::always_inline]] inline bool counts(const I* numbers) {
  typedef I Numbers __attribute__((vector_size(n * sizeof(I))));
  Numbers x, steps;
  __builtin_memcpy(&x, numbers, sizeof x);
  for (int i = 0; i < n; ++i) steps[i] = static_cast<I>(i);
  const auto differs = x - numbers[0] != steps;
  std::int64_t words[sizeof(Numbers) / 8], any = 0;
  __builtin_memcpy(words, &differs, sizeof words);
  for (const std::int64_t word : words) any |= word;
  return any == 0;
}

class RunPlaces {
 public:
  static constexpr std::int64_t kAtOnce = 512;  // runs whose places are found together

  /// Of `windows` (a gather's result, a scatter's updates) of `sizes`, out of an array of shape `from`.
  RunPlaces(lax::GatherDims dims, lax::GatherMode mode, Shape sizes, Shape from, Type indices, const Shape& windows);

  std::int64_t count() const { return count_; }
  /// Elements of one run.
  std::int64_t length() const { return length_; }
  /// Where each int32 index is the place of its run, a single element, inside the operand: how many places there are;
  /// else 0.
  std::int64_t numbered() const { return numbered_; }
  /// Whether what is out of range counts as nothing; else the nearest place inside stands for it.
  bool fills() const { return mode_ == lax::GatherMode::fill; }
  /// A constant that most neighbouring runs differ in.
  template <int n> using Lane = std::integral_constant<int, n>;
  /// Calls f(place, run), or f(place, run, Lane), for the runs begin to end-1 that are inside, in their order.
  template <class F> void for_each(void* indices, std::int64_t begin, std::int64_t end, F&& of_run) const {
    auto f = [&](std::int64_t place, std::int64_t run, auto lane) __attribute__((always_inline)) {
      if constexpr (std::is_invocable_v<F&, std::int64_t, std::int64_t, Lane<0>>)
        of_run(place, run, lane);
      else
        of_run(place, run);
    };
    if (numbered_ > 0)
      return fills() ? numbered<true>(indices, begin, end, f) : numbered<false>(indices, begin, end, f);
    std::int64_t at[kAtOnce];
    for (std::int64_t first = begin; first < end; first += kAtOnce) {
      const std::int64_t n = std::min(kAtOnce, end - first);
      find(indices, first, first + n, at);
      for (std::int64_t i = 0; i < n; ++i)
        if (at[i] >= 0) f(at[i], first + i, Lane<0>{});
    }
  }
  /// So many elements of the windows' array from `element` on, and as many of the operand from `place` on.
  struct Stretch {
    std::int64_t place, element, count;
  };
  /// Of runs of one element each: all that are inside, in their order, as stretches; none where most of them lie apart.
  /// Index arrays often count, as those of the frames of a signal do.
  std::vector<Stretch> stretches(void* indices) const;
  /// Writes the positions of runs begin to end-1 in the row-major operand: -1 where the window is out of range and the
  /// mode is `fill`. `indices`: the data.
  void find(void* indices, std::int64_t begin, std::int64_t end, std::int64_t* places) const;

 private:
  template <bool fill, class F> void numbered(void* indices, std::int64_t begin, std::int64_t end, F&& f) const {
    auto place = [this, at = static_cast<const std::int32_t*>(indices)](std::int64_t i) {
      return fill ? static_cast<std::uint32_t>(at[i])
                  : static_cast<std::uint32_t>(std::clamp<std::int64_t>(at[i], 0, numbered_ - 1));
    };
    std::int64_t i = begin;
    for (; i + 4 <= end; i += 4) {
      const std::uint32_t a = place(i), b = place(i + 1), c = place(i + 2), d = place(i + 3);
      if (!fill || std::max(std::max(a, b), std::max(c, d)) < numbered_) {
        f(a, i, Lane<0>{});
        f(b, i + 1, Lane<1>{});
        f(c, i + 2, Lane<2>{});
        f(d, i + 3, Lane<3>{});
        continue;
      }
      if (a < numbered_) f(a, i, Lane<0>{});
      if (b < numbered_) f(b, i + 1, Lane<1>{});
      if (c < numbered_) f(c, i + 2, Lane<2>{});
      if (d < numbered_) f(d, i + 3, Lane<3>{});
    }
    for (; i < end; ++i)
      if (const std::uint32_t a = place(i); a < numbered_) f(a, i, Lane<0>{});
  }
  // A dim of the windows' array: what a step along it adds to the number of the index vector, and to the place.
  struct Dim {
    std::int64_t extent, vector, place;
  };
  // Places of the index vectors begin to end-1.
  template <class I> void of_vectors(const I* rows, std::int64_t begin, std::int64_t end, std::int64_t* places) const;
  template <class I> void of_runs(const I* rows, std::int64_t begin, std::int64_t end, std::int64_t* places) const;

  lax::GatherDims dims_;
  lax::GatherMode mode_;
  Shape sizes_, from_;
  Type indices_;
  std::vector<std::int64_t> strides_;  // of the operand
  int ndim_;
  Shape outer_;  // of the windows' array: what is within a run has extent 1
  std::int64_t length_ = 1, count_ = 0;
  std::int64_t numbered_ = 0;
  bool direct_ = false;    // run i is that of index vector i
  std::vector<Dim> walk_;  // else: the dims over which runs go
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
