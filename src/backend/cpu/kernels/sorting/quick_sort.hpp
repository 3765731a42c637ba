// Unsigned words sorted by splitting: vectors are compared with a pivot, and what is less and what is not are written
// one behind the other. Only processors with AVX-512 do it; elsewhere words are sorted by digits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/tasks.hpp"

namespace tutti::kernels {

/// Whether this processor has the instructions, and TUTTI_CPU_ISA does not say to do without.
bool has_quick_sort();

/// Word: std::uint32_t or std::uint64_t.
template <class Word> struct QuickSort {
  static constexpr std::int64_t slack = 64 / sizeof(Word);  // places behind words that may be written to
  static constexpr int parts = 8;

  /// What bounds the parts from above, all but the last, which holds the rest. Part k has words from bound k-1 on.
  using Bounds = std::array<Word, parts - 1>;
  using Counts = std::array<std::int64_t, parts>;

  /// Sorts `n` words to `out`. `words` and `spare` have `slack` places more, and lose what is in them.
  static void sort(Word* words, Word* spare, std::int64_t n, Word* out);
  /// Bounds that leave about as many of the words in each part.
  static Bounds bounds(const Word* words, std::int64_t n);
  /// How many words are in each part.
  static Counts count(const Word* words, std::int64_t n, const Bounds& bounds);
  /// Writes the words of part k to `to[k]`, and nowhere else.
  static void split(const Word* words, const Counts& counts, const Bounds& bounds, std::array<Word*, parts> to);

  /// Places that `words` and `spare` of `sort_shared` have.
  static constexpr std::int64_t room(std::int64_t n) { return n + 2 * parts * slack; }
  /// The same as `sort`, by all workers; done(begin, end) is called, by one of them, where these words are in `out`.
  template <class F> static void sort_shared(Word* words, Word* spare, std::int64_t n, Word* out, F&& done) {
    constexpr std::int64_t piece = 1 << 13;
    const std::int64_t pieces = (n + piece - 1) / piece;
    const auto each_piece = [&](auto&& f) {
      in_pieces(pieces, 5e3, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) f(k, words + k * piece, std::min(piece, n - k * piece));
      });
    };
    const Bounds split_at = bounds(words, n);
    std::vector<Counts> counts(static_cast<std::size_t>(pieces));
    each_piece([&](std::int64_t k, const Word* w, std::int64_t size) { counts[k] = count(w, size, split_at); });
    std::array<std::int64_t, parts + 1> first{};  // where parts begin in `out`
    std::vector<std::array<Word*, parts>> to(counts.size());
    for (int p = 0; p < parts; ++p) {
      first[p + 1] = first[p];
      for (std::size_t k = 0; k < counts.size(); ++k) {
        to[k][p] = spare + first[p + 1] + p * 2 * slack;
        first[p + 1] += counts[k][p];
      }
    }
    each_piece([&](std::int64_t k, const Word* w, std::int64_t) { split(w, counts[k], split_at, to[k]); });
    in_pieces(parts, 1e6, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const std::int64_t at = first[p] + p * 2 * slack;
        sort(spare + at, words + at, first[p + 1] - first[p], out + first[p]);
        done(first[p], first[p + 1]);
      }
    });
  }
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
