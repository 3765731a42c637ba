// Products of integer matrices in tiles: sums that wrap around come out the same in any order.
#include <algorithm>
#include <type_traits>

#include "backend/cpu/kernels/kernels.hpp"
#include "base/half.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"
#include "lane/side_by_side.hpp"
#include "lane/vectors.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::kernels {
namespace {

/// Where elements of one operand lie: the sum of one number of each list.
struct IntegerMatrices {
  HostView data;
  Dims batch, free, contract;
};

constexpr std::int64_t kTileRows = 4, kTileVectors = 2;
template <class U> constexpr std::int64_t kStrip = kTileVectors* lane::Side<U>::lanes;  // columns

// Elements of U, from their own width to that in which they are added up.
template <class U> class Words {
 public:
  explicit Words(std::int64_t n) : memory_(allocate_buffer(static_cast<std::size_t>(n) * sizeof(U))) {}
  U* data() const { return static_cast<U*>(memory_->data()); }

 private:
  HostPtr memory_;
};

template <class U, class T> U word(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return x ? 1 : 0;
  else
    return static_cast<U>(static_cast<std::int64_t>(x));
}

bool side_by_side(const Dims& places) {
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i] != places[0] + static_cast<std::int64_t>(i)) return false;
  return true;
}

// n numbers from these places of an operand on, then zeros: `all` in all.
template <class U>
using Fetch = void (*)(const void* from, std::int64_t start, const Dims& places, std::int64_t first, std::int64_t n,
                       bool dense, U* to, std::int64_t all);
template <class U, class T>
void fetch(const void* data, std::int64_t start, const Dims& places, std::int64_t first, std::int64_t n, bool dense,
           U* to, std::int64_t all) {
  const T* from = static_cast<const T*>(data) + start;
  if (dense && n > 0) {
    const T* row = from + places[static_cast<std::size_t>(first)];
    std::transform(row, row + n, to, word<U, T>);
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = word<U>(from[places[static_cast<std::size_t>(first + i)]]);
  }
  std::fill(to + n, to + all, U{0});
}
template <class U> Fetch<U> fetch_from(DType dtype) {
  return visit_arithmetic_dtype(dtype, []<class T>(Stored<T>) -> Fetch<U> {
    if constexpr (std::is_integral_v<T>)
      return fetch<U, T>;
    else
      return nullptr;
  });
}

// n sums as elements of the result, from number `at` on.
template <class U> using Keep = void (*)(const U* sums, std::int64_t n, const HostView& out, std::int64_t at);
template <class U, class Out> void keep(const U* sums, std::int64_t n, const HostView& out, std::int64_t at) {
  std::transform(sums, sums + n, out.as<Out>() + at, [](U x) { return static_cast<Out>(x); });
}
template <class U> Keep<U> keep_as(DType dtype) {
  return visit_arithmetic_dtype(dtype, []<class Out>(Stored<Out>) -> Keep<U> {
    if constexpr (std::is_integral_v<Out>)
      return keep<U, Out>;
    else
      return nullptr;
  });
}

// out[r][j] = sum over i of a[r][i] * strip[i][j], two vectors of columns at a time.
template <class U, int bytes>
[[gnu::always_inline]] inline void add_products(const U* a, const U* strip, std::int64_t k, U* out) {
  using V = typename lane::vectors::Of<U, bytes>::V;
  constexpr std::int64_t lanes = bytes / sizeof(U);
  for (std::int64_t j = 0; j < kStrip<U>; j += kTileVectors * lanes) {
    V sums[kTileRows][kTileVectors] = {};
    const U* row = strip + j;
    for (std::int64_t i = 0; i < k; ++i, row += kStrip<U>)
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kTileRows; ++r)
#pragma GCC unroll 2
        for (std::int64_t v = 0; v < kTileVectors; ++v) sums[r][v] += a[r * k + i] * reinterpret_cast<const V*>(row)[v];
    for (std::int64_t r = 0; r < kTileRows; ++r)
      for (std::int64_t v = 0; v < kTileVectors; ++v) reinterpret_cast<V*>(out + r * kStrip<U> + j)[v] = sums[r][v];
  }
}

template <class U> void tile(const U* a, const U* strip, std::int64_t k, U* out) {
  lane::with_vectors([&]<int bytes>() __attribute__((always_inline)) { add_products<U, bytes>(a, strip, k, out); });
}

