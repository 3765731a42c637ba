// How often each small number stands in an array. Source: jax.numpy.bincount.
#include "ops/reduction/bincount.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "base/half.hpp"
#include "base/tasks.hpp"
#include "lane/side_by_side.hpp"
#include "ops/movement/movement.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::ops {
namespace {

std::vector<Type> infer_bincount(const Call& c) {
  const auto& p = c.get<Bincount>();
  const Type& x = c.operands[0];
  if (!x.dtype.is_integer()) raise<TypeError>(c.op.name, "the array is " + x.str(), "It takes integers.");
  if (!p.counts.is_integer())
    raise<TypeError>(c.op.name, "counts cannot be " + std::string(p.counts.name()), "Ask for an integer dtype.");
  if (p.length < 0)
    raise<ValueError>(c.op.name, "the length is " + std::to_string(p.length), "Ask for 0 numbers or more.");
  Shape shape(Dims(x.shape.begin(), x.shape.begin() + p.batch));
  shape.push_back(p.length);
  return {type(p.counts, shape)};
}

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

void eval_bincount(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
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

Factors factors_bincount(const Call& c, const std::vector<Type>& results) {
  const int batch = c.get<Bincount>().batch;
  FactorBuilder b(c, results);
  for (int d = 0; d < c.operands[0].ndim(); ++d) {
    if (d < batch)
      b.share(0, d, d, results[0].shape[d]);
    else  // with a factor behind it blocks are equal: what fills up a shorter one would be counted
      b.f.operands[0][d] = {b.add(c.operands[0].shape[d], Factors::Kind::sum), b.add(1)};
  }
  b.fixed_result(batch, c.get<Bincount>().length);
  return b.f;
}

}  // namespace

constinit const Home bincount = [] {
  Op op;
  op.name = "bincount";
  op.infer = infer_bincount;
  op.eval = eval_bincount;
  op.factors = factors_bincount;
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = [](const Call& c, const std::vector<Array>& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    Bincount p = c.get<Bincount>();
    ++p.batch;
    return {{bind1(c.op, p, x)}, {true}};
  };
  op.flops = [](const Call& c, const std::vector<Type>&) { return static_cast<double>(c.operands[0].num_elements()); };
  auto sample = [&](Bincount p, DType dtype, Shape shape) {
    op.samples.push_back(
        {.params = p, .operands = {type(dtype, std::move(shape))}, .lo = -2, .hi = 6, .differentiable = false});
  };
  sample({4}, int32, {30});
  sample({5}, int8, {3, 7});
  sample({5, int32, 1}, uint8, {3, 7});
  sample({3, uint32, 2}, int32, {2, 3, 4});
  sample({0}, int32, {4});
  sample({4}, int32, {0});
  sample({4}, int32, {});
  return op;
};

}  // namespace tutti::ops
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
