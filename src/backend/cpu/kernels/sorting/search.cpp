// Places in sorted vectors, by a tree of vectors of words.
#include <algorithm>

#include "backend/cpu/kernels/kernels.hpp"
#include "backend/cpu/kernels/sorting/search_tree.hpp"
#include "base/tasks.hpp"
#include "ops/reduction/ordered.hpp"
#include "ops/reduction/search.hpp"

namespace tutti::kernels {
namespace {

// Elements as signed words in the order of sort.
template <Orderable T> using SearchWord = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;
template <Orderable T> SearchWord<T> search_word(T x) {
  using S = SearchWord<T>;
  using U = std::make_unsigned_t<S>;
  return static_cast<S>(static_cast<U>(ordered(x)) ^ static_cast<U>(std::numeric_limits<S>::min()));
}

/// Elements of any dtype that has words of this kind.
template <class Word> struct Elements {
  /// The words of n elements from `x` on, `step` from one to the next: with `right`, those behind, since behind equal
  /// ones is before what comes next. Whether there is nothing behind one of them.
  using Read = bool (*)(const void* x, std::int64_t step, std::int64_t n, bool right, Word* words);
  const char* data;
  std::int64_t size;  // bytes of one
  Read read;

  Elements from(std::int64_t i) const { return {data + i * size, size, read}; }
  bool words(std::int64_t n, bool right, Word* to) const { return read(data, 1, n, right, to); }
};

template <class T>
bool read_words(const void* from, std::int64_t step, std::int64_t n, bool right, SearchWord<T>* words) {
  using Word = SearchWord<T>;
  constexpr std::int64_t kAtOnce = 16;  // a constant: the compiler makes vectors of it
  constexpr Word last = SearchTree<Word>::last;
  const T* x = static_cast<const T*>(from);
  std::int64_t j = 0;
  for (; step == 1 && j + kAtOnce <= n; j += kAtOnce)
    for (std::int64_t k = 0; k < kAtOnce; ++k) words[j + k] = search_word(x[j + k]);
  for (; j < n; ++j) words[j] = search_word(x[j * step]);
  if (!right) return false;
  Word greatest = words[0];
  for (std::int64_t k = 0; k < n; ++k) {
    greatest = std::max(greatest, words[k]);
    words[k] = static_cast<Word>(words[k] + (words[k] != last));
  }
  return greatest == last;
}

// The places of x[0, n), which are all looked for in one vector of `length` elements.
template <class Word, class Out, class Find>
void find_some(Elements<Word> x, std::int64_t n, bool right, std::int64_t length, Out* out, Find&& find) {
  constexpr std::int64_t kAtOnce = 256;
  Word words[kAtOnce];
  for (std::int64_t i = 0; i < n; i += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, n - i);
    const bool past = x.from(i).words(count, right, words);
    find(words, count, out + i);
    if (!past) continue;
    x.from(i).words(count, false, words);
    for (std::int64_t j = 0; j < count; ++j)
      if (words[j] == SearchTree<Word>::last) out[i + j] = static_cast<Out>(length);
  }
}

template <class Word, class Out>
void places(const Search& p, const HostView& sorted, const HostView& x, typename Elements<Word>::Read read, Out* out) {
  const std::int64_t n = sorted.type.shape.back(), vectors = n ? sorted.size() / n : 0;
  if (n == 0) return void(std::fill_n(out, x.size(), Out{0}));
  if (vectors == 0) return;
  const auto size = static_cast<std::int64_t>(x.type.dtype.size());
  const std::int64_t each = x.size() / vectors;
  for (std::int64_t v = 0; v < vectors; ++v) {
    const auto in = Elements<Word>{sorted.as<const char>(), size, read}.from(v * n);
    const auto values = Elements<Word>{x.as<const char>(), size, read}.from(v * each);
    Out* const to = out + v * each;
    if (each < n / 16) {  // a tree would take longer to make
      auto some = [&](std::int64_t first, std::int64_t step, std::int64_t count, Word* words) {
        read(in.from(first).data, step, count, false, words);
      };
      in_pieces(each, 100, [&](std::int64_t begin, std::int64_t end) {
        find_some(values.from(begin), end - begin, p.right, n, to + begin,
                  [&](const Word* words, std::int64_t count, Out* at) {
                    for (std::int64_t i = 0; i < count; ++i)
                      at[i] = static_cast<Out>(SearchTree<Word>::find_directly(n, some, words[i]));
                  });
      });
      continue;
    }
    const SearchTree<Word> tree(n, [&](Word* words) { in.words(n, false, words); });
    in_pieces(each, 6, [&](std::int64_t begin, std::int64_t end) {
      find_some(values.from(begin), end - begin, p.right, n, to + begin,
                [&](const Word* words, std::int64_t count, Out* at) { tree.find(words, count, at); });
    });
  }
}

}  // namespace

void search(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Search>();
  auto with = [&]<class Word>(typename Elements<Word>::Read read) {
    if (out[0].type.dtype == int32)
      places<Word>(p, in[0], in[1], read, out[0].as<std::int32_t>());
    else
      places<Word>(p, in[0], in[1], read, out[0].as<std::int64_t>());
  };
  Elements<std::int32_t>::Read short_words = nullptr;
  Elements<std::int64_t>::Read long_words = nullptr;
  visit_arithmetic_dtype(in[1].type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (Orderable<T> && sizeof(T) <= 4)
      short_words = read_words<T>;
    else if constexpr (Orderable<T>)
      long_words = read_words<T>;
  });
  if (short_words)
    with.template operator()<std::int32_t>(short_words);
  else
    with.template operator()<std::int64_t>(long_words);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
