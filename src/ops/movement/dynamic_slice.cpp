// A box whose place is known when it runs: reading it, and writing it. Starts are clamped so that the box fits.
// Source: jax.lax.dynamic_slice, jax.lax.dynamic_update_slice.
#include "ops/movement/dynamic_slice.hpp"

#include <algorithm>

#include "ir/across.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/box_across.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/slice.hpp"

namespace tutti::ops {
namespace {

void check_box(const Call& c, const Shape& sizes, std::size_t first_start) {
  const Type& x = c.operands[0];
  if (sizes.size() != x.shape.size() || c.operands.size() - first_start != x.shape.size())
    raise<ShapeError>(
        c.op.name,
        std::to_string(c.operands.size() - first_start) + " starts and a box " + sizes.str() + " for " + x.str(),
        "Give one start and one size per dim.");
  for (int d = 0; d < x.ndim(); ++d) {
    const Type& start = c.operands[first_start + d];
    if (sizes[d] < 0 || sizes[d] > x.shape[d])
      raise<ShapeError>(c.op.name,
                        "the box " + sizes.str() + " does not fit into " + x.str() + " in dim " + std::to_string(d),
                        "Sizes are at most the extents.");
    if (start.ndim() != 0 || !start.dtype.is_integer())
      raise<TypeError>(c.op.name, "start " + std::to_string(d) + " is " + start.str(), "Starts are integer scalars.");
  }
}

Dims starts(std::span<const HostView> in, std::size_t first, const Shape& from, const Shape& sizes) {
  Dims out;
  for (int d = 0; d < from.ndim(); ++d)
    out.push_back(std::clamp<std::int64_t>(integer_at(in[first + d], 0), 0, from[d] - sizes[d]));
  return out;
}

// Per-example starts: the same as a gather (scatter) of one window per example, each in its own part of x.
Array stacked(const std::vector<Array>& operands, const std::vector<bool>& mapped, std::size_t first, std::int64_t n) {
  std::vector<Array> columns;
  DType dtype = int32;
  for (std::size_t i = first; i < operands.size(); ++i)
    if (operands[i].dtype().size() == 8) dtype = operands[i].dtype();
  for (std::size_t i = first; i < operands.size(); ++i) {
    Array s = operands[i];
    if (s.dtype() != dtype) s = bind1(convert_element_type, ConvertElementType{dtype, false}, {s});
    columns.push_back(mapped[i] ? lax::reshape(s, Shape{n, 1}) : lax::broadcast_in_dim(s, Shape{n, 1}, {}));
  }
  return lax::concatenate(columns, 1);
}

bool any(const std::vector<bool>& mapped, std::size_t from) {
  return std::find(mapped.begin() + from, mapped.end(), true) != mapped.end();
}

std::vector<Array> with_zero(const std::vector<Array>& operands, std::size_t first) {
  std::vector<Array> out{literal(int32, 0)};
  out.insert(out.end(), operands.begin() + first, operands.end());
  return out;
}

Factors slice_factors(const Call& c, const std::vector<Type>& results) {
  std::vector<bool> changed;
  for (int d = 0; d < results[0].ndim(); ++d) changed.push_back(results[0].shape[d] != c.operands[0].shape[d]);
  return same_dims(c, results, changed);
}

Factors update_factors(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  for (int d = 0; d < results[0].ndim(); ++d) {
    int factor = b.share(0, d, d, results[0].shape[d]);
    if (c.operands[1].shape[d] == results[0].shape[d]) {
      b.f.operands[1][d] = {factor};
    } else {
      b.f.factors[factor].kind = Factors::Kind::replicated;
      b.fixed_operand(1, d, c.operands[1].shape[d]);
    }
  }
  return b.f;
}

void slice_eval(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& from = in[0].type.shape;
  Dims at = starts(in, 1, from, out[0].type.shape);
  View v{0, row_major_strides(from)};
  for (std::size_t d = 0; d < at.size(); ++d) v.offset += at[d] * v.strides[d];
  read_view(v, in[0], out[0]);
}

void update_eval(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  std::int64_t size = in[0].type.dtype.size();
  if (in[0].type.nbytes() && in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, in[0].type.nbytes());
  Dims at = starts(in, 2, shape, in[1].type.shape), strides = row_major_strides(shape);
  for_each_index(in[1].type.shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) to += (at[d] + index[d]) * strides[d];
    std::memcpy(out[0].as<char>() + to * size, in[1].as<char>() + flat * size, size);
  });
}

