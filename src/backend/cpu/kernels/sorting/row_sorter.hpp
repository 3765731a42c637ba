// One row after the other sorted by words: an element's order above its position. Words differ, so any way to sort them
// is stable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/kernels.hpp"
#include "backend/cpu/kernels/sorting/quick_sort.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"
#include "ir/op.hpp"
#include "ops/reduction/ordered.hpp"

namespace tutti::kernels {

__extension__ using Word128 = unsigned __int128;

inline constexpr std::int64_t kFewElements = 64;   // so many are compared: counting digits would take longer
inline constexpr std::int64_t kLongRow = 1 << 17;  // rows from this on are shared among the workers, element by element
inline constexpr std::int64_t kLongQuickRow = 1 << 15;  // where they are split (quick_sort.hpp)
inline constexpr std::int64_t kRowPiece = 1 << 16;      // elements of such a row that one worker takes at a time
inline constexpr int kByteDigits = 256;

// Where the elements of one row are.
struct Row {
  std::int64_t first, step, n;
};

// The order of an element in the upper half, which of them it is in the lower: no two are equal, so sorting is stable.
template <class Word> struct RowForm {
  static constexpr int shift = sizeof(Word) * 4;
  static Word word(std::uint64_t order, std::int64_t place) {
    return static_cast<Word>(order) << shift | static_cast<Word>(place);
  }
  static std::int64_t place(Word w) { return static_cast<std::int64_t>(w & ((Word{1} << shift) - 1)); }
  static int digit(Word w, int pass) { return static_cast<int>(w >> (shift + 8 * pass)) & (kByteDigits - 1); }
};

/// to[i - begin] is the word of number i of a row's elements, begin to end-1: of `places`, or as they stand where that
/// is null.
template <class Word>
using PutWords = void (*)(const HostView& key, const Row& row, bool descending, const std::int64_t* places,
                          std::int64_t begin, std::int64_t end, Word* to);
template <class Word, Orderable T>
void put_words(const HostView& key, const Row& row, bool descending, const std::int64_t* places, std::int64_t begin,
               std::int64_t end, Word* to) {
  const T* x = key.as<const T>() + row.first;
  const auto turn = static_cast<OrderWord<T>>(descending ? -1 : 0);
  if (places)
    for (std::int64_t i = begin; i < end; ++i) *to++ = RowForm<Word>::word(ordered(x[places[i] * row.step]) ^ turn, i);
  else
    for (std::int64_t i = begin; i < end; ++i) *to++ = RowForm<Word>::word(ordered(x[i * row.step]) ^ turn, i);
}
template <class Word> PutWords<Word> put_words_of(DType dtype) {
  PutWords<Word> out = nullptr;
  visit_arithmetic_dtype(dtype, [&]<class T>(Stored<T>) {
    if constexpr (Orderable<T>)
      if constexpr (2 * sizeof(T) <= sizeof(Word)) out = put_words<Word, T>;
  });
  return out;
}

// Both calls f(begin, end): on the workers, or here.
template <class F> void shared(std::int64_t n, F&& f) {
  const std::int64_t pieces = (n + kRowPiece - 1) / kRowPiece;
  in_pieces(pieces, 20e3, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) f(k * kRowPiece, std::min(n, (k + 1) * kRowPiece));
  });
}
template <class F> void spread(bool on_workers, std::int64_t n, F&& f) {
  if (on_workers)
    shared(n, f);
  else
    f(std::int64_t{0}, n);
}

