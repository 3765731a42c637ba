// Windows of an array, at places given by an integer array. The index vector is the last dim of the indices.
// Source: jax.lax.gather.
#include <algorithm>
#include <limits>

#include "base/half.hpp"
#include "ops/movement/gather.hpp"

namespace tutti::ops {
namespace {

const char* remedy = "See lax::GatherDims for what each list means.";

std::vector<Type> infer_gather(const Call& c) {
  const auto& p = c.get<Gather>();
  const Type& x = c.operands[0];
  const Type& indices = c.operands[1];
  const auto& g = p.dims;
  const std::string& op = c.op.name;
  if (!indices.dtype.is_integer() || indices.ndim() < 1)
    raise<TypeError>(op, "the indices are " + indices.str(),
                     "They are integers with at least one dim, the index vector.");
  check_dims(op, "collapsed_slice_dims", g.collapsed_slice_dims, x.ndim());
  check_dims(op, "start_index_map", g.start_index_map, x.ndim());
  check_dims(op, "operand_batching_dims", g.operand_batching_dims, x.ndim());
  check_dims(op, "start_indices_batching_dims", g.start_indices_batching_dims, indices.ndim() - 1);
  if (p.sizes.size() != x.shape.size())
    raise<ShapeError>(op, "slice sizes " + p.sizes.str() + " for " + x.str(), "Give one size per dim.");
  if (static_cast<std::int64_t>(g.start_index_map.size()) != indices.shape.back())
    raise<ShapeError>(op,
                      "the index vectors of " + indices.str() + " have " + std::to_string(indices.shape.back()) +
                          " entries, start_index_map " + text(g.start_index_map) + " names " +
                          std::to_string(g.start_index_map.size()) + " dims",
                      remedy);
  std::size_t kept = 0;
  for (int d = 0; d < x.ndim(); ++d) {
    bool gone = contains(g.collapsed_slice_dims, d) || contains(g.operand_batching_dims, d);
    kept += !gone;
    if (p.sizes[d] < 0 || p.sizes[d] > x.shape[d] || (gone && p.sizes[d] > 1))
      raise<ShapeError>(op,
                        "slice size " + std::to_string(p.sizes[d]) + " in dim " + std::to_string(d) + " of " + x.str(),
                        gone ? "Collapsed and batching dims have size 1." : "Sizes are at most the extents.");
  }
  if (kept != g.offset_dims.size() || g.operand_batching_dims.size() != g.start_indices_batching_dims.size())
    raise<ShapeError>(
        op, "offset_dims " + text(g.offset_dims) + " for " + std::to_string(kept) + " dims of the windows", remedy);
  for (std::size_t i = 0; i < g.operand_batching_dims.size(); ++i)
    if (x.shape[g.operand_batching_dims[i]] != indices.shape[g.start_indices_batching_dims[i]])
      raise<ShapeError>(op,
                        "batching dims differ: " + x.str() + " dim " + std::to_string(g.operand_batching_dims[i]) +
                            ", " + indices.str() + " dim " + std::to_string(g.start_indices_batching_dims[i]),
                        "Their extents must be equal.");
  int ndim = static_cast<int>(kept) + indices.ndim() - 1;
  check_dims(op, "offset_dims", g.offset_dims, ndim);
  WindowDims w(g, x.ndim(), ndim);
  Shape shape(Dims(ndim, 0));
  for (std::size_t i = 0; i < w.window.size(); ++i) shape[w.window[i]] = p.sizes[w.operand[i]];
  for (std::size_t i = 0; i < w.batch.size(); ++i) shape[w.batch[i]] = indices.shape[i];
  return {type(x.dtype, shape, x.weak)};
}

// What stands where an index is out of range: NaN, the least signed integer, the largest unsigned one, as in JAX.
std::vector<char> fill_value(DType dtype, bool zero) {
  std::vector<char> out(dtype.size(), 0);
  if (zero) return out;
  visit_dtype(dtype, [&]<class T>(Stored<T>) {
    T value;
    if constexpr (is_small_integer<T>)
      value = std::same_as<T, Int4> ? T(-8) : T(15);
    else if constexpr (std::signed_integral<T>)
      value = std::numeric_limits<T>::min();
    else if constexpr (std::integral<T>)  // keys are unsigned, too
      value = std::numeric_limits<T>::max();
    else
      value = T(std::numeric_limits<float>::quiet_NaN());
    std::memcpy(out.data(), &value, sizeof value);
  });
  return out;
}

void eval_gather(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Gather>();
  Windows windows(p.dims, p.mode, p.sizes, in[0].type.shape, in[1], out[0].type.ndim());
  std::vector<char> fill = fill_value(in[0].type.dtype, p.zero_fill);
  std::int64_t size = in[0].type.dtype.size();
  for_each_index(out[0].type.shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t from = windows.at(index);
    std::memcpy(out[0].as<char>() + flat * size, from < 0 ? fill.data() : in[0].as<char>() + from * size, size);
  });
}

Factors factors_gather(const Call& c, const std::vector<Type>& results) {
  const auto& p = c.get<Gather>();
  FactorBuilder b(c, results);
  window_factors(b, c, p.dims, p.sizes, b.f.results[0]);
  return b.f;
}

std::vector<Array> transposed_gather(const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                                     const std::vector<bool>&) {
  const auto& p = c.get<Gather>();
  lax::ScatterDims dims = {p.dims.offset_dims, p.dims.collapsed_slice_dims, p.dims.start_index_map,
                           p.dims.operand_batching_dims, p.dims.start_indices_batching_dims};
  return {lax::scatter(zeros(c.operands[0]), operands[1], cts[0], dims, lax::ScatterKind::add, p.mode), {}};
}

Batched batch_gather(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  Gather p = c.get<Gather>();
  auto& g = p.dims;
  if (mapped[0]) {
    g.collapsed_slice_dims = shifted(g.collapsed_slice_dims);
    g.start_index_map = shifted(g.start_index_map);
    g.operand_batching_dims = shifted(g.operand_batching_dims, 1, mapped[1]);
    p.sizes.insert(0, mapped[1] ? 1 : axis.size);
  }
  if (mapped[1]) g.start_indices_batching_dims = shifted(g.start_indices_batching_dims, 1, mapped[0]);
  g.offset_dims = shifted(g.offset_dims, 1, !mapped[1]);
  return {{bind1(gather, p, operands)}, {true}};
}

}  // namespace

