// Words that are less than the pivot go to the spare memory, the others stay at the front of theirs: what this leaves
// free behind them is the spare memory of those that went. The last 256, or fewer, are sorted in registers.
#include "backend/cpu/kernels/sorting/quick_sort.hpp"

#include <bit>
#include <string>

#include "backend/cpu/kernels/sorting/word_vectors.hpp"
#include "base/environment.hpp"
#include "lane/side_by_side.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if TUTTI_X86
namespace tutti::kernels {
namespace {

using namespace words;
__extension__ using Long = unsigned __int128;

template <class Word>
[[gnu::target("arch=x86-64-v4"), gnu::always_inline]] inline Lanes middle(Lanes x, Lanes y, Lanes z) {
  using W = WordVector<Word>;
  return W::most(W::least(x, y), W::least(W::most(x, y), z));
}

/// One of the words, somewhere in the middle.
template <class Word> [[gnu::target("arch=x86-64-v4")]] Word pivot_of(const Word* words, std::int64_t n) {
  using W = WordVector<Word>;
  constexpr std::int64_t kMany = 4096;
  if (n >= kMany) {
    constexpr int rows = 8;
    Lanes v[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) v[i] = W::load(words + (n - W::lanes) * i / (rows - 1));
    sort_vectors<Word>(v);
    return W::first(v[rows / 2]);
  }
  const std::int64_t step = (n - W::lanes) / 4;
  const auto at = [&](int i) __attribute__((target("arch=x86-64-v4"))) { return W::load(words + i * step); };
  const Lanes v0 = at(0), v1 = at(1), v2 = at(2), v3 = at(3), v4 = at(4);
  Lanes x = middle<Word>(middle<Word>(v0, v2, v4), v1, v3);
  x = middle<Word>(x, W::template rotated<W::lanes / 3>(x), W::template rotated<2 * W::lanes / 3>(x));
  x = middle<Word>(x, W::template rotated<1>(x), W::template rotated<2>(x));
  return W::first(x);
}

/// Words below the pivot go to `to`, the others to the front of `words`; returns how many went.
template <class Word>
[[gnu::target("arch=x86-64-v4")]] std::int64_t take_less(Word* words, std::int64_t n, Word* to, Word pivot) {
  using W = WordVector<Word>;
  using Mask = typename W::Mask;
  constexpr int unrolled = 4;
  const Lanes p = W::all(pivot);
  Word* const first = to;
  Word* rest = words;
  std::int64_t i = 0;
  for (; i + unrolled * W::lanes <= n; i += unrolled * W::lanes) {
    Lanes v[unrolled];
#pragma GCC unroll 4
    for (int k = 0; k < unrolled; ++k) v[k] = W::load(words + i + k * W::lanes);
#pragma GCC unroll 4
    for (int k = 0; k < unrolled; ++k) {
      const Mask m = W::less(v[k], p);
      const std::int64_t count = count_of(m);
      _mm512_storeu_si512(to, W::packed(m, v[k]));
      _mm512_storeu_si512(rest, W::packed(static_cast<Mask>(~m), v[k]));
      to += count;
      rest += W::lanes - count;
    }
  }
  for (; i < n; i += W::lanes) {
    const Mask here = lanes_before<Word>(n - i);
    const Lanes v = W::load(words + i, here);
    const auto m = static_cast<Mask>(W::less(v, p) & here), others = static_cast<Mask>(~m & here);
    _mm512_storeu_si512(to, W::packed(m, v));
    _mm512_storeu_si512(rest, W::packed(others, v));
    to += count_of(m);
    rest += count_of(others);
  }
  return to - first;
}
/// Leaves out those that are `word`, of which it says how many there are.
template <class Word> [[gnu::target("arch=x86-64-v4")]] std::int64_t leave_out(Word* words, std::int64_t n, Word word) {
  using W = WordVector<Word>;
  const Lanes p = W::all(word);
  Word* rest = words;
  for (std::int64_t i = 0; i < n; i += W::lanes) {
    const typename W::Mask here = lanes_before<Word>(n - i);
    const Lanes v = W::load(words + i, here);
    const auto m = static_cast<typename W::Mask>(W::differ(v, p) & here);
    _mm512_storeu_si512(rest, W::packed(m, v));
    rest += count_of(m);
  }
  return n - (rest - words);
}

template <class Word> inline constexpr std::int64_t kInRegisters = 16 * WordVector<Word>::lanes;

template <class Word> [[gnu::target("arch=x86-64-v4")]] void sort_few(const Word* words, std::int64_t n, Word* out) {
  using W = WordVector<Word>;
  if (n <= 4 * W::lanes && sizeof(Word) == 4)
    sort_block<Word, sizeof(Word) == 4 ? 4 : 8>(words, n, out);
  else if (n <= 8 * W::lanes)
    sort_block<Word, 8>(words, n, out);
  else
    sort_block<Word, 16>(words, n, out);
}

/// No word is below `least`. `splits`: how many may follow each other; where pivots were bad more often, another way.
template <class Word> void sort_words(Word* words, Word* spare, std::int64_t n, Word* out, Word least, int splits) {
  while (n > kInRegisters<Word>) {
    if (splits-- == 0) {
      std::sort(words, words + n);
      std::copy_n(words, n, out);
      return;
    }
    const Word pivot = pivot_of(words, n);
    const std::int64_t went = pivot == least ? 0 : take_less(words, n, spare, pivot);
    if (went == 0) {  // the pivot is the least of all
      const std::int64_t same = leave_out(words, n, pivot);
      std::fill_n(out, same, pivot);
      out += same;
      n -= same;
      least = pivot;
      continue;
    }
    sort_words(spare, words + (n - went), went, out, least, splits);
    out += went;
    n -= went;
    least = pivot;
  }
  sort_few(words, n, out);
}

}  // namespace

bool has_quick_sort() {
  static const bool has = [] {
    const std::string narrowed = environment::value(environment::cpu_isa);
    return narrowed != "plain" && narrowed != "avx2" && lane::has_avx512() && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
  }();
  return has;
}

template <class Word> void QuickSort<Word>::sort(Word* words, Word* spare, std::int64_t n, Word* out) {
  sort_words(words, spare, n, out, Word{0}, 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))));
}

