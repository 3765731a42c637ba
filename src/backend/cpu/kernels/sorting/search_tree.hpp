// Looking up many values in one sorted vector: a tree of nodes of sixteen words, each level every sixteenth word of the
// level below, so that a step is one comparison of vectors and no branch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/processor.hpp"

namespace tutti::kernels {

/// `Word`: std::int32_t or std::int64_t. Unlike a search by halves it gives one answer for vectors that are not sorted,
/// too, whether `find` or `find_directly` looks for it.
template <class Word> class SearchTree {
 public:
  static constexpr std::int64_t node = 16;
  static constexpr Word last = std::numeric_limits<Word>::max();  // nothing is behind it

  /// Of the n words that `write` writes.
  template <class F> SearchTree(std::int64_t n, F&& write) {
    for (std::int64_t nodes = std::max<std::int64_t>(1, (n + node - 1) / node);; nodes = (nodes + node - 1) / node) {
      nodes_.push_back(nodes);
      if (nodes == 1) break;
    }
    std::int64_t all = 0;
    for (std::int64_t nodes : nodes_) all += nodes * node;
    words_ = std::make_unique_for_overwrite<Node[]>(static_cast<std::size_t>(all / node));
    Word* level = words_[0].words;
    write(level);
    std::fill(level + n, level + nodes_[0] * node, last);
    for (std::size_t k = 1; k < nodes_.size(); ++k) {
      Word* above = level + nodes_[k - 1] * node;
      for (std::int64_t i = 0; i < nodes_[k] * node; ++i)  // no step leads past the last node
        above[i] = i + 1 < nodes_[k - 1] ? level[i * node + node - 1] : last;
      level = above;
    }
    top_ = words_.get() + (all / node - 1);
  }

  /// Writes how many words are less than each of `values` to `out`; `Out` is an integer type.
  template <class Out> void find(const Word* values, std::int64_t count, Out* out) const {
#if TUTTI_X86
    if (__builtin_cpu_supports("avx512f")) return find_wide(values, count, out);
#endif
    find_plain(values, count, out);
  }

  /// The same for one value, without a tree: where few are looked for. `read`(first, step, count, words) writes words
  /// of the vector.
  template <class F> static std::int64_t find_directly(std::int64_t n, F&& read, Word value) {
    std::int64_t width = 1, at = 0;  // words of the vector for one of the level
    while ((n + node - 1) / node > width) width *= node;
    for (; width > 0; width /= node) {
      const std::int64_t first = (at * node + 1) * width - 1, end = width == 1 ? n : n - 1;
      const std::int64_t count = std::clamp<std::int64_t>((end - first + width - 1) / width, 0, node);
      Word words[node];
      read(first, width, count, words);
      at *= node;
      for (std::int64_t j = 0; j < count; ++j) at += words[j] < value;
    }
    return at;
  }

 private:
  struct alignas(64) Node {
    Word words[node];
  };

  static constexpr int kTogether = 8;  // values that go down side by side: none waits for the others' steps

  template <class Out> void find_plain(const Word* values, std::int64_t count, Out* out) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const Node* level = top_;
      std::int64_t at = less(*level, values[i]);
      for (std::size_t k = nodes_.size() - 1; k-- > 0;) {
        level -= nodes_[k];
        at = at * node + less(level[at], values[i]);
      }
      out[i] = static_cast<Out>(at);
    }
  }
  static std::int64_t less(const Node& n, Word value) {
    Word count = 0;
    for (Word w : n.words) count += w < value;
    return count;
  }
#if TUTTI_X86
  template <class Out>
  [[gnu::target("avx512f,popcnt")]] void find_wide(const Word* values, std::int64_t count, Out* out) const {
    std::int64_t i = 0;
    for (; i + kTogether <= count; i += kTogether)
      descend(values + i, out + i, std::make_integer_sequence<int, kTogether>());
    for (; i < count; ++i) descend(values + i, out + i, std::integer_sequence<int, 0>());
  }
  template <class Out, int... j>
  [[gnu::target("avx512f,popcnt"), gnu::always_inline]] void descend(const Word* values, Out* out,
                                                                     std::integer_sequence<int, j...>) const {
    const Node* level = top_;
    std::int64_t at[] = {less_wide(*level, values[j])...};
    for (std::size_t k = nodes_.size() - 1; k-- > 0;) {
      level -= nodes_[k];
      ((at[j] = at[j] * node + less_wide(level[at[j]], values[j])), ...);
    }
    ((out[j] = static_cast<Out>(at[j])), ...);
  }
  // Stays a number of its own: compilers put those of neighbours into a vector, only to take them out again.
  [[gnu::target("avx512f,popcnt"), gnu::always_inline]] static std::int64_t counted(unsigned bits) {
    std::int64_t n = __builtin_popcount(bits);
    asm("" : "+r"(n));
    return n;
  }
  // The compiler's own names of the instructions: vectors compared give a bit per word.
  [[gnu::target("avx512f,popcnt")]] static std::int64_t less_wide(const Node& n, Word value) {
    using Lane = std::conditional_t<sizeof(Word) == 4, int, long long>;
    typedef Lane Vector __attribute__((vector_size(64))) __attribute__((may_alias));
    constexpr int less_than = 1;
    const auto* words = reinterpret_cast<const Vector*>(n.words);
    const Vector all = static_cast<Lane>(value) - Vector{};
    if constexpr (sizeof(Word) == 4) {
      return counted(__builtin_ia32_cmpd512_mask(words[0], all, less_than, 0xffff));
    } else {
      return counted(__builtin_ia32_cmpq512_mask(words[0], all, less_than, 0xff) |
                     __builtin_ia32_cmpq512_mask(words[1], all, less_than, 0xff) << 8);
    }
  }
#endif

  std::vector<std::int64_t> nodes_;  // of each level, the lowest first
  std::unique_ptr<Node[]> words_;
  const Node* top_ = nullptr;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
