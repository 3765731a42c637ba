// Programs of many trades, as people write them: `./dev bench partition --programs real`. A file per trade; every
// spelling of a program is a row of its own. docs/design/022-partition-bench.md says what is counted.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "../row.hpp"
#include "tutti/tutti.hpp"

namespace bench::real {

/// Extents of programs: those that are planned, or small ones, at which simulated devices run them in a moment.
class Extents {
 public:
  /// The extents that plans and ideals are for.
  Extents() = default;
  /// Small ones, each `more` longer than what the devices divide: with 1 all blocks are uneven.
  static Extents small(std::int64_t more = 0) { return Extents(true, more); }
  std::int64_t operator()(std::int64_t planned, std::int64_t small) const { return small_ ? small + more_ : planned; }
  /// Of programs that ask for an even extent, a power of two, or a multiple of something.
  std::int64_t fixed(std::int64_t planned, std::int64_t small) const { return small_ ? small : planned; }

 private:
  Extents(bool small, std::int64_t more) : small_(small), more_(more) {}
  bool small_ = false;
  std::int64_t more_ = 0;
};

struct Trade {
  const char* name;
  std::vector<Row> (*rows)(const Extents& at);
};
std::vector<Row> stencils(const Extents& at);
std::vector<Row> grids(const Extents& at);
std::vector<Row> images(const Extents& at);
std::vector<Row> transforms(const Extents& at);
std::vector<Row> sequences(const Extents& at);
std::vector<Row> language(const Extents& at);
std::vector<Row> tables(const Extents& at);
std::vector<Row> graphs(const Extents& at);
std::vector<Row> particles(const Extents& at);
std::vector<Row> matrices(const Extents& at);
std::vector<Row> movement(const Extents& at);
std::vector<Row> flows(const Extents& at);
std::vector<Row> filters(const Extents& at);
std::vector<Row> networks(const Extents& at);
std::vector<Row> frames(const Extents& at);
std::vector<Row> layers(const Extents& at);
std::vector<Row> solvers(const Extents& at);
std::vector<Row> simulations(const Extents& at);
const std::vector<Trade>& trades();

// --- bytes that a device receives

inline double all_gather(double n, double whole) { return (n - 1) / n * whole; }
inline double reduce_scatter(double n, double whole) { return (n - 1) / n * whole; }
inline double all_reduce(double n, double value) { return 2 * (n - 1) / n * value; }
inline double all_to_all(double n, double block) { return (n - 1) / n * block; }
/// Means of points of 64 numbers in k clusters: sums and counts of a part of the clusters each, then the means.
inline double bytes_of_centres(double k) {
  return reduce_scatter(8, k * 64 * 4) + reduce_scatter(8, k * 4) + all_gather(8, k * 64 * 4);
}
/// A number of 4 bytes added up over 8 devices.
constexpr double scalar_sum = 7;
/// What a block receives of its neighbours: `rows[d]` rows along dim d, of both sides together, one dim after the
/// other. With corners later dims send what earlier ones brought as well.
double borders(const Shape& block, const std::vector<std::int64_t>& rows, bool corners = false, int item_size = 4);
inline double as_double(std::int64_t n) { return static_cast<double>(n); }

// --- rows

inline const MeshAxes d8{{8}, {"d"}}, xy42{{4, 2}, {"x", "y"}}, xyz222{{2, 2, 2}, {"x", "y", "z"}};
inline const PartitionSpec whole = P(), cut = P("d"), second = P(none, "d"), third = P(none, none, "d"),
                           xy = P("x", "y"), xyz = P("x", "y", "z");

/// All elements of a dim but the first and last, but the last, but the first.
inline const auto inner = slice(1, -1), front = slice(none, -1), rest = slice(1, none);

/// Integers from 0 to below `below`.
inline Input ids(Shape shape, PartitionSpec spec, std::int64_t below) {
  return {std::move(shape), std::move(spec), int32, false, below};
}
inline Input numbers(Shape shape, PartitionSpec spec) { return {std::move(shape), std::move(spec), float32, true}; }
inline Input complex_numbers(Shape shape, PartitionSpec spec) { return {std::move(shape), std::move(spec), complex64}; }

inline Arrays as_results(const Array& x) { return {x}; }
inline Arrays as_results(Arrays x) { return x; }
inline Arrays as_results(const std::pair<Array, Array>& x) { return {x.first, x.second}; }

template <class F, class... More> constexpr std::size_t arity() {
  static_assert(sizeof...(More) < 12);
  if constexpr (std::is_invocable_v<F, More...>)
    return sizeof...(More);
  else
    return arity<F, More..., const Array&>();
}
/// A function of arrays, which returns one, two or a list of them, as the program of a row.
template <class F> Function of(F f) {
  return [f](const Arrays& in) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return as_results(f(in[I]...)); }
    (std::make_index_sequence<arity<F>()>());
  };
}

using Two = std::pair<Array, Array>;

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
