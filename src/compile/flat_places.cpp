// Gathers and scatters of rows whose places are named by several numbers, as x[i, j] and take_along_axis are: the
// numbers become one, in the loop that makes the indices, and the dims that they name one dim.
#include <limits>

#include "compile/passes.hpp"
#include "ir/index.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/movement/slice.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFewestPlaces = 256;  // places: fewer are found as quickly as numbers are made of them

using lax::Dims;

bool is_read_of(const Eqn& e) { return e.op->window == Op::Window::read; }

lax::GatherDims named_dims(const Eqn& e) {
  if (is_read_of(e)) return e.params.get<ops::Gather>().dims;
  const lax::ScatterDims& d = e.params.get<ops::Scatter>().dims;
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

class FlatPlaces {
 public:
  explicit FlatPlaces(const Program& p) : index_(p), before_(p), out_(p) { out_.eqns.clear(); }

  Program run() {
    for (const Eqn& e : before_.eqns) {
      if (!of_several_numbers(e)) {
        out_.eqns.push_back(e);
        for (ProgramPtr& sub : out_.eqns.back().subs) sub = std::make_shared<const Program>(flat_places(*sub));
        continue;
      }
      rewrite(e);
    }
    return std::move(out_);
  }

 private:
  // Rows: every dim that is named is one of the first and has windows of extent 1, every other is taken whole.
  bool of_several_numbers(const Eqn& e) const {
    const Op::Window w = e.op->window;
    const bool is_write = w == Op::Window::add || w == Op::Window::write || w == Op::Window::other;
    if ((!is_read_of(e) && !is_write) || e.operands[1].is_literal() || e.operands[0].is_literal()) return false;
    const lax::GatherDims g = named_dims(e);
    const Type &x = before_.type(e.operands[0]), &at = before_.type(e.operands[1]);
    const Shape windows = is_read_of(e) ? before_.types[e.results[0]].shape : before_.type(e.operands[2]).shape;
    const auto named = static_cast<std::int64_t>(g.start_index_map.size() + g.operand_batching_dims.size());
    if (named < 2 || g.start_index_map.empty() || x.num_elements() == 0 || windows.num_elements() == 0) return false;
    if (at.num_elements() < kFewestPlaces * at.shape.back() || !at.dtype.is_integer() ||
        (at.dtype.is_unsigned() && at.dtype.size() >= 4))
      return false;
    for (const Dims* dims : {&g.start_index_map, &g.operand_batching_dims})
      if (std::any_of(dims->begin(), dims->end(), [&](std::int64_t d) { return d >= named; })) return false;
    std::int64_t places = 1;
    for (int d = 0; d < named; ++d) places *= x.shape[d];
    if (places > std::numeric_limits<std::int32_t>::max() || g.collapsed_slice_dims.size() != g.start_index_map.size())
      return false;
    const ops::WindowDims w_dims(g, x.ndim(), windows.ndim());
    for (std::size_t i = 0; i < w_dims.window.size(); ++i)
      if (w_dims.operand[i] < named ||
          windows[static_cast<int>(w_dims.window[i])] != x.shape[static_cast<int>(w_dims.operand[i])])
        return false;
    return w_dims.window.size() + static_cast<std::size_t>(named) == static_cast<std::size_t>(x.ndim());
  }

  Atom added(const Eqn& like, const Op& op, Params params, std::vector<Atom> operands, DType dtype, Shape shape) {
    out_.types.push_back({dtype, std::move(shape), false, {}});
    const auto v = static_cast<ValueId>(out_.types.size()) - 1;
    out_.eqns.push_back({&op, std::move(params), std::move(operands), {v}, {}, like.loc});
    return v;
  }
  const Eqn* maker(const Atom& a) const {
    const int i = index_.producer(a.id);
    return i < 0 ? nullptr : &before_.eqns[static_cast<std::size_t>(i)];
  }
  static Atom literal(std::int64_t value, DType dtype) { return Atom(Scalar(value).to(dtype), false); }

  // Number k of each index vector.
  Atom number(const Eqn& e, std::int64_t k) {
    const Type at = out_.type(e.operands[1]);
    const int last = at.ndim() - 1;
    if (at.shape[last] == 1) return e.operands[1];
    if (const Eqn* made = maker(e.operands[1]); made && made->op == &static_cast<const Op&>(ops::concatenate) &&
                                                made->params.get<ops::Concatenate>().dim == last &&
                                                static_cast<std::int64_t>(made->operands.size()) == at.shape[last] &&
                                                !made->operands[static_cast<std::size_t>(k)].is_literal())
      return made->operands[static_cast<std::size_t>(k)];
    ops::SliceParams s{Dims(static_cast<std::size_t>(at.ndim()), 0), {}, Dims(static_cast<std::size_t>(at.ndim()), 1)};
    for (int d = 0; d < at.ndim(); ++d) s.limit.push_back(at.shape[d]);
    s.start.back() = k;
    s.limit.back() = k + 1;
    Shape one = at.shape;
    one[last] = 1;
    return added(e, ops::slice, std::move(s), {e.operands[1]}, at.dtype, one);
  }

  // The row of each index vector, of all rows in order; below 0 where it is out of range and counts as nothing.
  Atom flat(const Eqn& e, const lax::GatherDims& g, lax::GatherMode mode) {
    const Shape& x = out_.type(e.operands[0]).shape;
    Shape one = out_.type(e.operands[1]).shape;
    one[one.ndim() - 1] = 1;
    const auto named = static_cast<int>(g.start_index_map.size() + g.operand_batching_dims.size());
    Dims strides(static_cast<std::size_t>(named), 1);
    for (int d = named - 2; d >= 0; --d)
      strides[static_cast<std::size_t>(d)] = strides[static_cast<std::size_t>(d) + 1] * x[d + 1];
    std::optional<Atom> sum, inside;
    auto add_term = [&](Atom term, std::int64_t dim) {
      if (const std::int64_t s = strides[static_cast<std::size_t>(dim)]; s != 1)
        term = added(e, ops::mul, {}, {term, literal(s, int32)}, int32, one);
      sum = sum ? added(e, ops::add, {}, {*sum, term}, int32, one) : term;
    };
    for (std::size_t k = 0; k < g.start_index_map.size(); ++k) {
      const std::int64_t dim = g.start_index_map[k], last = x[static_cast<int>(dim)] - 1;
      Atom i = number(e, static_cast<std::int64_t>(k));
      DType dtype = out_.type(i).dtype;
      if (dtype.size() < 4) i = added(e, ops::convert_element_type, ops::ConvertElementType{int32}, {i}, int32, one);
      if (dtype.size() < 4) dtype = int32;
      Atom moved = added(e, ops::max, {}, {i, literal(0, dtype)}, dtype, one);
      moved = added(e, ops::min, {}, {moved, literal(last, dtype)}, dtype, one);
      if (mode == lax::GatherMode::fill) {
        const Atom same = added(e, ops::eq, {}, {i, moved}, bool_, one);
        inside = inside ? added(e, ops::bitwise_and, {}, {*inside, same}, bool_, one) : same;
      }
      if (dtype != int32)
        moved = added(e, ops::convert_element_type, ops::ConvertElementType{int32}, {moved}, int32, one);
      add_term(moved, dim);
    }
    for (std::size_t b = 0; b < g.operand_batching_dims.size(); ++b)
      add_term(added(e, ops::iota, ops::Iota{int32, one, static_cast<int>(g.start_indices_batching_dims[b])}, {}, int32,
                     one),
               g.operand_batching_dims[b]);
    return inside ? added(e, ops::select, {}, {*inside, *sum, literal(-1, int32)}, int32, one) : *sum;
  }

  // The operand with one dim for all that are named.
  Atom rows(const Eqn& e, const Shape& shape) {
    const Type x = out_.type(e.operands[0]);
    if (const Eqn* made = maker(e.operands[0]);
        made && made->op == &static_cast<const Op&>(ops::broadcast_in_dim) && made->operands[0].is_literal())
      return added(e, ops::broadcast_in_dim, ops::BroadcastInDim{shape, {}}, {made->operands[0]}, x.dtype, shape);
    return added(e, ops::reshape, ops::Reshape{shape}, {e.operands[0]}, x.dtype, shape);
  }

  void rewrite(const Eqn& e) {
    const lax::GatherDims g = named_dims(e);
    const Type x = out_.type(e.operands[0]);
    const auto named = static_cast<int>(g.start_index_map.size() + g.operand_batching_dims.size());
    Dims shape{1};
    for (int d = 0; d < named; ++d) shape[0] *= x.shape[d];
    for (int d = named; d < x.ndim(); ++d) shape.push_back(x.shape[d]);
    if (is_read_of(e)) {
      ops::Gather p = e.params.get<ops::Gather>();
      const Atom at = flat(e, g, p.mode), from = rows(e, Shape(shape));
      p.dims = {g.offset_dims, {0}, {0}, {}, {}};
      shape[0] = 1;
      p.sizes = Shape(shape);
      out_.eqns.push_back({e.op, std::move(p), {from, at}, e.results, {}, e.loc});
      return;
    }
    ops::Scatter p = e.params.get<ops::Scatter>();
    const Atom at = flat(e, g, p.mode), to = rows(e, Shape(shape));
    p.dims = {g.offset_dims, {0}, {0}, {}, {}};
    const Atom all = added(e, *e.op, std::move(p), {to, at, e.operands[2]}, x.dtype, Shape(shape));
    out_.eqns.push_back({&static_cast<const Op&>(ops::reshape), ops::Reshape{x.shape}, {all}, e.results, {}, e.loc});
  }

  ProgramIndex index_;
  const Program& before_;
  Program out_;
};

bool names_rows(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->window != Op::Window::none ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return names_rows(*sub); });
  });
}

}  // namespace

Program flat_places(const Program& program) { return names_rows(program) ? FlatPlaces(program).run() : program; }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
