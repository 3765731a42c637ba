#include "ops/movement/halo.hpp"

#include <algorithm>
#include <limits>

#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

// Where runs lie, counted from the block of the device that reads: the least of them and what is behind the last.
struct Reach {
  std::int64_t from = std::numeric_limits<std::int64_t>::max(), to = std::numeric_limits<std::int64_t>::min();
  bool outside = false;  // some are not all in the dim
  bool any() const { return from < to; }
};

Reach reach_of(const Runs& runs, std::int64_t block, std::int64_t blocks, std::int64_t extent) {
  Reach out;
  for (std::int64_t k = 0; k < blocks; ++k) {
    const std::int64_t first = runs.start(k), last = first + runs.length, low = std::max<std::int64_t>(first, 0),
                       high = std::min(last, extent);
    out.outside = out.outside || low != first || high != last;
    if (low >= high) continue;
    out.from = std::min(out.from, low - k * block);
    out.to = std::max(out.to, high - k * block);
  }
  return out;
}

// Whether blocks are even, and runs do not drift from them.
bool lie_around_blocks(const Runs& runs, std::int64_t block, std::int64_t blocks, std::int64_t extent) {
  return runs.step == block && runs.divisor == 1 && block * blocks == extent;
}
// Of two devices one needs what is before its block, and the other what is behind: how many elements they exchange for
// both. Zero where that is not so.
std::int64_t exchanged(const Runs& runs, const Reach& reach, std::int64_t block, std::int64_t blocks,
                       std::int64_t extent) {
  const bool both = blocks == 2 && reach.any() && reach.from < 0 && reach.to > block;
  return both && lie_around_blocks(runs, block, blocks, extent) ? std::max(-reach.from, reach.to - block) : 0;
}

// f(by, from, to): elements from..to-1 of the block `by` places behind.
template <class F> void for_each_piece(const Reach& reach, std::int64_t block, F f) {
  for (std::int64_t by = floor_div(reach.from, block); reach.any() && by * block < reach.to; ++by)
    f(by, std::max<std::int64_t>(0, reach.from - by * block), std::min(block, reach.to - by * block));
}

Array scalar_of(std::int64_t v) { return literal(int32, static_cast<double>(v)); }
Array everywhere(const Array& scalar, const Shape& shape) { return lax::broadcast_in_dim(scalar, shape, {}); }

// place * step + offset, brought above zero by whole divisors, of which there are `above`.
struct Counted {
  Array value;
  std::int64_t above;
};
Counted counted(const Runs& runs, const Array& position) {
  const std::int64_t above = std::max<std::int64_t>(0, -floor_div(runs.offset, runs.divisor));
  const Array at = lax::add(lax::mul(position, scalar_of(runs.step)), scalar_of(runs.offset + above * runs.divisor));
  return {at, above};
}
Array start_here(const Runs& runs, const Array& position) {
  const Counted at = counted(runs, position);
  const Array start = runs.divisor == 1 ? at.value : lax::div(at.value, scalar_of(runs.divisor));
  return at.above == 0 ? start : lax::sub(start, scalar_of(at.above));
}

Array sliced(const Array& x, int dim, std::int64_t from, std::int64_t to) {
  if (from == 0 && to == x.shape()[dim]) return x;
  Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
  start[static_cast<std::size_t>(dim)] = from;
  limit[static_cast<std::size_t>(dim)] = to;
  return lax::slice(x, start, limit);
}
Array extended(const Array& x, int dim, std::int64_t low, std::int64_t high, const Array& fill) {
  if (low == 0 && high == 0) return x;
  std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
  config[static_cast<std::size_t>(dim)] = {low, high, 0};
  return lax::pad(x, fill, config);
}
Array chosen_if(const Array& truth, const Array& x, const Array& fill) {
  const Array all = truth.ndim() == 0 ? everywhere(truth, x.shape()) : truth;
  return lax::select(all, x, everywhere(fill, x.shape()));
}

// x, whose element 0 is element `start` of the whole dim, with `fill` where that has none.
Array inside(const Array& x, const Array& start, const Line& line, const Array& fill) {
  const Array at = lax::add(lax::iota(int32, x.shape(), line.dim), everywhere(start, x.shape()));
  return chosen_if(lax::bitwise_and(lax::ge(at, everywhere(scalar_of(0), x.shape())),
                                    lax::lt(at, everywhere(scalar_of(line.extent), x.shape()))),
                   x, fill);
}

}  // namespace

std::int64_t Runs::start(std::int64_t place) const { return floor_div(place * step + offset, divisor); }
std::int64_t Runs::rest(std::int64_t place) const { return place * step + offset - start(place) * divisor; }

Array rest_here(const Runs& runs, const Line& line) {
  return lax::rem(counted(runs, line.position()).value, scalar_of(runs.divisor));
}