WindowDims::WindowDims(const lax::GatherDims& g, int operand_ndim, int result_ndim) : window(g.offset_dims) {
  std::sort(window.begin(), window.end());
  for (int d = 0; d < operand_ndim; ++d)
    if (!contains(g.collapsed_slice_dims, d) && !contains(g.operand_batching_dims, d)) operand.push_back(d);
  for (int d = 0; d < result_ndim; ++d)
    if (!contains(window, d)) batch.push_back(d);
}

Windows::Windows(const lax::GatherDims& dims, lax::GatherMode mode, const Shape& sizes, const Shape& from,
                 const HostView& indices, int result_ndim)
    : dims_(dims),
      mode_(mode),
      sizes_(sizes),
      from_(from),
      indices_(indices),
      w_(dims, from.ndim(), result_ndim),
      strides_(row_major_strides(from)),
      index_strides_(row_major_strides(indices.type.shape)) {}

std::int64_t Windows::at(const Dims& index) const {
  std::int64_t row = 0, at = 0;
  for (std::size_t i = 0; i < w_.batch.size(); ++i) row += index[w_.batch[i]] * index_strides_[i];
  for (std::size_t k = 0; k < dims_.start_index_map.size(); ++k) {
    std::int64_t d = dims_.start_index_map[k], last = from_[d] - sizes_[d];
    std::int64_t start = integer_at(indices_, row + static_cast<std::int64_t>(k));
    if (mode_ == lax::GatherMode::fill && (start < 0 || start > last)) return -1;
    at += std::clamp<std::int64_t>(start, 0, last) * strides_[d];
  }
  for (std::size_t i = 0; i < dims_.operand_batching_dims.size(); ++i)
    at += index[w_.batch[dims_.start_indices_batching_dims[i]]] * strides_[dims_.operand_batching_dims[i]];
  for (std::size_t i = 0; i < w_.window.size(); ++i) at += index[w_.window[i]] * strides_[w_.operand[i]];
  return at;
}

void window_factors(FactorBuilder& b, const Call& c, const lax::GatherDims& g, const Shape& sizes,
                    Factors::Dims& result) {
  const Shape& from = c.operands[0].shape;
  const Shape& index_shape = c.operands[1].shape;
  Factors::Dims& x = b.f.operands[0];
  Factors::Dims& indices = b.f.operands[1];
  int ndim = static_cast<int>(result.size());
  WindowDims w(g, static_cast<int>(x.size()), ndim);
  for (std::size_t i = 0; i < w.batch.size(); ++i) {
    int factor = b.add(index_shape[i]);
    indices[i] = {factor};
    result[w.batch[i]] = {factor};
  }
  indices.back() = {b.add(index_shape.back(), Factors::Kind::replicated)};
  for (std::size_t i = 0; i < g.operand_batching_dims.size(); ++i)
    x[g.operand_batching_dims[i]] = indices[g.start_indices_batching_dims[i]];
  for (std::size_t i = 0; i < w.window.size(); ++i) {
    std::int64_t d = w.operand[i];
    if (sizes[d] == from[d] && !contains(g.start_index_map, d)) {
      int factor = b.add(sizes[d]);
      x[d] = {factor};
      result[w.window[i]] = {factor};
    } else {
      result[w.window[i]] = {b.add(sizes[d], Factors::Kind::replicated)};
    }
  }
  for (std::size_t d = 0; d < x.size(); ++d)
    if (x[d].empty()) x[d] = {b.add(from[d], Factors::Kind::replicated)};
}

