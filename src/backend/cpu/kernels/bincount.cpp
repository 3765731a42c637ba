// How often each small number stands in an array: in tables of parts of it, which are added up.
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "backend/cpu/kernels/kernels.hpp"
#include "base/half.hpp"
#include "base/tasks.hpp"
#include "lane/side_by_side.hpp"
#include "ops/reduction/bincount.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::kernels {
namespace {

using Counts = std::unique_ptr<std::uint32_t[]>;

constexpr std::int64_t kTables = 2, kShort = 1 << 11;  // neighbours have tables of their own where these are short

template <class T> std::uint64_t number(T x) {
  return static_cast<std::uint64_t>(std::is_signed_v<T> ? std::max<T>(x, 0) : x);
}

// `tables`: 1 or kTables of them, one behind the other.
template <std::int64_t tables, class T>
void count(const void* from, std::int64_t n, std::int64_t length, std::uint32_t* counts) {
  const T* x = static_cast<const T*>(from);
  constexpr std::int64_t kAtOnce = 16;
  using Word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  const auto limit = static_cast<Word>(
      std::min(static_cast<std::uint64_t>(length), static_cast<std::uint64_t>(std::numeric_limits<T>::max())));
  std::int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    Word greatest = 0;  // of what is negative: a large number
    for (std::int64_t k = 0; k < kAtOnce; ++k) greatest = std::max(greatest, static_cast<Word>(x[i + k]));
    if (greatest < limit) {
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < kAtOnce; ++k) ++counts[k % tables * length + static_cast<std::int64_t>(x[i + k])];
    } else {
      for (std::int64_t k = 0; k < kAtOnce; ++k)
        if (const std::uint64_t value = number(x[i + k]); value < static_cast<std::uint64_t>(length)) ++counts[value];
    }
  }
  for (; i < n; ++i)
    if (const std::uint64_t value = number(x[i]); value < static_cast<std::uint64_t>(length)) ++counts[value];
}

#if TUTTI_X86
// The same of 32-bit numbers in two tables: sixteen are looked at at once, and read two at a time. Returns how many
// have been counted, perhaps not the last ones.
[[gnu::target("arch=x86-64-v4")]] std::int64_t count_pairs(const void* from, std::int64_t n, std::int64_t length,
                                                           std::uint32_t* counts, bool is_signed) {
  const char* x = static_cast<const char*>(from);
  std::uint32_t* const other = counts + length;
  constexpr std::int64_t kAtOnce = 16;
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(length));
  std::int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce, x += 64) {
    if (_mm512_cmpge_epu32_mask(_mm512_loadu_si512(x), limit) == 0) {
#pragma GCC unroll 8
      for (int k = 0; k < 64; k += 8) {
        std::uint64_t pair;
        __builtin_memcpy(&pair, x + k, 8);
        ++counts[static_cast<std::uint32_t>(pair)];
        ++other[pair >> 32];
      }
    } else {
      for (int k = 0; k < 64; k += 4) {
        std::uint32_t value;
        __builtin_memcpy(&value, x + k, 4);
        if (is_signed && static_cast<std::int32_t>(value) < 0) value = 0;
        if (value < static_cast<std::uint64_t>(length)) ++counts[value];
      }
    }
  }
  return i;
}
#endif

template <class T> void count_in_tables(const void* from, std::int64_t n, std::int64_t length, std::uint32_t* counts) {
  std::int64_t done = 0;
#if TUTTI_X86
  if constexpr (sizeof(T) == 4)
    if (lane::has_avx512()) done = count_pairs(from, n, length, counts, std::is_signed_v<T>);
#endif
  count<kTables, T>(static_cast<const T*>(from) + done, n - done, length, counts);
}

/// How the elements of a dtype are counted.
struct Counting {
  using Count = void (*)(const void* x, std::int64_t n, std::int64_t length, std::uint32_t* counts);
  Count once, in_tables;
  std::int64_t size;  // bytes of an element
};

// Parts of an array of their own, then the sums: no more than are worth their tables.
std::vector<Counts> counts_of_parts(Counting how, const char* x, std::int64_t n, std::int64_t length) {
  constexpr std::int64_t kMost = 16, kLeast = 1 << 16, kLargest = std::int64_t{1} << 31;
  const std::int64_t parts =
      std::max({n / kLargest + 1, std::int64_t{1}, std::min(kMost, n / std::max(kLeast, 8 * length))});
  std::vector<Counts> out(static_cast<std::size_t>(parts));
  in_pieces(parts, n < kLeast ? 0 : 1e6, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t from = n * p / parts, size = n * (p + 1) / parts - from;
      const bool several = length <= kShort && size >= kTables * length;
      Counts mine = std::make_unique<std::uint32_t[]>(static_cast<std::size_t>(several ? kTables * length : length));
      (several ? how.in_tables : how.once)(x + from * how.size, size, length, mine.get());
      for (std::int64_t t = 1; several && t < kTables; ++t)
        for (std::int64_t k = 0; k < length; ++k) mine[k] += mine[t * length + k];
      out[static_cast<std::size_t>(p)] = std::move(mine);
    }
  });
  return out;
}

}  // namespace

void bincount(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Bincount>();
  const std::int64_t rows = p.length ? out[0].size() / p.length : 0;
  if (rows == 0) return;
  const std::int64_t n = in[0].size() / rows;
  Counting how{};
  visit_arithmetic_dtype(in[0].type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) how = {count<1, T>, count_in_tables<T>, sizeof(T)};
  });
  visit_arithmetic_dtype(p.counts, [&]<class To>(Stored<To>) {
    if constexpr (std::integral<To> && !std::same_as<To, bool>)
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::vector<Counts> parts = counts_of_parts(how, in[0].as<const char>() + r * n * how.size, n, p.length);
        To* const counts = out[0].as<To>() + r * p.length;
        for (std::int64_t i = 0; i < p.length; ++i) {
          std::uint64_t all = 0;
          for (const Counts& part : parts) all += part[static_cast<std::size_t>(i)];
          counts[i] = static_cast<To>(all);
        }
      }
  });
}

}  // namespace tutti::kernels
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
