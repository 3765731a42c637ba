// Windows written into (or combined with) an array, at places given by an integer array; a window that is out of range
// is dropped (`fill`) or moved inside (`clip`). Where windows meet, the later one wins for `set`. Source:
// jax.lax.scatter.
#include <algorithm>

#include "base/half.hpp"
#include "ops/elementwise/complex_order.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/wide.hpp"

namespace tutti::ops {
namespace {

using lax::ScatterKind;

lax::GatherDims as_gather(const lax::ScatterDims& d) {
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

// The extents of one window, from the updates.
Shape window_sizes(const lax::GatherDims& g, const Shape& x, const Shape& updates) {
  WindowDims w(g, x.ndim(), updates.ndim());
  Shape sizes(Dims(x.size(), 1));
  for (std::size_t i = 0; i < w.window.size() && i < w.operand.size(); ++i) sizes[w.operand[i]] = updates[w.window[i]];
  for (std::int64_t d : g.operand_batching_dims) sizes[d] = std::min<std::int64_t>(1, x[d]);
  return sizes;
}

std::vector<Type> infer_scatter(const Call& c) {
  const auto& p = c.get<Scatter>();
  const Type& x = c.operands[0];
  const Type& updates = c.operands[2];
  if (updates.dtype != x.dtype)
    raise<TypeError>(c.op.name, "the updates are " + updates.str() + ", the operand " + x.str(),
                     "Convert the updates to the operand's dtype.");
  lax::GatherDims g = as_gather(p.dims);
  check_dims(c.op.name, "update_window_dims", g.offset_dims, updates.ndim());
  check_dims(c.op.name, "inserted_window_dims", g.collapsed_slice_dims, x.ndim());
  check_dims(c.op.name, "operand_batching_dims", g.operand_batching_dims, x.ndim());
  // A scatter is the mirror of a gather: the updates have the shape of what that gather would read.
  std::vector<ProgramPtr> none;
  Params mirror = Gather{g, window_sizes(g, x.shape, updates.shape), p.mode};
  Type expected = gather->infer(Call{c.op, mirror, {x, c.operands[1]}, none})[0];
  if (expected.shape != updates.shape)
    raise<ShapeError>(c.op.name,
                      "the updates are " + updates.str() + ", these dims and indices " + c.operands[1].str() +
                          " ask for " + expected.str(),
                      "See lax::ScatterDims for what each list means.");
  return {type(x.dtype, x.shape, x.weak)};
}

template <class T, class F> void combine(const Windows& windows, const HostView& updates, const HostView& out, F f) {
  for_each_index(updates.type.shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t to = windows.at(index);
    if (to >= 0) out.as<T>()[to] = f(out.as<T>()[to], updates.as<T>()[flat]);
  });
}

template <class T>
void combine(ScatterKind kind, const Windows& windows, const HostView& updates, const HostView& out) {
  auto each = [&](auto f) { combine<T>(windows, updates, out, f); };
  if (kind == ScatterKind::set) each([](T, T b) { return b; });
  if (kind == ScatterKind::add) {
    if constexpr (std::same_as<T, bool>) {
      each([](bool a, bool b) { return a || b; });
    } else if constexpr (std::integral<T>) {
      each([](T a, T b) { return T(Wide<T>(a) + Wide<T>(b)); });
    } else {
      PlaceSums<T> sums(out.size(), updates.size(), 1);
      for_each_index(updates.type.shape, [&](const Dims& index, std::int64_t flat) {
        if (std::int64_t to = windows.at(index); to >= 0) sums.add(to, updates.as<T>() + flat);
      });
      sums.add_to(out.as<T>());
    }
  }
  if (kind == ScatterKind::mul) {
    if constexpr (std::same_as<T, bool>)
      each([](bool a, bool b) { return a && b; });
    else
      each([](T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); });
  }
  if constexpr (is_complex_number<T>) {
    if (kind == ScatterKind::min) each([](T a, T b) { return comes_first<false>(a, b) ? a : b; });
    if (kind == ScatterKind::max) each([](T a, T b) { return comes_first<true>(a, b) ? a : b; });
  } else {  // NaN wins
    if (kind == ScatterKind::min) each([](T a, T b) { return a != a || a < b ? a : b; });
    if (kind == ScatterKind::max) each([](T a, T b) { return a != a || a > b ? a : b; });
  }
}

void eval_scatter(ScatterKind kind, const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Scatter>();
  lax::GatherDims g = as_gather(p.dims);
  Shape sizes = window_sizes(g, in[0].type.shape, in[2].type.shape);
  Windows windows(g, p.mode, sizes, in[0].type.shape, in[1], in[2].type.ndim());
  if (in[0].type.nbytes() && in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, in[0].type.nbytes());
  if (in[0].type.dtype.is_key()) kind = ScatterKind::set;  // keys have no arithmetic
  visit_arithmetic_dtype(in[0].type.dtype, [&]<class T>(Stored<T>) { combine<T>(kind, windows, in[2], out[0]); });
}

// How windows from several devices, each with an array of its own, are one result: an operand that is added counts on
// one of them (the linear set), in an extremum it counts everywhere. Nothing says so of a window that is written last,
// nor of products.
Factors::Kind completed_by(ScatterKind kind, DType dtype) {
  using Kind = Factors::Kind;
  if (dtype.is_key() || arithmetic_dtype(dtype) != dtype) return Kind::replicated;
  switch (kind) {
    case ScatterKind::add: return dtype.is_bool() ? Kind::max : Kind::sum;  // of truth values: or
    case ScatterKind::mul: return dtype.is_bool() ? Kind::min : Kind::replicated;
    case ScatterKind::max: return Kind::max;
    case ScatterKind::min: return Kind::min;
    case ScatterKind::set: break;
  }
  return Kind::replicated;
}

Factors factors_scatter(ScatterKind kind, const Call& c, const std::vector<Type>& results) {
  const auto& p = c.get<Scatter>();
  lax::GatherDims g = as_gather(p.dims);
  FactorBuilder b(c, results);
  window_factors(b, c, g, window_sizes(g, c.operands[0].shape, c.operands[2].shape), b.f.operands[2]);
  b.f.results[0] = b.f.operands[0];
  // A batch dim of the indices that is in no result: each part of it updates an array of its own.
  const Factors::Dims& indices = b.f.operands[1];
  for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
    const int factor = indices[d][0];
    const bool kept = std::any_of(b.f.results[0].begin(), b.f.results[0].end(),
                                  [&](const auto& of) { return std::find(of.begin(), of.end(), factor) != of.end(); });
    if (!kept) b.f.factors[factor].kind = completed_by(kind, c.operands[0].dtype);
  }
  return b.f;
}