// Sorts rows of up to `longest` elements, one after the other.
template <class Word> class RowSorter {
 public:
  RowSorter(std::int64_t longest, bool descending)
      : descending_(descending),
        room_(allocate_buffer(2 * static_cast<std::size_t>(longest + kSpare) * (sizeof(Word) + sizeof(std::int64_t)))),
        words_(static_cast<Word*>(room_->data())),
        other_(words_ + longest + kSpare),
        places_(reinterpret_cast<std::int64_t*>(other_ + longest + kSpare)),
        before_(places_ + longest + kSpare) {}

  // Positions in the row of its elements in order, those that are kept.
  std::span<const std::int64_t> positions(std::span<const HostView> keys, const Row& row, std::int64_t keep,
                                          bool on_workers) {
    const std::int64_t kept = keep == 0 ? row.n : std::min(std::abs(keep), row.n);
    if (keys.size() == 1 && row.n > kFewElements && kept * 4 <= std::min(row.n, kRowPiece)) {
      select(keys[0], row, kept, keep < 0, on_workers);
      return {places_, static_cast<std::size_t>(kept)};
    }
    for (std::size_t k = keys.size(); k-- > 0;)  // the first decides at the end
      sort_by(keys[k], row, k + 1 == keys.size(), on_workers);
    return {places_ + (keep < 0 ? row.n - kept : 0), static_cast<std::size_t>(kept)};
  }

 private:
  using F = RowForm<Word>;

  // Stable, from the order that places_ says, or that of the row where `in_place` is true.
  void sort_by(const HostView& key, const Row& row, bool in_place, bool on_workers) {
    const PutWords<Word> put = put_words_of<Word>(key.type.dtype);
    spread(on_workers, row.n, [&](std::int64_t begin, std::int64_t end) {
      put(key, row, descending_, in_place ? nullptr : places_, begin, end, words_ + begin);
    });
    std::swap(before_, places_);
    const auto put_places = [&](const Word* sorted, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = F::place(sorted[i]);
        places_[i] = in_place ? at : before_[at];
      }
    };
    const auto bytes = static_cast<int>(key.type.dtype.size());
    if constexpr (sizeof(Word) == sizeof(std::uint64_t))
      if (bytes > 2 && has_quick_sort()) {
        auto* const sorted = reinterpret_cast<std::uint64_t*>(places_);
        const auto done = [&](std::int64_t begin, std::int64_t end) { put_places(sorted, begin, end); };
        if (on_workers) return QuickSort<Word>::sort_shared(words_, other_, row.n, sorted, done);
        QuickSort<Word>::sort(words_, other_, row.n, sorted);
        return done(0, row.n);
      }
    if (row.n <= kFewElements)
      std::sort(words_, words_ + row.n);
    else if (on_workers)
      by_digits_of_pieces(row.n, bytes);
    else if (bytes <= 2)
      bytes == 1 ? by_digits<1>(row.n) : by_digits<2>(row.n);
    else
      bytes == 4 ? by_digits<4>(row.n) : by_digits<8>(row.n);
    spread(on_workers, row.n, [&](std::int64_t begin, std::int64_t end) { put_places(words_, begin, end); });
  }

  // All digits are counted at once; one that all words share moves nothing.
  template <int passes> void by_digits(std::int64_t n) {
    std::array<std::array<std::uint32_t, kByteDigits>, passes> counts{};
    for (std::int64_t i = 0; i < n; ++i)
      for (int p = 0; p < passes; ++p) ++counts[p][F::digit(words_[i], p)];
    for (int p = 0; p < passes; ++p) {
      auto& next = counts[p];
      if (next[F::digit(words_[0], p)] == n) continue;
      std::uint32_t sum = 0;
      for (std::uint32_t& c : next) sum += std::exchange(c, sum);
      for (std::int64_t i = 0; i < n; ++i) other_[next[F::digit(words_[i], p)]++] = words_[i];
      std::swap(words_, other_);
    }
  }

  // The same, where each piece counts its own digits and has its own places behind those of the pieces before it.
  void by_digits_of_pieces(std::int64_t n, int passes) {
    std::vector<std::array<std::int64_t, kByteDigits>> counts(
        static_cast<std::size_t>((n + kRowPiece - 1) / kRowPiece));
    for (int p = 0; p < passes; ++p) {
      shared(n, [&](std::int64_t begin, std::int64_t end) {
        auto& mine = counts[begin / kRowPiece];
        mine.fill(0);
        for (std::int64_t i = begin; i < end; ++i) ++mine[F::digit(words_[i], p)];
      });
      std::int64_t sum = 0, most = 0;
      for (int d = 0; d < kByteDigits; ++d) {
        const std::int64_t before = sum;
        for (auto& piece : counts) sum += std::exchange(piece[d], sum);
        most = std::max(most, sum - before);
      }
      if (most == n) continue;
      shared(n, [&](std::int64_t begin, std::int64_t end) {
        auto& next = counts[begin / kRowPiece];
        for (std::int64_t i = begin; i < end; ++i) other_[next[F::digit(words_[i], p)]++] = words_[i];
      });
      std::swap(words_, other_);
    }
  }

  // Puts the `kept` least of the words begin to end, or all where they are fewer, to the front of `best`, and returns
  // how many: words that may be among them gather behind those that are so far, until there is no room; then the rest
  // is forgotten. `words`(begin, end, to) writes them.
  template <class Words>
  static std::int64_t least(std::int64_t begin, std::int64_t end, std::int64_t kept, Words&& words, Word* best) {
    constexpr std::int64_t kAtOnce = 256;
    Word some[kAtOnce];
    const std::int64_t room = std::min(end - begin, 2 * kept + kFewElements);
    std::int64_t count = 0;
    Word limit = ~Word{0};
    for (std::int64_t first = begin; first < end; first += kAtOnce) {
      const std::int64_t n = std::min(kAtOnce, end - first);
      words(first, first + n, some);
      for (std::int64_t i = 0; i < n; ++i) {
        best[count] = some[i];
        count += some[i] <= limit;
        if (count < room || room <= kept) continue;
        std::nth_element(best, best + kept - 1, best + count);
        limit = best[kept - 1];
        count = kept;
      }
    }
    if (count > kept) std::nth_element(best, best + kept - 1, best + count);
    return std::min(count, kept);
  }

  // The first or the last of many: those are the first in the order turned round.
  void select(const HostView& key, const Row& row, std::int64_t kept, bool last, bool on_workers) {
    const Word turn = last ? ~Word{0} : Word{0};
    const PutWords<Word> put = put_words_of<Word>(key.type.dtype);
    auto words = [&](std::int64_t begin, std::int64_t end, Word* to) {
      put(key, row, descending_, nullptr, begin, end, to);
      for (std::int64_t i = 0; i < end - begin; ++i) to[i] ^= turn;
    };
    Word* const best = words_;
    std::int64_t count = 0;
    if (!on_workers) {
      count = least(0, row.n, kept, words, best);
    } else {
      std::vector<std::int64_t> counts(static_cast<std::size_t>((row.n + kRowPiece - 1) / kRowPiece));
      shared(row.n, [&](std::int64_t begin, std::int64_t end) {
        counts[begin / kRowPiece] = least(begin, end, kept, words, best + begin);
      });
      for (std::size_t p = 0; p < counts.size(); ++p) {
        std::copy_n(best + static_cast<std::int64_t>(p) * kRowPiece, counts[p], best + count);
        count += counts[p];
      }
      std::nth_element(best, best + kept - 1, best + count);
    }
    std::sort(best, best + kept);
    if (last) std::reverse(best, best + kept);
    for (std::int64_t i = 0; i < kept; ++i) places_[i] = F::place(best[i] ^ turn);
  }

  static constexpr std::int64_t kSpare = 256;  // places behind each

  bool descending_;
  HostPtr room_;  // memory that is used again has its pages
  Word *words_, *other_;
  std::int64_t *places_, *before_;  // positions in order, and those before by fewer keys
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