template <class Word> auto QuickSort<Word>::bounds(const Word* words, std::int64_t n) -> Bounds {
  constexpr std::int64_t kSamples = 1024;
  std::array<Word, kSamples + slack> samples, spare;
  std::array<Word, kSamples> sorted;
  std::uint64_t state = 0x9e3779b97f4a7c15u;  // places that no regular pattern of words meets
  for (std::int64_t i = 0; i < kSamples; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto within = static_cast<std::int64_t>(static_cast<Long>(state) * static_cast<Long>(n) >> 64);
    samples[i] = words[(i * n + within) / kSamples];
  }
  sort(samples.data(), spare.data(), kSamples, sorted.data());
  Bounds out;
  for (int p = 1; p < parts; ++p) out[p - 1] = sorted[kSamples * p / parts];
  return out;
}

template <class Word>
[[gnu::target("arch=x86-64-v4")]] auto QuickSort<Word>::count(const Word* words, std::int64_t n, const Bounds& bounds)
    -> Counts {
  using W = WordVector<Word>;
  Lanes limits[parts - 1], below[parts - 1];
#pragma GCC unroll 8
  for (int p = 0; p < parts - 1; ++p) {
    limits[p] = W::all(bounds[p]);
    below[p] = _mm512_setzero_si512();
  }
  for (std::int64_t i = 0; i < n; i += W::lanes) {
    const typename W::Mask here = lanes_before<Word>(n - i);
    const Lanes v = W::load(words + i, here);  // what is not here is below none
#pragma GCC unroll 8
    for (int p = 0; p < parts - 1; ++p) below[p] = W::one_more(below[p], W::less(v, limits[p]));
  }
  Counts out;
  std::int64_t before = 0;
  for (int p = 0; p < parts - 1; ++p) {
    const std::int64_t all = W::sum(below[p]);
    out[p] = all - before;
    before = all;
  }
  out[parts - 1] = n - before;
  return out;
}

template <class Word>
[[gnu::target("arch=x86-64-v4")]] void QuickSort<Word>::split(const Word* words, const Counts& counts,
                                                              const Bounds& bounds, std::array<Word*, parts> to) {
  using W = WordVector<Word>;
  using Mask = typename W::Mask;
  Lanes limits[parts - 1];
  std::array<const Word*, parts> end;
  std::int64_t n = 0;
#pragma GCC unroll 8
  for (int p = 0; p < parts; ++p) {
    if (p < parts - 1) limits[p] = W::all(bounds[p]);
    end[p] = to[p] + counts[p];
    n += counts[p];
  }
  for (std::int64_t i = 0; i < n; i += W::lanes) {
    const Mask here = lanes_before<Word>(n - i);
    const Lanes v = W::load(words + i, here);
    Mask before = 0;
#pragma GCC unroll 8
    for (int p = 0; p < parts; ++p) {
      const Mask below = p < parts - 1 ? static_cast<Mask>(W::less(v, limits[p]) & here) : here;
      const Mask mine = static_cast<Mask>(below & ~before);
      const std::int64_t count = count_of(mine);
      const Lanes packed = W::packed(mine, v);
      if (end[p] - to[p] >= W::lanes) [[likely]]
        _mm512_storeu_si512(to[p], packed);
      else
        W::store(to[p], lanes_before<Word>(count), packed);
      to[p] += count;
      before = below;
    }
  }
}

template struct QuickSort<std::uint32_t>;
template struct QuickSort<std::uint64_t>;

}  // namespace tutti::kernels
#pragma GCC diagnostic pop

#else

namespace tutti::kernels {
bool has_quick_sort() { return false; }

// What the kernels above do, word by word.
template <class Word> void QuickSort<Word>::sort(Word* words, Word*, std::int64_t n, Word* out) {
  std::sort(words, words + n);
  std::copy_n(words, n, out);
}
template <class Word> auto QuickSort<Word>::bounds(const Word* words, std::int64_t n) -> Bounds {
  Bounds out;
  for (int p = 0; p + 1 < parts; ++p) out[p] = words[n * (p + 1) / parts];
  std::sort(out.begin(), out.end());
  return out;
}
namespace {
template <class Bounds, class Word> std::size_t part_of(const Bounds& bounds, Word word) {
  return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), word) - bounds.begin());
}
}  // namespace
template <class Word> auto QuickSort<Word>::count(const Word* words, std::int64_t n, const Bounds& bounds) -> Counts {
  Counts out{};
  for (std::int64_t i = 0; i < n; ++i) ++out[part_of(bounds, words[i])];
  return out;
}
template <class Word>
void QuickSort<Word>::split(const Word* words, const Counts& counts, const Bounds& bounds,
                            std::array<Word*, parts> to) {
  std::int64_t n = 0;
  for (std::int64_t c : counts) n += c;
  for (std::int64_t i = 0; i < n; ++i) *to[part_of(bounds, words[i])]++ = words[i];
}

template struct QuickSort<std::uint32_t>;
template struct QuickSort<std::uint64_t>;
}  // namespace tutti::kernels

#endif

// SPDX-License-Identifier: Apache-2.0