// Dims that are taken whole are taken whole on each device.
Params localize(const Params& params, const LocalTypes& types) {
  auto p = params.get<Gather>();
  const Shape &whole = types.global[0].shape, &block = types.local[0].shape;
  for (std::size_t d = 0; d < p.sizes.size(); ++d)
    if (block[d] != whole[d] && p.sizes[d] == whole[d]) p.sizes[d] = block[d];
  return p;
}

constinit const Home gather = [] {
  Op op;
  op.name = "gather";
  op.infer = infer_gather;
  op.eval = eval_gather;
  op.factors = factors_gather;
  op.linear = {{0}};
  // What is out of range has the tangent 0, whatever it is filled with, also where nobody expected it.
  op.jvp_together = [](const Call& c, const std::vector<Array>& primals, const std::vector<Array>& tangents) {
    WithTangents out{{bind1(c.op, c.params, primals)}, {Array()}};
    Gather p = c.get<Gather>();
    if (p.mode == lax::GatherMode::promise_in_bounds) p.mode = lax::GatherMode::fill;
    p.zero_fill = p.mode == lax::GatherMode::fill;
    if (tangents[0].has_value()) out.tangents[0] = bind1(c.op, p, {tangents[0], primals[1]});
    return out;
  };
  op.transpose = transposed_gather;
  op.batch = batch_gather;
  op.own_weak = true;
  op.movement = true;
  op.window = Op::Window::read;
  op.localize = localize;
  op.adds_up = [](const Call& c, const std::vector<int>&, const std::vector<Magnitude>&) {
    const auto& p = c.get<Gather>();  // integers out of range read a value that is not zero
    return p.mode != lax::GatherMode::fill || p.zero_fill || c.operands[0].dtype.is_inexact();
  };
  op.magnitude = [](const Call&, const std::vector<Magnitude>& operands) {
    return Magnitude{0, operands[0].most};  // zeros stand for what is out of range
  };
  using lax::GatherMode;
  lax::GatherDims rows = {{1}, {0}, {0}, {}, {}}, boxes = {{1, 2}, {}, {0, 1}, {}, {}}, own = {{}, {1}, {1}, {0}, {0}};
  op.samples = {
      {.params = Gather{rows, {1, 3}, GatherMode::clip},
       .operands = {type(float32, {4, 3}), type(int32, {5, 1})},
       .lo = -1,
       .hi = 5},
      {.params = Gather{rows, {1, 3}, GatherMode::fill, true},
       .operands = {type(float32, {4, 3}), type(int32, {5, 1})},
       .lo = -1,
       .hi = 5},
      {.params = Gather{boxes, {2, 2}, GatherMode::clip},
       .operands = {type(float32, {4, 5}), type(int32, {3, 2})},
       .lo = 0,
       .hi = 4},
      {.params = Gather{own, {1, 1}, GatherMode::clip},
       .operands = {type(float32, {3, 4}), type(int32, {3, 2, 1})},
       .lo = 0,
       .hi = 4},
      {.params = Gather{rows, {1, 1}, GatherMode::fill},
       .operands = {type(int32, {4, 1}), type(uint8, {1, 1})},
       .lo = 0,
       .hi = 5},
      {.params = Gather{rows, {1, 3}, GatherMode::clip}, .operands = {type(float32, {2, 3}), type(int32, {0, 1})}},
      {.params = Gather{rows, {1, 2}, GatherMode::clip},
       .operands = {type(bfloat16, {3, 2}), type(int32, {4, 1})},
       .lo = 0,
       .hi = 3},
      {.params = Gather{rows, {1, 2}, GatherMode::clip},
       .operands = {type(prng_key, {3, 2}), type(int32, {4, 1})},
       .lo = 0,
       .hi = 3},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array gather(const In& x, const In& start_indices, const GatherDims& dims, const Shape& slice_sizes,
             OneOf<GatherMode> mode) {
  CallScope scope(x.loc);
  return bind1(ops::gather, ops::Gather{dims, slice_sizes, mode}, {x.array, start_indices.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
