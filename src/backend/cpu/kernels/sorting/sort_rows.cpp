// How rows are sorted: their elements as words (the element's order above its position), by digits where there are
// many. Many rows, and a long one, are shared among the workers; what comes out does not depend on them.
#include <algorithm>
#include <complex>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>

#include "backend/cpu/kernels/sorting/lane_sort.hpp"
#include "backend/cpu/kernels/sorting/least_of_row.hpp"
#include "backend/cpu/kernels/sorting/row_orders.hpp"
#include "backend/cpu/kernels/sorting/row_sorter.hpp"
#include "backend/cpu/kernels/sorting/sort_values.hpp"
#include "base/tasks.hpp"
#include "ops/reduction/sort.hpp"

namespace tutti::kernels {
namespace {

// to[i * to_step] = from[positions[i] * step]
template <class E, class Position>
void pick(const HostView& in, const Row& row, std::span<const Position> positions, const HostView& out, std::int64_t to,
          std::int64_t to_step, bool on_workers) {
  const E* from = in.as<const E>() + row.first;
  E* target = out.as<E>() + to;
  spread(on_workers, static_cast<std::int64_t>(positions.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) target[i * to_step] = from[positions[i] * row.step];
  });
}
template <class Position> using Pick = decltype(&pick<std::uint8_t, Position>);
template <class Position> Pick<Position> pick_of(std::int64_t size) {
  switch (size) {
    case 1: return pick<std::uint8_t, Position>;
    case 2: return pick<std::uint16_t, Position>;
    case 4: return pick<std::uint32_t, Position>;
    case 8: return pick<std::uint64_t, Position>;
    default: return pick<std::complex<double>, Position>;
  }
}

/// Writes what comes out of one row: operands at these positions, and the positions.
template <class Position>
void pick_all(const Sort& how, std::span<const HostView> in, const Row& row, std::span<const Position> positions,
              std::span<const HostView> out, std::int64_t to, std::int64_t to_step, bool on_workers) {
  for (std::size_t k = 0; how.elements && k < in.size(); ++k)
    pick_of<Position>(in[k].type.dtype.size())(in[k], row, positions, out[k], to, to_step, on_workers);
  if (!how.positions) return;
  visit_dtype(*how.positions, [&]<class T>(Stored<T>) {
    if constexpr (std::integral<T>) {
      T* target = out.back().as<T>() + to;
      if constexpr (std::same_as<T, std::remove_const_t<Position>>)
        if (to_step == 1 && !on_workers) return (void)std::ranges::copy(positions, target);
      spread(on_workers, static_cast<std::int64_t>(positions.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) target[i * to_step] = static_cast<T>(positions[i]);
      });
    }
  });
}

/// The rows of a call: those along `dim`, of n elements, of which `kept` come out.
struct Rows {
  std::int64_t n, kept, inner, count;

  Rows(const Sort& how, const HostView& in, const HostView& out)
      : n(in.type.shape[how.dim]), kept(out.type.shape[how.dim]) {
    inner = 1;
    for (int d = how.dim + 1; d < in.type.shape.ndim(); ++d) inner *= in.type.shape[d];
    count = in.type.shape.num_elements() / n;
  }
  Row row(std::int64_t r) const { return {r / inner * n * inner + r % inner, inner, n}; }
  std::int64_t to(std::int64_t r) const { return r / inner * kept * inner + r % inner; }
};

template <class Word> void sort_all(const Sort& how, std::span<const HostView> in, std::span<const HostView> out) {
  const Rows rows(how, in[0], out[0]);
  const bool quick = std::same_as<Word, std::uint64_t> && has_quick_sort();
  const bool on_workers = rows.n >= (quick ? kLongQuickRow : kLongRow);
  auto some = [&](std::int64_t begin, std::int64_t end) {
    RowSorter<Word> sorter(rows.n, how.descending);
    for (std::int64_t r = begin; r < end; ++r) {
      const auto positions =
          sorter.positions(in.first(static_cast<std::size_t>(how.num_keys)), rows.row(r), how.keep, on_workers);
      pick_all(how, in, rows.row(r), positions, out, rows.to(r), rows.inner, on_workers);
    }
  };
  if (on_workers)
    some(0, rows.count);
  else
    in_pieces(rows.count, 8.0 * static_cast<double>(rows.n) * static_cast<double>(how.num_keys), some);
}

// The words of a row of short keys.
void put_orders(const HostView& key, const Row& row, bool turned, std::uint32_t* out) {
  visit_arithmetic_dtype(key.type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (has_short_order<T>) row_orders(key.as<const T>() + row.first, row.step, row.n, turned, out);
  });
}

