// Places in sorted vectors. Source: jax.numpy.searchsorted.
#include "ops/reduction/search.hpp"

#include <algorithm>

#include "base/tasks.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/ordered.hpp"
#include "ops/reduction/search_tree.hpp"

namespace tutti::ops {
namespace {

bool has_places(DType dtype) {
  return !dtype.is_key() &&
         visit_arithmetic_dtype(arithmetic_dtype(dtype), []<class T>(Stored<T>) { return Orderable<T>; });
}

std::vector<Type> infer_search(const Call& c) {
  const auto& p = c.get<Search>();
  const Type &sorted = c.operands[0], &x = c.operands[1];
  if (sorted.dtype != x.dtype)
    raise<TypeError>(c.op.name, "the vector is " + sorted.str() + ", what is looked for " + x.str(),
                     "They have one dtype.");
  if (!has_places(x.dtype))
    raise<TypeError>(c.op.name, x.str() + " has no order", "Look for integers, floats or bools.");
  if (sorted.ndim() != p.batch + 1 || x.ndim() < p.batch ||
      !std::equal(sorted.shape.begin(), sorted.shape.begin() + p.batch, x.shape.begin()))
    raise<ShapeError>(c.op.name, "the vectors are " + sorted.str() + ", what is looked for " + x.str(),
                      "There is one vector for each of the " + std::to_string(p.batch) + " first dims.");
  return {type(sorted.shape.back() <= INT32_MAX ? int32 : int64, x.shape)};
}

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

void eval_search(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
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

Factors factors_search(const Call& c, const std::vector<Type>& results) {
  const int batch = c.get<Search>().batch;
  FactorBuilder b(c, results);
  for (int d = 0; d < c.operands[1].ndim(); ++d) {
    const int factor = b.share(1, d, d, c.operands[1].shape[d]);
    if (d < batch) b.f.operands[0][d] = {factor};
  }
  b.fixed_operand(0, batch, c.operands[0].shape.back());
  return b.f;
}

Batched batch_search(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  Search p = c.get<Search>();
  if (!mapped[0] && p.batch == 0) return {{bind1(c.op, p, xs)}, {true}};  // more to look for in the same vector
  ++p.batch;
  return {{bind1(c.op, p, {batched(xs[0], mapped[0], axis.size), batched(xs[1], mapped[1], axis.size)})}, {true}};
}

}  // namespace

constinit const Home search = [] {
  Op op;
  op.name = "search";
  op.infer = infer_search;
  op.eval = eval_search;
  op.factors = factors_search;
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = batch_search;
  op.flops = [](const Call& c, const std::vector<Type>& results) {
    double levels = 1;
    for (std::int64_t n = c.operands[0].shape.back(); n >= 16; n /= 16) ++levels;
    return 16 * levels * static_cast<double>(results[0].num_elements());
  };
  auto sample = [&](bool right, int dims, DType dtype, Shape sorted, Shape x) {
    op.samples.push_back({.params = Search{right, dims},
                          .operands = {type(dtype, std::move(sorted)), type(dtype, std::move(x))},
                          .differentiable = false});
  };
  for (bool right : {false, true}) {
    sample(right, 0, float32, {5}, {7});
    sample(right, 0, bfloat16, {40}, {3, 4});
    sample(right, 0, int32, {300}, {});
    sample(right, 0, bool_, {2}, {4});
    sample(right, 1, int8, {3, 20}, {3, 2, 2});
    sample(right, 2, float32, {2, 3, 4}, {2, 3});
    sample(right, 0, float32, {0}, {4});
    sample(right, 0, float32, {4}, {0});
  }
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