template <class U> void product(const IntegerMatrices& l, const IntegerMatrices& r, const HostView& out) {
  const auto batches = static_cast<std::int64_t>(l.batch.size()), m = static_cast<std::int64_t>(l.free.size()),
             n = static_cast<std::int64_t>(r.free.size()), k = static_cast<std::int64_t>(l.contract.size());
  const std::int64_t strips = (n + kStrip<U> - 1) / kStrip<U>, groups = (m + kTileRows - 1) / kTileRows;
  const Words<U> packed(batches * strips * k * kStrip<U>);
  const Fetch<U> read = fetch_from<U>(l.data.type.dtype);
  const Keep<U> write = keep_as<U>(out.type.dtype);
  const bool columns_dense = side_by_side(r.free), terms_dense = side_by_side(l.contract);
  in_pieces(batches * strips, static_cast<double>(k * kStrip<U>), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t first = s % strips * kStrip<U>, here = std::min(kStrip<U>, n - first);
      const std::int64_t start = r.batch[static_cast<std::size_t>(s / strips)];
      U* to = packed.data() + s * k * kStrip<U>;
      for (std::int64_t i = 0; i < k; ++i, to += kStrip<U>)
        read(r.data.data, start + r.contract[static_cast<std::size_t>(i)], r.free, first, here, columns_dense, to,
             kStrip<U>);
    }
  });
  const double group_ns = 100 + 0.1 * static_cast<double>(kTileRows * k * strips * kStrip<U>);
  in_pieces(batches * groups, group_ns, [&](std::int64_t begin, std::int64_t end) {
    const Words<U> rows(kTileRows * k), sums(kTileRows * kStrip<U>);
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t b = g / groups, first = g % groups * kTileRows, here = std::min(kTileRows, m - first);
      std::fill_n(rows.data(), kTileRows * k, U{0});
      for (std::int64_t i = 0; i < here; ++i)
        read(l.data.data, l.batch[static_cast<std::size_t>(b)] + l.free[static_cast<std::size_t>(first + i)],
             l.contract, 0, k, terms_dense, rows.data() + i * k, k);
      for (std::int64_t s = 0; s < strips; ++s) {
        tile<U>(rows.data(), packed.data() + (b * strips + s) * k * kStrip<U>, k, sums.data());
        const std::int64_t columns = std::min(kStrip<U>, n - s * kStrip<U>);
        for (std::int64_t i = 0; i < here; ++i)
          write(sums.data() + i * kStrip<U>, columns, out, (b * m + first + i) * n + s * kStrip<U>);
      }
    }
  });
}

// The place of each combination of `dims`, in row-major order.
Dims places(const Type& x, const Dims& dims) {
  const Dims strides = row_major_strides(x.shape);
  Dims out{0};
  for (std::int64_t d : dims) {
    Dims finer;
    for (std::int64_t place : out)
      for (std::int64_t i = 0; i < x.shape[d]; ++i) finer.push_back(place + i * strides[d]);
    out = std::move(finer);
  }
  return out;
}

bool is_integral(DType d) { return d.is_integer() || d.is_bool(); }

}  // namespace

bool is_integer_product(const Call& c) {
  constexpr std::int64_t kManyProducts = 4096;  // from which tiles pay
  const auto& p = c.get<DotGeneral>();
  if (!is_integral(c.operands[0].dtype) || !is_integral(p.preferred.value_or(c.operands[0].dtype))) return false;
  std::int64_t products = c.operands[0].num_elements();
  for (std::int64_t d : free_dims(c.operands[1].ndim(), p.dims.rhs_contract, p.dims.rhs_batch))
    products *= c.operands[1].shape[static_cast<int>(d)];
  return products >= kManyProducts;
}

void integer_product(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& d = c.get<DotGeneral>().dims;
  const Type &l = in[0].type, &r = in[1].type;
  const IntegerMatrices lhs{in[0], places(l, d.lhs_batch), places(l, free_dims(l.ndim(), d.lhs_contract, d.lhs_batch)),
                            places(l, d.lhs_contract)},
      rhs{in[1], places(r, d.rhs_batch), places(r, free_dims(r.ndim(), d.rhs_contract, d.rhs_batch)),
          places(r, d.rhs_contract)};
  (out[0].type.dtype.size() == 8 ? product<std::uint64_t> : product<std::uint32_t>)(lhs, rhs, out[0]);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
