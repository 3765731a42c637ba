#include "lane/turn.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lane/side_by_side.hpp"
#include "lane/square16.hpp"

namespace tutti::lane {
namespace {

/// Vectors that every processor has, wherever they lie, whatever they are of.
template <class Word> struct Narrow {
  static constexpr int count = 16 / static_cast<int>(sizeof(Word));
  typedef Word V __attribute__((vector_size(16)));
  typedef Word Anywhere __attribute__((vector_size(16))) __attribute__((aligned(sizeof(Word))))
  __attribute__((may_alias));

  [[gnu::always_inline]] static V load(const Word* p) { return *reinterpret_cast<const Anywhere*>(p); }
  [[gnu::always_inline]] static void store(Word* p, V x) { *reinterpret_cast<Anywhere*>(p) = x; }
  // Lanes that differ in bit `half` change with rows that do.
  template <int half, std::size_t... l>
  [[gnu::always_inline]] static void exchange(V& a, V& b, std::index_sequence<l...>) {
    const V first = __builtin_shufflevector(
        a, b, (static_cast<int>(l) & half ? count + static_cast<int>(l) - half : static_cast<int>(l))...);
    b = __builtin_shufflevector(
        a, b, (static_cast<int>(l) & half ? count + static_cast<int>(l) : static_cast<int>(l) + half)...);
    a = first;
  }
  template <int half> [[gnu::always_inline]] static void exchange_rows(V* v) {
#pragma GCC unroll 4
    for (int r = 0; r < count; ++r)
      if (!(r & half)) exchange<half>(v[r], v[r + half], std::make_index_sequence<static_cast<std::size_t>(count)>());
  }
  [[gnu::always_inline]] static void turn(V* v) {
    exchange_rows<1>(v);
    if constexpr (count > 2) exchange_rows<2>(v);
  }
};

template <class Word> inline constexpr std::int64_t kSquare = 64 / sizeof(Word);

template <class Word> using Square = void (*)(const Word* in, std::int64_t in_step, Word* out, std::int64_t out_step);

template <class Word> void turn_narrow(const Word* in, std::int64_t in_step, Word* out, std::int64_t out_step) {
  using Part = Narrow<Word>;
  for (std::int64_t i = 0; i < kSquare<Word>; i += Part::count)
    for (std::int64_t j = 0; j < kSquare<Word>; j += Part::count) {
      typename Part::V v[Part::count];
      for (int r = 0; r < Part::count; ++r) v[r] = Part::load(in + (i + r) * in_step + j);
      Part::turn(v);
      for (int r = 0; r < Part::count; ++r) Part::store(out + (j + r) * out_step + i, v[r]);
    }
}

#if TUTTI_X86
[[gnu::target("avx512f")]] void turn_wide(const std::uint32_t* in, std::int64_t in_step, std::uint32_t* out,
                                          std::int64_t out_step) {
  square16<false, 0>(reinterpret_cast<const float*>(in), in_step, reinterpret_cast<float*>(out), out_step);
}

// Of eight words each: pairs of rows, pairs of pairs, then halves of vectors change places.
TUTTI_AVX2 void turn_avx2(const std::uint32_t* from, std::int64_t in_step, std::uint32_t* to, std::int64_t out_step) {
  const auto* in = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<float*>(to);
  for (std::int64_t i = 0; i < 16; i += 8)
    for (std::int64_t j = 0; j < 16; j += 8) {
      __m256 a[8], b[8];
#pragma GCC unroll 8
      for (int r = 0; r < 8; ++r) a[r] = _mm256_loadu_ps(in + (i + r) * in_step + j);
#pragma GCC unroll 8
      for (int r = 0; r < 8; r += 2) {
        b[r] = _mm256_unpacklo_ps(a[r], a[r + 1]);
        b[r + 1] = _mm256_unpackhi_ps(a[r], a[r + 1]);
      }
#pragma GCC unroll 8
      for (int r = 0; r < 8; ++r) {
        const int first = r / 4 * 4 + r % 4 / 2;  // columns 0 and 1 of both halves, then 2 and 3
        a[r] = r % 2 == 0 ? _mm256_shuffle_ps(b[first], b[first + 2], 0x44)
                          : _mm256_shuffle_ps(b[first], b[first + 2], 0xee);
      }
#pragma GCC unroll 8
      for (int c = 0; c < 4; ++c) {
        _mm256_storeu_ps(out + (j + c) * out_step + i, _mm256_permute2f128_ps(a[c], a[c + 4], 0x20));
        _mm256_storeu_ps(out + (j + c + 4) * out_step + i, _mm256_permute2f128_ps(a[c], a[c + 4], 0x31));
      }
    }
}
TUTTI_AVX2 void turn_avx2(const std::uint64_t* from, std::int64_t in_step, std::uint64_t* to, std::int64_t out_step) {
  const auto* in = reinterpret_cast<const double*>(from);
  auto* out = reinterpret_cast<double*>(to);
  for (std::int64_t i = 0; i < 8; i += 4)
    for (std::int64_t j = 0; j < 8; j += 4) {
      __m256d a[4], b[4];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) a[r] = _mm256_loadu_pd(in + (i + r) * in_step + j);
#pragma GCC unroll 2
      for (int r = 0; r < 4; r += 2) {
        b[r] = _mm256_unpacklo_pd(a[r], a[r + 1]);
        b[r + 1] = _mm256_unpackhi_pd(a[r], a[r + 1]);
      }
#pragma GCC unroll 2
      for (int c = 0; c < 2; ++c) {
        _mm256_storeu_pd(out + (j + c) * out_step + i, _mm256_permute2f128_pd(b[c], b[c + 2], 0x20));
        _mm256_storeu_pd(out + (j + c + 2) * out_step + i, _mm256_permute2f128_pd(b[c], b[c + 2], 0x31));
      }
    }
}
template <class Word> Square<Word> square_of() {
  if constexpr (sizeof(Word) == 4)
    if (has_avx512()) return turn_wide;
  return has_avx2() ? static_cast<Square<Word>>(turn_avx2) : turn_narrow<Word>;
}
#else
template <class Word> Square<Word> square_of() { return turn_narrow<Word>; }
#endif

template <class Word>
void turn(Square<Word> square, const Word* in, std::int64_t in_step, std::int64_t rows, std::int64_t cols, Word* out,
          std::int64_t out_step) {
  constexpr std::int64_t count = kSquare<Word>;
  for (std::int64_t i = 0; i < rows; i += count)
    for (std::int64_t j = 0; j < cols; j += count) {
      const Word* from = in + i * in_step + j;
      Word* to = out + j * out_step + i;
      const std::int64_t in_rows = std::min(count, rows - i), out_rows = std::min(count, cols - j);
      if (in_rows == count && out_rows == count) {
        square(from, in_step, to, out_step);
        continue;
      }
      Word part[count * count] = {}, turned[count * count];
      for (std::int64_t r = 0; r < in_rows; ++r) std::memcpy(part + r * count, from + r * in_step, 64);
      square(part, count, turned, count);
      for (std::int64_t r = 0; r < out_rows; ++r) std::memcpy(to + r * out_step, turned + r * count, 64);
    }
}

}  // namespace

namespace detail {
void turn_squares(const void* in, std::int64_t in_step, std::int64_t rows, std::int64_t cols, void* out,
                  std::int64_t out_step, std::uint32_t) {
  static const Square<std::uint32_t> square = square_of<std::uint32_t>();
  turn(square, static_cast<const std::uint32_t*>(in), in_step, rows, cols, static_cast<std::uint32_t*>(out), out_step);
}
void turn_squares(const void* in, std::int64_t in_step, std::int64_t rows, std::int64_t cols, void* out,
                  std::int64_t out_step, std::uint64_t) {
  static const Square<std::uint64_t> square = square_of<std::uint64_t>();
  turn(square, static_cast<const std::uint64_t*>(in), in_step, rows, cols, static_cast<std::uint64_t*>(out), out_step);
}
}  // namespace detail

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
