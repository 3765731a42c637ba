// A border, gaps between elements, or (negative) a narrower box. Source: jax.lax.pad.
#include <algorithm>
#include <cstring>

#include "ir/across.hpp"
#include "ops/movement/halo.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/pad.hpp"

namespace tutti::ops {
namespace {

bool in_bounds(std::int64_t width) { return -extent::most <= width && width <= extent::most; }
std::int64_t padded(std::int64_t n, const lax::PadDim& p) {
  return extent::add(n + p.low + p.high, extent::mul(std::max<std::int64_t>(n - 1, 0), p.interior));
}

std::vector<Type> infer_pad(const Call& c) {
  const auto& p = c.get<Pad>();
  const Type& x = c.operands[0];
  const Type& value = c.operands[1];
  if (value.ndim() != 0 || value.dtype != x.dtype)
    raise<TypeError>(c.op.name, "the padding value is " + value.str() + ", the operand " + x.str(),
                     "The value is a scalar of the operand's dtype: convert it first.");
  if (p.config.size() != x.shape.size())
    raise<ShapeError>(c.op.name, std::to_string(p.config.size()) + " entries of padding for " + x.str(),
                      "Give (low, high, interior) per dim.");
  Shape shape;
  for (int d = 0; d < x.ndim(); ++d) {
    const auto& q = p.config[d];
    auto refuse = [&](const std::string& why, const char* advice) {
      raise<ShapeError>(c.op.name,
                        "padding (" + std::to_string(q.low) + ", " + std::to_string(q.high) + ", " +
                            std::to_string(q.interior) + ") of dim " + std::to_string(d) + " of " + x.str() + why,
                        advice);
    };
    if (!in_bounds(q.low) || !in_bounds(q.high) || !in_bounds(q.interior))
      refuse(" is wider than any array", "Check how the widths were computed.");
    std::int64_t n = padded(x.shape[d], q);
    if (q.interior < 0 || n < 0)
      refuse(" gives extent " + std::to_string(n), "Extents and interior padding cannot be negative.");
    shape.push_back(n);
  }
  return {type(x.dtype, shape)};
}

// The value everywhere, then each element where it lands, if that is inside.
void eval_pad(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Pad>();
  const std::int64_t size = out[0].type.dtype.size();
  for (std::int64_t i = 0; i < out[0].size(); ++i) std::memcpy(out[0].as<char>() + i * size, in[1].data, size);
  const Dims strides = row_major_strides(out[0].type.shape);
  for_each_index(in[0].type.shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t i = p.config[d].low + index[d] * (p.config[d].interior + 1);
      if (i < 0 || i >= out[0].type.shape[static_cast<int>(d)]) return;
      to += i * strides[d];
    }
    std::memcpy(out[0].as<char>() + to * size, in[0].as<char>() + flat * size, size);
  });
}

Factors factors_pad(const Call& c, const std::vector<Type>& results) {
  std::vector<bool> changed;
  for (const auto& q : c.get<Pad>().config) changed.push_back(!(q == lax::PadDim{}));
  return same_dims(c, results, changed);
}

// The operand's cotangent: undo low and high, then take every (interior + 1)th. The value's: the sum of all the rest.
std::vector<Array> transposed_pad(const Call& c, const std::vector<Array>& cts, const std::vector<Array>&,
                                  const std::vector<bool>& undefined) {
  const auto& p = c.get<Pad>();
  const Shape& from = c.operands[0].shape;
  std::vector<lax::PadDim> undo;
  Dims strides;
  for (const auto& q : p.config) {
    undo.push_back({-q.low, -q.high, 0});
    strides.push_back(q.interior + 1);
  }
  Array zero = literal(cts[0].dtype(), 0);
  Array x = zeros(c.operands[0]);
  if (from.num_elements()) {
    x = lax::pad(cts[0], zero, undo);
    x = lax::slice(x, Dims(from.size(), 0), x.shape().dims(), strides);
  }
  std::vector<Array> out(2);
  if (undefined[0]) out[0] = x;
  if (undefined[1]) {
    Dims all = range(0, from.ndim());
    out[1] = all.empty() ? zero : lax::sub(lax::reduce_sum(cts[0], all), lax::reduce_sum(x, all));
  }
  return out;
}

Batched batch_pad(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                  const BatchAxis& axis) {
  std::vector<lax::PadDim> config = c.get<Pad>().config;
  config.insert(config.begin(), lax::PadDim{});
  Array x = batched(operands[0], mapped[0], axis.size);
  if (!mapped[1]) return {{lax::pad(x, operands[1], config)}, {true}};
  // One value per example: pad with anything, then put the values where the padding is.
  Array inside = lax::pad(lax::broadcast_in_dim(literal(bool_, 1), x.shape(), {}), literal(bool_, 0), config);
  Array y = lax::pad(x, literal(x.dtype(), 0), config);
  return {{lax::select(inside, y, lax::broadcast_in_dim(operands[1], y.shape(), {0}))}, {true}};
}

