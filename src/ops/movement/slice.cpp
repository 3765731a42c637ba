// A box with strides, its place fixed. Source: jax.lax.slice.
#include "ops/movement/slice.hpp"

#include <algorithm>

#include "ir/across.hpp"
#include "ops/movement/box_across.hpp"
#include "ops/movement/halo.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_slice(const Call& c) {
  const auto& p = c.get<SliceParams>();
  const Type& x = c.operands[0];
  if (p.start.size() != x.shape.size() || p.limit.size() != x.shape.size() || p.strides.size() != x.shape.size())
    raise<ShapeError>(
        c.op.name,
        "start " + text(p.start) + ", limit " + text(p.limit) + ", strides " + text(p.strides) + " for " + x.str(),
        "Give one of each per dim.");
  Shape shape;
  for (int d = 0; d < x.ndim(); ++d) {
    if (p.start[d] < 0 || p.limit[d] < p.start[d] || p.limit[d] > x.shape[d] || p.strides[d] < 1)
      raise<ShapeError>(c.op.name,
                        "start " + std::to_string(p.start[d]) + ", limit " + std::to_string(p.limit[d]) + ", stride " +
                            std::to_string(p.strides[d]) + " do not fit dim " + std::to_string(d) + " of " + x.str(),
                        "It must be 0 <= start <= limit <= extent, and stride >= 1.");
    shape.push_back(extent::ceil_div(p.limit[d] - p.start[d], p.strides[d]));
  }
  return {type(x.dtype, shape)};
}

View view_of_slice(const Call& c, const Type& result) {
  const auto& p = c.get<SliceParams>();
  View v{0, row_major_strides(c.operands[0].shape)};
  for (std::size_t d = 0; d < v.strides.size(); ++d) {
    v.offset += p.start[d] * v.strides[d];
    v.strides[d] *= p.strides[d];
  }
  if (result.num_elements() == 0) v.offset = 0;
  return v;
}

Factors factors_slice(const Call& c, const std::vector<Type>& results) {
  std::vector<bool> changed;
  for (int d = 0; d < results[0].ndim(); ++d) changed.push_back(results[0].shape[d] != c.operands[0].shape[d]);
  return same_dims(c, results, changed);
}

// The elements go back to where they came from; zeros fill the gaps.
std::vector<Array> transposed_slice(const Call& c, const std::vector<Array>& cts, const std::vector<Array>&,
                                    const std::vector<bool>&) {
  const auto& p = c.get<SliceParams>();
  const Shape& from = c.operands[0].shape;
  std::vector<lax::PadDim> config;
  for (int d = 0; d < from.ndim(); ++d) {
    std::int64_t n = cts[0].shape()[d];
    std::int64_t end = n ? p.start[d] + (n - 1) * p.strides[d] + 1 : p.start[d];
    config.push_back({p.start[d], from[d] - end, n > 1 ? p.strides[d] - 1 : 0});
  }
  return {lax::pad(cts[0], literal(cts[0].dtype(), 0), config)};
}

Batched batch_slice(const Call& c, const std::vector<Array>& operands, const std::vector<bool>&,
                    const BatchAxis& axis) {
  SliceParams p = c.get<SliceParams>();
  p.start.insert(p.start.begin(), 0);
  p.limit.insert(p.limit.begin(), axis.size);
  p.strides.insert(p.strides.begin(), 1);
  return {{lax::slice(operands[0], p.start, p.limit, p.strides)}, {true}};
}

// A dim that is cut is taken whole: every device takes its block.
Params localize_slice(const Params& params, const LocalTypes& types) {
  auto p = params.get<SliceParams>();
  for (std::size_t d = 0; d < p.limit.size(); ++d)
    if (types.local[0].shape[d] != types.global[0].shape[d]) p.limit[d] = types.local[0].shape[d];
  return p;
}

// With a result that is cut, too: first the other dims, then what of each of these belongs to the device's block.
AcrossDims slice_by_runs() {
  auto other_dims = [](const Call& c, const std::vector<int>& cut) {
    auto p = c.get<SliceParams>();
    for (int d : cut) {
      p.start[d] = 0;
      p.limit[d] = c.operands[0].shape[d];
      p.strides[d] = 1;
    }
    return p;
  };
  auto runs_of = [](const Call& c, const WholeTypes& whole, int dim, std::int64_t blocks) {
    const auto& p = c.get<SliceParams>();
    const std::int64_t block = extent::ceil_div(whole.results[0].shape[dim], blocks), step = p.strides[dim];
    return Runs{block * step, p.start[dim], (block - 1) * step + 1};
  };
  AcrossDims out;
  out.run = [=](const Call& c, const WholeTypes& whole, const std::vector<Array>& blocks,
                const std::vector<Line>& lines) {
    std::vector<int> cut;
    for (const Line& line : lines) cut.push_back(line.dim);
    const SliceParams other = other_dims(c, cut);
    Array x = lax::slice(blocks[0], other.start, other.limit, other.strides);
    Dims strides(x.shape().size(), 1);
    for (const Line& line : lines) {
      x = read_runs(x, runs_of(c, whole, line.dim, line.blocks), line, literal(x.dtype(), 0));
      strides[line.dim] = c.get<SliceParams>().strides[line.dim];
    }
    return std::vector{lax::slice(x, Dims(strides.size(), 0), x.shape().dims(), strides)};
  };
  out.received = [=](const Call& c, const WholeTypes& whole,
                     const std::vector<LineExtent>& lines) -> std::optional<std::vector<double>> {
    if (c.operands[0].dtype.is_key()) return std::nullopt;
    std::vector<int> cut;
    for (const LineExtent& line : lines) cut.push_back(line.dim);
    Type x = infer_slice(Call{c.op, other_dims(c, cut), c.operands, {}})[0];
    std::vector<double> bytes;
    for (const LineExtent& line : lines) {
      const Runs runs = runs_of(c, whole, line.dim, line.blocks);
      const std::optional<double> along = bytes_by_runs(x, runs, line);
      if (!along) return std::nullopt;
      bytes.push_back(*along);
      x.shape[line.dim] = runs.length;
    }
    return bytes;
  };
  return out;
}

