// Long rows sorted by their own elements, which alone are wanted: words without positions, split where the processor
// can (quick_sort.hpp), else by digits from below.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/sorting/quick_sort.hpp"
#include "backend/cpu/kernels/sorting/row_orders.hpp"
#include "backend/cpu/kernels/sorting/row_sorter.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"

namespace tutti::kernels {

/// Stable: zeros of both signs, and NaN of all kinds, stay in their order. `Word`: std::uint32_t or std::uint64_t.
template <class T, class Word> class ValueSorter {
 public:
  ValueSorter(std::int64_t longest, bool descending)
      : turn_(static_cast<OrderWord<T>>(descending ? -1 : 0)),
        quick_(is_quick()),
        room_(allocate_buffer(
            kCounted ? 0 : (quick_ ? 3 : 2) * static_cast<std::size_t>(Quick::room(longest)) * sizeof(Word))),
        words_(static_cast<Word*>(room_->data())),
        other_(words_ + Quick::room(longest)),
        counts_(quick_ ? 0 : static_cast<std::size_t>((longest + kPiece - 1) / kPiece)) {}

  /// Whether rows are split, not sorted by digits; one digit is faster.
  static bool is_quick() { return sizeof(T) > 1 && has_quick_sort(); }

  /// to[i * step] are the elements x[i * step] in order.
  void sort(const T* x, std::int64_t step, std::int64_t n, T* to, bool on_workers) {
    if constexpr (kCounted) return by_counting(x, step, n, to, on_workers);
    spread(on_workers, n, [&](std::int64_t begin, std::int64_t end) {
      if constexpr (has_short_order<T> && sizeof(Word) == 4)
        row_orders(x + begin * step, step, end - begin, turn_ != 0, words_ + begin);
      else
        for (std::int64_t i = begin; i < end; ++i) words_[i] = static_cast<OrderWord<T>>(ordered(x[i * step]) ^ turn_);
    });
    if (quick_)
      by_splitting(step, n, to, on_workers);
    else
      by_digits(step, n, to, on_workers);
    if constexpr (!std::integral<T>) {
      as_they_were(x, step, n, to, ordered(T{}), [](T v) { return v == T{}; });
      as_they_were(x, step, n, to, static_cast<OrderWord<T>>(-1), [](T v) { return v != v; });
    }
  }

 private:
  using Quick = QuickSort<Word>;
  static constexpr bool kCounted = std::integral<T> && sizeof(T) == 1;  // so few values that each is counted
  static constexpr int kBits = 8, kDigits = 1 << kBits;
  static constexpr std::int64_t kPiece = kRowPiece;

  // How often there is each value says all: no memory beside the result.
  void by_counting(const T* x, std::int64_t step, std::int64_t n, T* to, bool on_workers) {
    const auto order = [&](T v) { return static_cast<std::uint8_t>(static_cast<OrderWord<T>>(ordered(v)) ^ turn_); };
    counts_.assign(static_cast<std::size_t>((n + kPiece - 1) / kPiece), {});
    spread(on_workers, n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++counts_[i / kPiece][order(x[i * step])];
    });
    std::array<T, kDigits> values{};
    for (int v = 0; v < kDigits; ++v) values[order(static_cast<T>(v))] = static_cast<T>(v);
    for (int d = 0; d < kDigits; ++d)
      for (const auto& piece : counts_)
        for (std::int64_t left = piece[d]; left > 0; --left, to += step) *to = values[d];
  }

  void by_splitting(std::int64_t step, std::int64_t n, T* to, bool on_workers) {
    Word* sorted = other_ + (other_ - words_);
    if constexpr (sizeof(T) == sizeof(Word))
      if (step == 1) sorted = reinterpret_cast<Word*>(to);
    const auto done = [&](std::int64_t begin, std::int64_t end) {
      from_orders(sorted + begin, end - begin, turn_, to + begin * step, step);
    };
    if (on_workers) return Quick::sort_shared(words_, other_, n, sorted, done);
    Quick::sort(words_, other_, n, sorted);
    done(0, n);
  }

  void by_digits(std::int64_t step, std::int64_t n, T* to, bool on_workers) {
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(T)); shift += kBits) by_digit(n, shift, on_workers);
    spread(on_workers, n, [&](std::int64_t begin, std::int64_t end) {
      from_orders(words_ + begin, end - begin, turn_, to + begin * step, step);
    });
  }
  static int digit(Word w, int shift) { return static_cast<int>(w >> shift) & (kDigits - 1); }

  // Each piece counts its own digits and has its own places behind those of the pieces before it.
  void by_digit(std::int64_t n, int shift, bool on_workers) {
    const auto pieces = [=](auto&& f) {
      if (on_workers)
        shared(n, f);
      else
        for (std::int64_t k = 0; k < n; k += kPiece) f(k, std::min(n, k + kPiece));
    };
    pieces([&](std::int64_t begin, std::int64_t end) {
      std::array<std::array<std::uint32_t, kDigits>, 2> counts{};  // equal neighbours do not wait for each other
      std::int64_t i = begin;
      for (; i + 2 <= end; i += 2) {
        ++counts[0][digit(words_[i], shift)];
        ++counts[1][digit(words_[i + 1], shift)];
      }
      if (i < end) ++counts[0][digit(words_[i], shift)];
      auto& mine = counts_[begin / kPiece];
      for (int d = 0; d < kDigits; ++d) mine[d] = counts[0][d] + counts[1][d];
    });
    const std::int64_t used = (n + kPiece - 1) / kPiece;
    std::int64_t sum = 0, most = 0;
    for (int d = 0; d < kDigits; ++d) {
      const std::int64_t before = sum;
      for (std::int64_t p = 0; p < used; ++p) sum += std::exchange(counts_[p][d], sum);
      most = std::max(most, sum - before);
    }
    if (most == n) return;
    pieces([&](std::int64_t begin, std::int64_t end) {
      auto& next = counts_[begin / kPiece];
      for (std::int64_t i = begin; i < end; ++i) other_[next[digit(words_[i], shift)]++] = words_[i];
    });
    std::swap(words_, other_);
  }

  // Elements that are equal and differ in their bits, where there are any.
  template <class F>
  void as_they_were(const T* x, std::int64_t step, std::int64_t n, T* to, OrderWord<T> order, F&& is_one) const {
    const auto all = std::views::iota(std::int64_t{0}, n);
    const auto word = [&](std::int64_t i) { return static_cast<OrderWord<T>>(ordered(to[i * step]) ^ turn_); };
    const auto [first, last] = std::ranges::equal_range(all, static_cast<OrderWord<T>>(order ^ turn_), {}, word);
    T* next = to + (first - all.begin()) * step;
    for (std::int64_t i = 0, left = last - first; left > 0 && i < n; ++i)
      if (is_one(x[i * step])) {
        *next = x[i * step];
        next += step;
        --left;
      }
  }

  OrderWord<T> turn_;
  bool quick_;
  HostPtr room_;  // memory that is used again has its pages
  Word *words_, *other_;
  std::vector<std::array<std::int64_t, kDigits>> counts_;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