Batched slice_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                    const BatchAxis& axis) {
  const Shape& sizes = c.get<DynamicSlice>().sizes;
  int n = sizes.ndim();
  if (!any(mapped, 1))
    return {{bind1(dynamic_slice, DynamicSlice{with_front(axis.size, sizes)},
                   [&] {
                     std::vector<Array> all = with_zero(operands, 1);
                     all.insert(all.begin(), operands[0]);
                     return all;
                   }())},
            {true}};
  lax::GatherDims dims;
  dims.offset_dims = range(1, n + 1);
  Array indices = stacked(operands, mapped, 1, axis.size);
  if (mapped[0]) {
    dims.start_index_map = range(1, n + 1);
    dims.operand_batching_dims = {0};
    dims.start_indices_batching_dims = {0};
    return {{lax::gather(operands[0], indices, dims, with_front(1, sizes), lax::GatherMode::clip)}, {true}};
  }
  dims.start_index_map = range(0, n);
  return {{lax::gather(operands[0], indices, dims, sizes, lax::GatherMode::clip)}, {true}};
}

Batched update_batch(const Call&, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  Array x = batched(operands[0], mapped[0], axis.size), update = batched(operands[1], mapped[1], axis.size);
  if (!any(mapped, 2)) {
    std::vector<Array> all = with_zero(operands, 2);
    all.insert(all.begin(), {x, update});
    return {{bind1(dynamic_update_slice, {}, all)}, {true}};
  }
  lax::ScatterDims dims;
  dims.update_window_dims = dims.scatter_dims_to_operand_dims = range(1, x.ndim());
  dims.operand_batching_dims = dims.scatter_indices_batching_dims = {0};
  return {{lax::scatter(x, stacked(operands, mapped, 2, axis.size), update, dims, lax::ScatterKind::set,
                        lax::GatherMode::clip)},
          {true}};
}

std::vector<Array> tail(const std::vector<Array>& operands, std::size_t first) {
  return {operands.begin() + first, operands.end()};
}

// Of a box of the whole what lies in a block of `operand`: dims in which the box is as wide as the whole may be cut.
Shape local_sizes(const Shape& sizes, const Type& operand, int along) {
  Shape out = sizes;
  for (int d = 0; d < out.ndim(); ++d)
    if (d != along) out[d] = std::min(out[d], operand.shape[d]);
  return out;
}

Across slice_across() {
  Across out;
  out.run = [](const Call& c, const std::vector<Array>& blocks, const Line& line) {
    const Shape sizes = local_sizes(c.get<DynamicSlice>().sizes, c.operands[0], line.dim);
    return std::vector{read_across(blocks[0], tail(blocks, 1), sizes, line)};
  };
  out.received = [](const Call& c, int dim, std::int64_t blocks) {
    return received_to_read(c.operands[0].dtype, local_sizes(c.get<DynamicSlice>().sizes, c.operands[0], dim), blocks);
  };
  return out;
}

Across update_across() {
  Across out;
  out.run = [](const Call&, const std::vector<Array>& blocks, const Line& line) {
    return std::vector{write_across(blocks[0], blocks[1], tail(blocks, 2), line)};
  };
  out.received = [](const Call& c, int, std::int64_t) {
    return c.operands[0].dtype.is_key() ? std::nullopt : std::optional(0.0);
  };
  return out;
}

std::vector<Array> bind_starts(std::vector<Array> first, const std::vector<Array>& starts) {
  first.insert(first.end(), starts.begin(), starts.end());
  return first;
}

}  // namespace

constinit const Home dynamic_slice = [] {
  Op op;
  op.name = "dynamic_slice";
  op.infer = [](const Call& c) {
    const Shape& sizes = c.get<DynamicSlice>().sizes;
    check_box(c, sizes, 1);
    return std::vector{type(c.operands[0].dtype, sizes, c.operands[0].weak)};
  };
  op.eval = slice_eval;
  op.window = Op::Window::read_box;
  op.factors = slice_factors;
  op.across = std::make_shared<Across>(slice_across());
  op.linear = {{0}};
  op.transpose = [](const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                    const std::vector<bool>&) {
    std::vector<Array> out(operands.size());
    out[0] = bind1(dynamic_update_slice, {}, bind_starts({zeros(c.operands[0]), cts[0]}, tail(operands, 1)));
    return out;
  };
  op.batch = slice_batch;
  op.simpler = [](const Call& c, const std::vector<Atom>& operands) {
    return slice_at(c.operands, c.get<DynamicSlice>().sizes, std::span(operands).subspan(1));
  };
  op.own_weak = true;
  op.movement = true;
  op.localize = [](const Params&, const LocalTypes& types) { return Params(DynamicSlice{types.results[0]}); };
  Type i = type(int32, {});
  op.samples = {
      {.params = DynamicSlice{{2}}, .operands = {type(float32, {5}), i}, .lo = -1, .hi = 6},
      {.params = DynamicSlice{{3, 2}}, .operands = {type(float32, {3, 4}), i, i}, .lo = -1, .hi = 4},
      {.params = DynamicSlice{{1, 1}}, .operands = {type(int32, {4, 1}), i, i}},
      {.params = DynamicSlice{{}}, .operands = {type(float32, {})}},
      {.params = DynamicSlice{{0, 2}}, .operands = {type(float32, {0, 3}), i, i}},
      {.params = DynamicSlice{{2}}, .operands = {type(bfloat16, {4}), type(uint8, {})}, .lo = 0},
      {.params = DynamicSlice{{2}}, .operands = {type(prng_key, {4}), i}},
  };
  return op;
};