// Rows side by side.
void sort_in_lanes(const Sort& how, std::span<const HostView> in, std::span<const HostView> out) {
  const Rows rows(how, in[0], out[0]);
  constexpr std::int64_t lanes = LaneSort::rows;
  const double each_ns = static_cast<double>(rows.n) * 3;
  in_pieces((rows.count + lanes - 1) / lanes, lanes * each_ns, [&](std::int64_t begin, std::int64_t end) {
    LaneSort sorter(rows.n);
    for (std::int64_t first = begin * lanes; first < std::min(end * lanes, rows.count); first += lanes) {
      const std::int64_t count = std::min(lanes, rows.count - first);
      for (std::int64_t r = 0; r < count; ++r)
        put_orders(in[0], rows.row(first + r), how.descending, sorter.words() + r * rows.n);
      const std::int32_t* positions = sorter.sorted(count);
      for (std::int64_t r = 0; r < count; ++r) {
        const std::span all(positions + r * rows.n, static_cast<std::size_t>(rows.n));
        const auto kept = static_cast<std::size_t>(rows.kept);
        pick_all(how, in, rows.row(first + r), how.keep < 0 ? all.last(kept) : all.first(kept), out, rows.to(first + r),
                 rows.inner, false);
      }
    }
  });
}

// The first few of each row, or the last: the first of the order turned round, from behind.
void select_few(const Sort& how, std::span<const HostView> in, std::span<const HostView> out) {
  const Rows rows(how, in[0], out[0]);
  const bool last = how.keep < 0;
  in_pieces(rows.count, 50 + 0.3 * static_cast<double>(rows.n), [&](std::int64_t begin, std::int64_t end) {
    LeastOfRow least(rows.n, rows.kept);
    std::optional<RowSorter<std::uint64_t>> sorter;
    std::vector<std::int32_t> positions(static_cast<std::size_t>(rows.kept));
    for (std::int64_t r = begin; r < end; ++r) {
      put_orders(in[0], rows.row(r), how.descending != last, least.words());
      if (const std::int32_t* found = least.least(last)) {
        std::copy_n(found, rows.kept, positions.begin());
        if (last) std::reverse(positions.begin(), positions.end());
      } else {
        if (!sorter) sorter.emplace(rows.n, how.descending);
        std::ranges::copy(sorter->positions(in.first(1), rows.row(r), how.keep, false), positions.begin());
      }
      pick_all(how, in, rows.row(r), std::span<const std::int32_t>(positions), out, rows.to(r), rows.inner, false);
    }
  });
}

// Rows of which nothing but the elements is wanted.
void sort_elements(const Sort& how, const HostView& in, const HostView& out) {
  const Rows rows(how, in, out);
  visit_arithmetic_dtype(in.type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (Orderable<T>) {
      using Word = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
      const bool on_workers = rows.n >= (ValueSorter<T, Word>::is_quick() ? kLongQuickRow : kLongRow);
      auto some = [&](std::int64_t begin, std::int64_t end) {
        ValueSorter<T, Word> sorter(rows.n, how.descending);
        for (std::int64_t r = begin; r < end; ++r)
          sorter.sort(in.as<const T>() + rows.row(r).first, rows.inner, rows.n, out.as<T>() + rows.to(r), on_workers);
      };
      if (on_workers)
        some(0, rows.count);
      else
        in_pieces(rows.count, 4.0 * static_cast<double>(rows.n), some);
    }
  });
}

}  // namespace

void sort(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& how = c.get<Sort>();
  if (out[0].type.num_elements() == 0) return;
  constexpr std::int64_t kFewRows = 4;  // fewer would leave most lanes empty
  const std::int64_t n = in[0].type.shape[how.dim], kept = out[0].type.shape[how.dim];
  const bool narrow = std::all_of(in.begin(), in.begin() + how.num_keys,
                                  [](const HostView& key) { return key.type.dtype.size() <= 4; }) &&
                      n <= std::numeric_limits<std::uint32_t>::max();
  const bool in_lanes =
      narrow && how.num_keys == 1 && kept * 4 > n && in[0].type.num_elements() >= kFewRows * n && LaneSort::takes(n);
  const bool elements = in.size() == 1 && !how.positions && kept == n &&
                        n <= std::numeric_limits<std::uint32_t>::max() &&
                        (n >= kLongRow || (n > kFewElements && has_quick_sort()));
  if (elements && !in_lanes) return sort_elements(how, in[0], out[0]);
  if (narrow && how.num_keys == 1 && n < kLongRow) {
    if (kept * 4 <= n && LeastOfRow::takes(n, kept)) return select_few(how, in, out);
    if (in_lanes) return sort_in_lanes(how, in, out);
  }
  (narrow ? sort_all<std::uint64_t> : sort_all<Word128>)(how, in, out);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
