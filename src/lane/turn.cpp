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
Square<std::uint32_t> turn_words() { return has_avx512() ? turn_wide : turn_narrow<std::uint32_t>; }
#else
Square<std::uint32_t> turn_words() { return turn_narrow<std::uint32_t>; }
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
  static const Square<std::uint32_t> square = turn_words();
  turn(square, static_cast<const std::uint32_t*>(in), in_step, rows, cols, static_cast<std::uint32_t*>(out), out_step);
}
void turn_squares(const void* in, std::int64_t in_step, std::int64_t rows, std::int64_t cols, void* out,
                  std::int64_t out_step, std::uint64_t) {
  turn(turn_narrow<std::uint64_t>, static_cast<const std::uint64_t*>(in), in_step, rows, cols,
       static_cast<std::uint64_t*>(out), out_step);
}
}  // namespace detail

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