Array read_back(const Call& c, const Array& from, const Array& indices) {
  return bind1(gather, mirror_of(c), {from, indices});
}

std::vector<Array> transposed_add(const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                                  const std::vector<bool>& undefined) {
  std::vector<Array> out(3);
  if (undefined[0]) out[0] = cts[0];
  if (undefined[2]) out[2] = read_back(c, cts[0], operands[1]);
  return out;
}

// Where a place is written twice, only the window that won has a cotangent: each element writes its number and looks
// whether it stayed.
std::vector<Array> transposed_set(const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                                  const std::vector<bool>& undefined) {
  const auto& p = c.get<Scatter>();
  const Type& x = c.operands[0];
  const Type& u = c.operands[2];
  std::vector<Array> out(3);
  if (undefined[0]) out[0] = lax::scatter(cts[0], operands[1], zeros(u), p.dims, ScatterKind::set, p.mode);
  if (undefined[2]) {
    const DType counts = u.num_elements() < INT32_MAX ? int32 : int64;
    Array numbers = lax::add(lax::reshape(bind1(iota, Iota{counts, Shape{u.num_elements()}, 0}, {}), u.shape),
                             lax::broadcast_in_dim(literal(counts, 1), u.shape, {}));
    Array written = lax::scatter(zeros(counts, x.shape), operands[1], numbers, p.dims, ScatterKind::set, p.mode);
    out[2] =
        lax::select(lax::eq(read_back(c, written, operands[1]), numbers), read_back(c, cts[0], operands[1]), zeros(u));
  }
  return out;
}