// The operand, or what is left of it, in the middle; what is before and behind it in one dim, then in the next one.
std::vector<Piece> pieces_of_pad(const Call& c, const Type& result) {
  const auto& config = c.get<Pad>().config;
  std::vector<std::int64_t> start(result.shape.size(), 0), extents = result.shape.dims();
  const std::vector<std::int64_t> zero = start;
  std::vector<std::int64_t> from = zero;
  std::vector<Piece> out;
  for (std::size_t d = 0; d < start.size(); ++d) {
    const auto& p = config[d];
    const std::int64_t low = std::max<std::int64_t>(p.low, 0), high = std::max<std::int64_t>(p.high, 0);
    if (p.interior != 0 || low + high > extents[d]) return {};
    Piece border{1, start, extents, zero};
    border.extents[d] = low;
    out.push_back(border);
    border.start[d] = extents[d] - high;
    border.extents[d] = high;
    out.push_back(border);
    start[d] = low;
    from[d] = low - p.low;
    extents[d] -= low + high;
  }
  out.push_back({0, start, extents, from});
  return out;
}

// With a result that is cut as the operand is: what of that, and of the border, belongs to the device's block.
AcrossDims pad_by_runs() {
  auto runs_of = [](const Call& c, const WholeTypes& whole, int dim, std::int64_t blocks) {
    const std::int64_t block = extent::ceil_div(whole.results[0].shape[dim], blocks);
    return Runs{block, -c.get<Pad>().config[dim].low, block};
  };
  AcrossDims out;
  out.run = [=](const Call& c, const WholeTypes& whole, const std::vector<Array>& blocks,
                const std::vector<Line>& lines) {
    auto config = c.get<Pad>().config;
    Array x = blocks[0];
    for (const Line& line : lines) {
      x = read_runs(x, runs_of(c, whole, line.dim, line.blocks), line, blocks[1]);
      config[line.dim] = {};
    }
    const bool more =
        std::any_of(config.begin(), config.end(), [](const lax::PadDim& p) { return !(p == lax::PadDim{}); });
    return std::vector{more ? lax::pad(x, blocks[1], config) : x};
  };
  out.received = [=](const Call& c, const WholeTypes& whole,
                     const std::vector<LineExtent>& lines) -> std::optional<std::vector<double>> {
    Type x = c.operands[0];
    std::vector<double> bytes;
    for (const LineExtent& line : lines) {
      const Runs runs = runs_of(c, whole, line.dim, line.blocks);
      const std::optional<double> along = bytes_by_runs(x, runs, line);
      if (x.dtype.is_key() || c.get<Pad>().config[line.dim].interior != 0 || !along) return std::nullopt;
      bytes.push_back(*along);
      x.shape[line.dim] = runs.length;
    }
    return bytes;
  };
  return out;
}

}  // namespace

constinit const Home pad = [] {
  Op op;
  op.name = "pad";
  op.infer = infer_pad;
  op.eval = eval_pad;
  op.factors = factors_pad;
  op.across = std::make_shared<Across>(Across{.dims = pad_by_runs()});
  op.linear = {{0, 1}};
  op.transpose = transposed_pad;
  op.batch = batch_pad;
  op.movement = true;
  op.pieces = pieces_of_pad;
  Type scalar = type(float32, {});
  op.samples = {
      {.params = Pad{{{1, 2, 0}}}, .operands = {type(float32, {3}), scalar}},
      {.params = Pad{{{0, 0, 2}, {1, 0, 1}}}, .operands = {type(float32, {3, 4}), scalar}},
      {.params = Pad{{{-1, 1, 0}, {2, -1, 0}}}, .operands = {type(float32, {3, 4}), scalar}},
      {.params = Pad{{{-1, 2, 1}, {1, -2, 1}}}, .operands = {type(float32, {3, 3}), scalar}},
      {.params = Pad{{{0, 0, 0}, {1, 0, 0}}}, .operands = {type(int32, {2, 1}), type(int32, {})}},
      {.params = Pad{{{2, 1, 3}}}, .operands = {type(float32, {0}), scalar}},
      {.params = Pad{{}}, .operands = {scalar, scalar}},
      {.params = Pad{{{0, 3, 0}}}, .operands = {type(bfloat16, {2}), type(bfloat16, {})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array pad(const In& x, const In& value, const std::vector<PadDim>& config) {
  CallScope scope(x.loc);
  return bind1(ops::pad, ops::Pad{config}, {x.array, value.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