// Along a cut dim: the other dims first, then the box there.
Across across_blocks_of_slice() {
  auto cut = [](const Call& c, int along) {
    auto p = c.get<SliceParams>();
    for (int d = 0; d < c.operands[0].ndim(); ++d) {
      const std::int64_t extent = c.operands[0].shape[d];
      if (d == along) p.start[d] = 0;
      if (d == along || p.limit[d] > extent) p.limit[d] = extent;
    }
    return p;
  };
  Across out;
  out.run = [=](const Call& c, const std::vector<Array>& blocks, const Line& line) {
    const auto& p = c.get<SliceParams>();
    const SliceParams other = cut(c, line.dim);
    const Array x = lax::slice(blocks[0], other.start, other.limit, other.strides);
    std::vector<Array> starts(static_cast<std::size_t>(x.ndim()), literal(int32, 0));
    starts[line.dim] = literal(int32, static_cast<double>(p.start[line.dim]));
    Shape sizes = x.shape();
    sizes[line.dim] = p.limit[line.dim] - p.start[line.dim];
    return std::vector{read_across(x, starts, sizes, line)};
  };
  out.received = [=](const Call& c, int dim, std::int64_t blocks) -> std::optional<double> {
    const auto& p = c.get<SliceParams>();
    if (p.strides[dim] != 1) return std::nullopt;
    const SliceParams other = cut(c, dim);
    Shape sizes;
    for (int d = 0; d < c.operands[0].ndim(); ++d)
      sizes.push_back(d == dim ? p.limit[d] - p.start[d]
                               : extent::ceil_div(other.limit[d] - other.start[d], other.strides[d]));
    return received_to_read(c.operands[0].dtype, sizes, blocks);
  };
  out.first = [](const Call& c, int dim) {
    return c.get<SliceParams>().start[dim] == 0 && c.get<SliceParams>().strides[dim] == 1;
  };
  out.dims = slice_by_runs();
  return out;
}

}  // namespace

ProgramPtr slice_at(const std::vector<Type>& operands, const Shape& sizes, std::span<const Atom> starts) {
  SliceParams params;
  for (std::size_t d = 0; d < starts.size(); ++d) {
    if (!starts[d].is_literal()) return nullptr;
    const Scalar& start = starts[d].literal;
    const int dim = static_cast<int>(d);
    const std::int64_t most = operands[0].shape[dim] - sizes[dim];
    const bool beyond = start.dtype == uint64 && start.integer < 0;  // of int64
    params.start.push_back(beyond ? most : std::clamp<std::int64_t>(start.integer, 0, most));
    params.limit.push_back(params.start.back() + sizes[dim]);
    params.strides.push_back(1);
  }
  Program p;
  p.types = operands;
  for (ValueId v = 0; v < static_cast<ValueId>(operands.size()); ++v) p.inputs.push_back(v);
  Type result = operands[0];
  result.shape = sizes;
  p.types.push_back(std::move(result));
  p.outputs = {Atom(static_cast<ValueId>(operands.size()))};
  p.eqns.push_back({&slice, params, {Atom(p.inputs[0])}, {p.outputs[0].id}, {}, current_loc()});
  return std::make_shared<const Program>(std::move(p));
}

constinit const Home slice = [] {
  Op op;
  op.name = "slice";
  op.infer = infer_slice;
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    read_view(view_of_slice(c, out[0].type), in[0], out[0]);
  };
  op.factors = factors_slice;
  op.across = std::make_shared<Across>(across_blocks_of_slice());
  op.linear = {{0}};
  op.transpose = transposed_slice;
  op.batch = batch_slice;
  op.view = [](const Call& c, const Type& result) { return std::optional(view_of_slice(c, result)); };
  op.movement = true;
  op.localize = localize_slice;
  op.samples = {
      {.params = SliceParams{{1}, {4}, {1}}, .operands = {type(float32, {5})}},
      {.params = SliceParams{{0, 1}, {3, 6}, {1, 2}}, .operands = {type(float32, {3, 7})}},
      {.params = SliceParams{{1, 0, 0}, {2, 4, 3}, {1, 3, 1}}, .operands = {type(int32, {3, 4, 3})}},
      {.params = SliceParams{{}, {}, {}}, .operands = {type(float32, {})}},
      {.params = SliceParams{{2}, {2}, {1}}, .operands = {type(float32, {5})}},
      {.params = SliceParams{{0, 0}, {0, 2}, {1, 1}}, .operands = {type(float32, {0, 3})}},
      {.params = SliceParams{{0}, {1}, {1}}, .operands = {type(bfloat16, {1})}},
      {.params = SliceParams{{1, 0}, {3, 2}, {1, 1}}, .operands = {type(prng_key, {4, 2})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array slice(const In& x, const Dims& start, const Dims& limit, const Dims& given) {
  CallScope scope(x.loc);
  Dims strides = given.empty() ? Dims(start.size(), 1) : given;
  // A stride past the end is as good as any other that takes one element.
  for (std::size_t d = 0; d < std::min({start.size(), limit.size(), strides.size()}); ++d)
    if (0 <= start[d] && start[d] <= limit[d])
      strides[d] = std::min(strides[d], std::max<std::int64_t>(1, limit[d] - start[d]));
  return bind1(ops::slice, ops::SliceParams{start, limit, strides}, {x.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