std::vector<Array> transposed_mul(const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                                  const std::vector<bool>&) {
  const auto& p = c.get<Scatter>();
  return {lax::scatter(cts[0], operands[1], operands[2], p.dims, ScatterKind::mul, p.mode), {}, {}};
}

Array added(const Call& c, const Array& indices, const Array& updates) {
  const auto& p = c.get<Scatter>();
  return lax::scatter(zeros(c.operands[0]), indices, updates, p.dims, ScatterKind::add, p.mode);
}
Array spread(const Array& like, double value) {
  return lax::broadcast_in_dim(literal(like.dtype(), value), like.shape(), {});
}

// Each factor's derivative is the product of the others: what is left without factors that are 0, unless another one
// is.
std::vector<Array> product_jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>&,
                               const std::vector<Array>& tangents) {
  if (!tangents[2].has_value()) return {Array()};
  const auto& p = c.get<Scatter>();
  const Array &x = primals[0], &at = primals[1], &u = primals[2];
  const Array none = spread(u, 0), one = spread(u, 1), zero = lax::eq(u, none), factor = lax::select(zero, one, u);
  const Array product = lax::scatter(x, at, factor, p.dims, ScatterKind::mul, p.mode);
  const Array zeros = read_back(c, added(c, at, lax::select(zero, one, none)), at), rest = read_back(c, product, at);
  const Array others = lax::select(lax::eq(zeros, lax::select(zero, one, none)), lax::div(rest, factor), none);
  return {added(c, at, lax::mul(tangents[2], others))};
}

// Where several values are the extremum, each has its share.
std::vector<Array> extremum_jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>& results,
                                const std::vector<Array>& tangents) {
  const Array &x = primals[0], &at = primals[1], &u = primals[2], &y = results[0];
  const Array kept = lax::eq(x, y), won = lax::eq(u, read_back(c, y, at));
  const Array winners = added(c, at, lax::select(won, spread(u, 1), spread(u, 0)));
  const Array share = lax::div(spread(x, 1), lax::add(winners, lax::select(kept, spread(x, 1), spread(x, 0))));
  Array out;
  if (tangents[0].has_value()) out = lax::select(kept, lax::mul(tangents[0], share), spread(x, 0));
  if (tangents[2].has_value()) {
    Array updates = added(c, at, lax::mul(tangents[2], lax::select(won, read_back(c, share, at), spread(u, 0))));
    out = out.has_value() ? lax::add(out, updates) : updates;
  }
  return {out};
}

Batched batch_scatter(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                      const BatchAxis& axis) {
  Scatter p = c.get<Scatter>();
  auto& d = p.dims;
  Array x = batched(operands[0], mapped[0], axis.size), updates = batched(operands[2], mapped[2], axis.size);
  bool indices = mapped[1];
  d.update_window_dims = shifted(d.update_window_dims, 1, !indices);
  d.inserted_window_dims = shifted(d.inserted_window_dims);
  d.scatter_dims_to_operand_dims = shifted(d.scatter_dims_to_operand_dims);
  d.operand_batching_dims = shifted(d.operand_batching_dims, 1, indices);
  if (indices) d.scatter_indices_batching_dims = shifted(d.scatter_indices_batching_dims, 1, true);
  return {{bind1(c.op, p, {x, operands[1], updates})}, {true}};
}

// Sums and what is written last are linear in operand and updates, products in the operand.
void set_derivative(Op& op, ScatterKind kind) {
  if (kind == ScatterKind::set || kind == ScatterKind::add) {
    op.linear = {{0, 2}};
    op.transpose = kind == ScatterKind::set ? transposed_set : transposed_add;
  } else if (kind == ScatterKind::mul) {
    op.linear = {{0}};
    op.adds_up = [](const Call& c, const std::vector<int>&, const std::vector<Magnitude>& operands) {
      return c.operands[0].dtype.is_integer() || operands[2].most <= 1;
    };
    op.transpose = transposed_mul;
    op.jvp = product_jvp;
  } else {
    op.jvp = extremum_jvp;
  }
}

