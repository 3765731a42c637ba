// N-gram models of bytes, interpolated by Witten and Bell (1991): the yardstick that a neural model has to beat.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace text {

/// P(c | h) = (n(h c) + T(h) P(c | h')) / (n(h) + T(h)), where T(h) counts the different bytes seen after h and h' is h
/// without its first byte; below the empty context lies the uniform distribution.
class NGram {
 public:
  /// Contexts of up to `order` bytes (at most 6).
  NGram(const std::string& train, int order) : levels_(static_cast<std::size_t>(order) + 1) {
    for (int k = 0; k <= order; ++k) levels_[static_cast<std::size_t>(k)] = count(train, k);
  }

  /// Mean bits per byte over `held_out` from position `from` on.
  double bits_per_byte(const std::string& held_out, std::size_t from) const {
    double bits = 0;
    for (std::size_t i = from; i < held_out.size(); ++i) bits -= std::log2(probability(held_out, i));
    return bits / static_cast<double>(held_out.size() - from);
  }

 private:
  struct Level {
    std::vector<std::uint64_t> grams;  // context and byte, sorted
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> contexts;  // sorted
    std::vector<std::uint32_t> totals, types;
  };

  static std::uint64_t pack(const std::string& s, std::size_t from, std::size_t n) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < n; ++i) key = key << 8 | static_cast<unsigned char>(s[from + i]);
    return key;
  }

  static Level count(const std::string& s, int k) {
    std::vector<std::uint64_t> all;
    auto n = static_cast<std::size_t>(k) + 1;
    for (std::size_t i = 0; i + n <= s.size(); ++i) all.push_back(pack(s, i, n));
    std::sort(all.begin(), all.end());
    Level out;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t j = i;
      while (j < all.size() && all[j] == all[i]) ++j;
      out.grams.push_back(all[i]);
      out.counts.push_back(static_cast<std::uint32_t>(j - i));
      if (out.contexts.empty() || out.contexts.back() != all[i] >> 8) {
        out.contexts.push_back(all[i] >> 8);
        out.totals.push_back(0);
        out.types.push_back(0);
      }
      out.totals.back() += static_cast<std::uint32_t>(j - i);
      ++out.types.back();
      i = j;
    }
    return out;
  }

  double probability(const std::string& s, std::size_t at) const {
    double p = 1.0 / 256;
    for (std::size_t k = 0; k < levels_.size() && k <= at; ++k) {
      const Level& level = levels_[k];
      std::uint64_t context = pack(s, at - k, k), gram = context << 8 | static_cast<unsigned char>(s[at]);
      auto c = std::lower_bound(level.contexts.begin(), level.contexts.end(), context);
      if (c == level.contexts.end() || *c != context) break;
      auto i = static_cast<std::size_t>(c - level.contexts.begin());
      auto g = std::lower_bound(level.grams.begin(), level.grams.end(), gram);
      double seen =
          g != level.grams.end() && *g == gram ? level.counts[static_cast<std::size_t>(g - level.grams.begin())] : 0;
      double types = level.types[i];
      p = (seen + types * p) / (level.totals[i] + types);
    }
    return p;
  }

  std::vector<Level> levels_;
};

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