constinit const Home dynamic_update_slice = [] {
  Op op;
  op.name = "dynamic_update_slice";
  op.infer = [](const Call& c) {
    if (c.operands[0].dtype != c.operands[1].dtype)
      raise<TypeError>(c.op.name, "the update is " + c.operands[1].str() + ", the operand " + c.operands[0].str(),
                       "Convert the update to the operand's dtype.");
    check_box(c, c.operands[1].shape, 2);
    return std::vector{type(c.operands[0].dtype, c.operands[0].shape, c.operands[0].weak && c.operands[1].weak)};
  };
  op.eval = update_eval;
  op.window = Op::Window::write_box;
  op.factors = update_factors;
  op.across = std::make_shared<Across>(update_across());
  op.linear = {{0, 1}};
  op.transpose = [](const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                    const std::vector<bool>& undefined) {
    std::vector<Array> out(operands.size()), starts = tail(operands, 2);
    if (undefined[0]) out[0] = bind1(dynamic_update_slice, {}, bind_starts({cts[0], zeros(c.operands[1])}, starts));
    if (undefined[1]) out[1] = bind1(dynamic_slice, DynamicSlice{c.operands[1].shape}, bind_starts({cts[0]}, starts));
    return out;
  };
  op.batch = update_batch;
  op.own_weak = true;
  op.movement = true;
  op.overwrites = 0;
  Type i = type(int32, {});
  op.samples = {
      {.params = {}, .operands = {type(float32, {5}), type(float32, {2}), i}, .lo = -1, .hi = 6},
      {.params = {}, .operands = {type(float32, {3, 4}), type(float32, {3, 2}), i, i}, .lo = -1, .hi = 4},
      {.params = {}, .operands = {type(int32, {4, 1}), type(int32, {1, 1}), i, i}},
      {.params = {}, .operands = {type(float32, {}), type(float32, {})}},
      {.params = {}, .operands = {type(float32, {3}), type(float32, {0}), i}},
      {.params = {}, .operands = {type(bfloat16, {4}), type(bfloat16, {4}), i}},
      {.params = {}, .operands = {type(prng_key, {4}), type(prng_key, {2}), i}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {
namespace {

// As in JAX: a negative start counts from the end, before clamping.
std::vector<Array> from_front(const std::vector<Array>& starts, const Shape& shape) {
  std::vector<Array> out = starts;
  for (std::size_t d = 0; d < starts.size() && d < shape.size(); ++d) {
    const Array& s = starts[d];
    if (s.dtype().is_unsigned() || s.ndim() != 0 || !s.dtype().is_integer()) continue;
    if (const std::optional<Scalar> known = ops::literal_value(s)) {
      if (known->integer < 0)
        out[d] = array_from_scalar(Scalar(known->integer + shape[d]).to(s.dtype()), s.weak_type());
      continue;
    }
    if (s.dtype().size() < 8 && shape[d] > INT32_MAX)
      out[d] = bind1(ops::convert_element_type, ops::ConvertElementType{int64, false}, {s});
    const Array start = out[d];
    Array zero = ops::literal(start.dtype(), 0), extent = ops::literal(start.dtype(), static_cast<double>(shape[d]));
    out[d] = select(lt(start, zero), lax::add(start, extent), start);
  }
  return out;
}

}  // namespace

Array dynamic_slice(const In& x, const std::vector<Array>& starts, const Shape& sizes) {
  CallScope scope(x.loc);
  std::vector<Array> operands = from_front(starts, x.array.shape());
  operands.insert(operands.begin(), x.array);
  return bind1(ops::dynamic_slice, ops::DynamicSlice{sizes}, operands);
}

Array dynamic_update_slice(const In& x, const In& update, const std::vector<Array>& starts) {
  CallScope scope(x.loc);
  std::vector<Array> operands = from_front(starts, x.array.shape());
  operands.insert(operands.begin(), {x.array, update.array});
  return bind1(ops::dynamic_update_slice, {}, operands);
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