std::vector<Sample> samples(bool keys) {
  lax::ScatterDims rows = {{1}, {0}, {0}, {}, {}}, boxes = {{1, 2}, {}, {0, 1}, {}, {}}, own = {{}, {1}, {1}, {0}, {0}};
  using lax::GatherMode;
  std::vector<Sample> out = {
      {.params = Scatter{rows, GatherMode::fill},
       .operands = {type(float32, {4, 3}), type(int32, {5, 1}), type(float32, {5, 3})},
       .lo = -1,
       .hi = 5},
      {.params = Scatter{rows, GatherMode::clip},
       .operands = {type(float32, {4, 3}), type(int32, {5, 1}), type(float32, {5, 2})},
       .lo = -1,
       .hi = 5},
      {.params = Scatter{boxes, GatherMode::clip},
       .operands = {type(float32, {4, 5}), type(int32, {3, 2}), type(float32, {3, 2, 2})}},
      {.params = Scatter{own, GatherMode::clip},
       .operands = {type(float32, {3, 4}), type(int32, {3, 2, 1}), type(float32, {3, 2})},
       .lo = 0,
       .hi = 4},
      {.params = Scatter{rows, GatherMode::fill},
       .operands = {type(int32, {4, 1}), type(uint8, {1, 1}), type(int32, {1, 1})},
       .lo = 0,
       .hi = 5},
      {.params = Scatter{rows, GatherMode::clip},
       .operands = {type(float32, {2, 3}), type(int32, {0, 1}), type(float32, {0, 3})}},
      {.params = Scatter{rows, GatherMode::clip},
       .operands = {type(bfloat16, {3, 2}), type(int32, {4, 1}), type(bfloat16, {4, 2})},
       .lo = 0,
       .hi = 3},
  };
  if (keys)
    out.push_back({.params = Scatter{rows, GatherMode::clip},
                   .operands = {type(prng_key, {3, 2}), type(int32, {2, 1}), type(prng_key, {2, 2})},
                   .lo = 0,
                   .hi = 2});
  return out;
}

Op home(ScatterKind kind, std::string name) {
  Op op;
  op.name = std::move(name);
  op.infer = infer_scatter;
  op.eval = [kind](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    eval_scatter(kind, c, in, out);
  };
  op.factors = [kind](const Call& c, const std::vector<Type>& results) { return factors_scatter(kind, c, results); };
  op.batch = batch_scatter;
  op.own_weak = true;
  set_derivative(op, kind);
  op.movement = kind == ScatterKind::set;
  op.overwrites = 0;
  op.window = kind == ScatterKind::set   ? Op::Window::write
              : kind == ScatterKind::add ? Op::Window::add
                                         : Op::Window::other;
  op.samples = samples(op.movement);
  return op;
}

}  // namespace

Gather mirror_of(const Call& c) {
  const auto& p = c.get<Scatter>();
  const lax::GatherDims g = as_gather(p.dims);
  return {g, window_sizes(g, c.operands[0].shape, c.operands[2].shape), p.mode, true};
}

constinit const Home scatter = [] { return home(ScatterKind::set, "scatter"); };
constinit const Home scatter_add = [] { return home(ScatterKind::add, "scatter_add"); };
constinit const Home scatter_mul = [] { return home(ScatterKind::mul, "scatter_mul"); };
constinit const Home scatter_min = [] { return home(ScatterKind::min, "scatter_min"); };
constinit const Home scatter_max = [] { return home(ScatterKind::max, "scatter_max"); };

const Op& scatter_op(ScatterKind kind) {
  switch (kind) {
    case ScatterKind::set: return scatter;
    case ScatterKind::add: return scatter_add;
    case ScatterKind::mul: return scatter_mul;
    case ScatterKind::min: return scatter_min;
    case ScatterKind::max: break;
  }
  return scatter_max;
}

ScatterKind scatter_kind(const Op& op) {
  for (ScatterKind kind : {ScatterKind::set, ScatterKind::add, ScatterKind::mul, ScatterKind::min})
    if (&op == &scatter_op(kind)) return kind;
  return ScatterKind::max;
}

}  // namespace tutti::ops

namespace tutti::lax {

Array scatter(const In& x, const In& indices, const In& updates, const ScatterDims& dims, OneOf<ScatterKind> kind,
              OneOf<GatherMode> mode) {
  CallScope scope(x.loc);
  return bind1(ops::scatter_op(kind), ops::Scatter{dims, mode}, {x.array, indices.array, updates.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
