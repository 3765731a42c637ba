// One long row sorted by its own elements, which alone are wanted: words without positions, by digits from below.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "array/buffer.hpp"
#include "base/tasks.hpp"
#include "ops/reduction/row_orders.hpp"

namespace tutti::ops {

/// Stable: zeros of both signs, and NaN of all kinds, stay in their order. `Word`: std::uint32_t or std::uint64_t.
template <class T, class Word> class ValueSorter {
 public:
  ValueSorter(std::int64_t longest, bool descending)
      : turn_(static_cast<OrderWord<T>>(descending ? -1 : 0)),
        room_(allocate_buffer(2 * static_cast<std::size_t>(longest) * sizeof(Word))),
        words_(static_cast<Word*>(room_->data())),
        other_(words_ + longest),
        counts_(static_cast<std::size_t>((longest + kPiece - 1) / kPiece)) {}

  /// to[i * step] are the elements x[i * step] in order.
  void sort(const T* x, std::int64_t step, std::int64_t n, T* to) {
    pieces(n, [&](std::int64_t begin, std::int64_t end) {
      if constexpr (has_short_order<T> && sizeof(Word) == 4)
        row_orders(x + begin * step, step, end - begin, turn_ != 0, words_ + begin);
      else
        for (std::int64_t i = begin; i < end; ++i) words_[i] = static_cast<OrderWord<T>>(ordered(x[i * step]) ^ turn_);
    });
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(T)); shift += kBits) by_digit(n, shift);
    pieces(n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i * step] = element(words_[i]);
    });
    if constexpr (!std::integral<T>) {
      as_they_were(x, step, n, to, ordered(T{}), [](T v) { return v == T{}; });
      as_they_were(x, step, n, to, static_cast<OrderWord<T>>(-1), [](T v) { return v != v; });
    }
  }

 private:
  static constexpr int kBits = 8, kDigits = 1 << kBits;
  static constexpr std::int64_t kPiece = 1 << 16;

  template <class F> static void pieces(std::int64_t n, F&& f) {
    in_pieces((n + kPiece - 1) / kPiece, 20e3, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) f(k * kPiece, std::min(n, (k + 1) * kPiece));
    });
  }
  static int digit(Word w, int shift) { return static_cast<int>(w >> shift) & (kDigits - 1); }

  // Each piece counts its own digits and has its own places behind those of the pieces before it.
  void by_digit(std::int64_t n, int shift) {
    pieces(n, [&](std::int64_t begin, std::int64_t end) {
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
    pieces(n, [&](std::int64_t begin, std::int64_t end) {
      auto& next = counts_[begin / kPiece];
      for (std::int64_t i = begin; i < end; ++i) other_[next[digit(words_[i], shift)]++] = words_[i];
    });
    std::swap(words_, other_);
  }

  T element(Word word) const {
    using U = OrderWord<T>;
    constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
    const U order = static_cast<U>(static_cast<U>(word) ^ turn_);
    if constexpr (std::same_as<T, bool>)
      return order != 0;
    else if constexpr (std::unsigned_integral<T>)
      return order;
    else if constexpr (std::integral<T>)
      return static_cast<T>(order ^ sign);
    else
      return std::bit_cast<T>(static_cast<U>(order & sign ? order ^ sign : ~order));
  }

  // Elements that are equal and differ in their bits, where there are any.
  template <class F>
  void as_they_were(const T* x, std::int64_t step, std::int64_t n, T* to, OrderWord<T> order, F&& is_one) const {
    const Word word = static_cast<OrderWord<T>>(order ^ turn_);
    auto [first, last] = std::equal_range(words_, words_ + n, word);
    T* next = to + (first - words_) * step;
    for (std::int64_t i = 0, left = last - first; left > 0 && i < n; ++i)
      if (is_one(x[i * step])) {
        *next = x[i * step];
        next += step;
        --left;
      }
  }

  OrderWord<T> turn_;
  BufferPtr room_;  // memory that is used again has its pages
  Word *words_, *other_;
  std::vector<std::array<std::int64_t, kDigits>> counts_;
};

}  // namespace tutti::ops