Array part_at(const Array& x, int dim, const Array& from, std::int64_t length) {
  std::vector<Array> operands(static_cast<std::size_t>(x.ndim()) + 1, scalar_of(0));
  operands[0] = x;
  operands[static_cast<std::size_t>(dim) + 1] = from;
  Shape sizes = x.shape();
  sizes[dim] = length;
  return bind1(dynamic_slice, DynamicSlice{sizes}, operands);
}

Array without_padding(const Array& block, const Line& line) {
  const std::int64_t n = block.shape()[line.dim];
  if (n * line.blocks == line.extent) return block;
  return inside(block, lax::mul(line.position(), scalar_of(n)), line, literal(block.dtype(), 0));
}

Array read_runs(const Array& block, const Runs& runs, const Line& line, const Array& fill) {
  const std::int64_t n = block.shape()[line.dim];
  const Reach reach = reach_of(runs, n, line.blocks, line.extent);
  if (!reach.any()) {
    Shape shape = block.shape();
    shape[line.dim] = runs.length;
    return everywhere(fill, shape);
  }
  // Of even blocks around which runs do not drift, whole pieces are outside: those that come from the other end.
  const bool drifts = runs.step != n || runs.divisor != 1;
  const bool by_pieces = lie_around_blocks(runs, n, line.blocks, line.extent);
  const Array position = line.position();
  const std::int64_t wide = exchanged(runs, reach, n, line.blocks, line.extent);
  Array other;  // of two devices: the last elements of the first, and the first ones of the last
  if (wide > 0) {
    const Array last = sliced(block, line.dim, n - wide, n), first = sliced(block, line.dim, 0, wide);
    other = line.shifted(lax::select(everywhere(lax::eq(position, scalar_of(0)), last.shape()), last, first), 1);
  }
  std::vector<Array> pieces;
  for_each_piece(reach, n, [&](std::int64_t by, std::int64_t from, std::int64_t to) {
    Array piece;
    if (wide > 0 && by != 0)
      piece = by < 0 ? sliced(other, line.dim, wide - (to - from), wide) : sliced(other, line.dim, 0, to - from);
    else
      piece = line.shifted(sliced(block, line.dim, from, to), -by);
    if (by_pieces && by < 0) piece = chosen_if(lax::ge(position, scalar_of(-by)), piece, fill);
    if (by_pieces && by > 0) piece = chosen_if(lax::lt(position, scalar_of(line.blocks - by)), piece, fill);
    pieces.push_back(piece);
  });
  const Array all = pieces.size() == 1 ? pieces[0] : lax::concatenate(pieces, line.dim);
  if (!drifts) {
    const std::int64_t from = runs.offset - reach.from;
    const Array out = extended(all, line.dim, -from, from + runs.length - (reach.to - reach.from), fill);
    return by_pieces || !reach.outside ? out : inside(out, start_here(runs, position), line, fill);
  }
  std::int64_t before = 0, behind = 0;  // of runs of which some is in the dim
  for (std::int64_t k = 0; k < line.blocks; ++k) {
    const std::int64_t first = runs.start(k);
    if (first + runs.length <= 0 || first >= line.extent) continue;
    before = std::max(before, reach.from - (first - k * n));
    behind = std::max(behind, first - k * n + runs.length - reach.to);
  }
  const Array longer = extended(all, line.dim, before, behind, fill), start = start_here(runs, position);
  const Array at = lax::add(lax::sub(start, lax::mul(position, scalar_of(n))), scalar_of(before - reach.from));
  const Array out = part_at(longer, line.dim, at, runs.length);
  return reach.outside ? inside(out, start, line, fill) : out;
}

std::optional<std::int64_t> received_by_runs(const Runs& runs, std::int64_t block, const LineExtent& line) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
  const auto fits = [](std::int64_t v) { return -most < v && v < most; };
  if (!fits(runs.length) || !fits(runs.offset) || !fits(line.extent) || !fits(block * line.blocks) ||
      !fits(runs.step * line.blocks + runs.offset))
    return std::nullopt;
  const Reach reach = reach_of(runs, block, line.blocks, line.extent);
  if (const std::int64_t wide = exchanged(runs, reach, block, line.blocks, line.extent); wide > 0) return wide;
  std::int64_t out = 0;
  for_each_piece(reach, block,
                 [&](std::int64_t by, std::int64_t from, std::int64_t to) { out += by % line.blocks ? to - from : 0; });
  return out;
}

std::optional<double> bytes_by_runs(const Type& block, const Runs& runs, const LineExtent& line) {
  const std::optional<std::int64_t> elements = received_by_runs(runs, block.shape[line.dim], line);
  if (!elements) return std::nullopt;
  return static_cast<double>(block.nbytes()) / static_cast<double>(block.shape[line.dim]) *
         static_cast<double>(*elements);
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
