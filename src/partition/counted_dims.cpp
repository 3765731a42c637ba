#include "partition/counted_dims.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "array/known_values.hpp"
#include "ir/index.hpp"
#include "ir/op.hpp"
#include "ops/movement/affine_values.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/scatter.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

using lax::Dims;

// Of a column that is worked out because nothing simpler says what it is.
constexpr std::int64_t most_counted = 1 << 18;

bool names_windows(const Eqn& e) {
  using Window = Op::Window;
  const Window w = e.op->window;
  return (w == Window::read || w == Window::write || w == Window::add || w == Window::other) && e.operands.size() > 1 &&
         !e.operands[0].is_literal() && !e.operands[1].is_literal();
}

bool has_windows(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return names_windows(e) ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return has_windows(*s); });
  });
}

bool contains(const Dims& dims, std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

lax::GatherDims dims_of(const Eqn& e) {
  if (e.op->window == Op::Window::read) return e.params.get<ops::Gather>().dims;
  const lax::ScatterDims& d = e.params.get<ops::Scatter>().dims;
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

Params with_dims(const Eqn& e, const lax::GatherDims& d) {
  if (e.op->window == Op::Window::read) {
    auto gather = e.params.get<ops::Gather>();
    gather.dims = d;
    return gather;
  }
  auto scatter = e.params.get<ops::Scatter>();
  scatter.dims = {d.offset_dims, d.collapsed_slice_dims, d.start_index_map, d.operand_batching_dims,
                  d.start_indices_batching_dims};
  return scatter;
}

class CountedDims : Rewriting {
 public:
  // Of a body: `given` are the inputs that count outside.
  CountedDims(const ShardedProgram& sharded, ops::AffineValues::Given given)
      : Rewriting(sharded), index_(p_), counts_(p_, std::move(given)), known_(p_, most_counted) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      int sub = 0;
      auto [e, bodies] = entered(i, [&](const ShardedProgram& body) {
        return CountedDims(body, given_to(p_.eqns[static_cast<std::size_t>(i)], sub++, *body.program)).run();
      });
      if (names_windows(e))
        window(std::move(e));
      else
        push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  // What a loop hands to each step as it is.
  ops::AffineValues::Given given_to(const Eqn& e, int sub, const Program& body) {
    ops::AffineValues::Given out;
    if (!e.op->loop || sub != loop_of(e).body) return out;
    const Loop loop = loop_of(e);
    for (int c = 0; c < loop.consts; ++c) {
      const Atom& a = e.operands[static_cast<std::size_t>(loop.first_const() + c)];
      const ValueId input = body.inputs[static_cast<std::size_t>(c)];
      if (a.is_literal() || !p_.types[a.id].dtype.is_integer() || body.types[input].shape != p_.types[a.id].shape)
        continue;
      if (const auto affine = counts_.of(a)) out.emplace(input, *affine);
    }
    return out;
  }

  // Whether along dim `dim` of the batch, and nowhere else, the column counts 0, 1 ... up to the dim's extent.
  bool counts_along(const Atom& column, int dim) {
    if (column.is_literal()) return false;
    const Shape& shape = p_.types[column.id].shape;
    if (const std::optional<ops::Affine> affine = counts_.of(column)) {
      ops::Affine wanted{0, Dims(shape.size(), 0), 0};
      wanted.steps[static_cast<std::size_t>(dim)] = 1;
      return affine == wanted;
    }
    if (shape.num_elements() > most_counted || !known_.knows(column.id)) return false;
    const auto [at, fresh] = integers_.try_emplace(column.id);
    if (fresh) at->second = known_.integers(column.id);
    std::int64_t inner = 1;
    for (int d = dim + 1; d < shape.ndim(); ++d) inner *= shape[d];
    for (std::size_t k = 0; k < at->second.size(); ++k)
      if (at->second[k] != static_cast<std::int64_t>(k) / inner % shape[dim]) return false;
    return true;
  }

  std::vector<Type> operand_types(const Eqn& e) const {
    std::vector<Type> out;
    for (const Atom& a : e.operands) out.push_back(p_.type(a));
    return out;
  }

  // The numbers of each index vector, one array [..., 1] per place in it; none where they are not put together so.
  std::vector<Atom> columns(const Atom& indices) const {
    const Type& type = p_.type(indices);
    const auto n = static_cast<std::size_t>(type.shape.back());
    if (n == 1) return {indices};
    const int producer = index_.producer(indices.id);
    if (producer < 0) return {};
    const Eqn& e = p_.eqns[static_cast<std::size_t>(producer)];
    if (!e.op->pieces) return {};
    std::vector<Atom> out(n);
    std::size_t found = 0;
    for (const Piece& piece : e.op->pieces(Call{*e.op, e.params, operand_types(e), e.subs}, type)) {
      const Atom& a = e.operands[static_cast<std::size_t>(piece.operand)];
      if (p_.type(a).ndim() != type.ndim() || p_.type(a).shape.back() != 1 || a.is_literal()) return {};
      if (piece.extents.empty() || piece.extents.back() == 0) continue;
      for (int d = 0; d + 1 < type.ndim(); ++d)
        if (piece.extents[static_cast<std::size_t>(d)] != type.shape[d]) return {};
      out[static_cast<std::size_t>(piece.start.back())] = a;
      ++found;
    }
    return found == n ? out : std::vector<Atom>{};
  }

  void window(Eqn e) {
    lax::GatherDims dims = dims_of(e);
    std::vector<Atom> left = columns(e.operands[1]);
    const std::size_t before = left.size();
    const Shape &x = p_.type(e.operands[0]).shape, &indices = p_.type(e.operands[1]).shape;
    for (std::size_t k = 0; k < left.size() && left.size() > 1;) {
      const std::int64_t d = dims.start_index_map[k];
      const int along = contains(dims.collapsed_slice_dims, d) ? counted(left[k], x[d], indices, dims) : -1;
      if (along < 0) {
        ++k;
        continue;
      }
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
      dims.start_index_map.erase(dims.start_index_map.begin() + static_cast<std::ptrdiff_t>(k));
      std::erase(dims.collapsed_slice_dims, d);
      const auto at = std::lower_bound(dims.operand_batching_dims.begin(), dims.operand_batching_dims.end(), d) -
                      dims.operand_batching_dims.begin();
      dims.operand_batching_dims.insert(dims.operand_batching_dims.begin() + at, d);
      dims.start_indices_batching_dims.insert(dims.start_indices_batching_dims.begin() + at, along);
    }
    if (left.size() < before) {
      changed_ = true;
      e.operands[1] =
          left.size() == 1 ? left[0] : make(ops::concatenate, ops::Concatenate{indices.ndim() - 1}, left, e.loc);
      e.params = with_dims(e, dims);
    }
    if (e.op->window != Op::Window::read || !taken_along(e, dims)) push(std::move(e));
  }

  // The batch dim along which the column counts to `extent`, and which is no batching dim yet; -1: none.
  int counted(const Atom& column, std::int64_t extent, const Shape& indices, const lax::GatherDims& dims) {
    if (extent < 2) return -1;
    for (int b = 0; b + 1 < indices.ndim(); ++b)
      if (indices[b] == extent && !contains(dims.start_indices_batching_dims, b) && counts_along(column, b)) return b;
    return -1;
  }

  // Of one element for each of all other dims: with a dim of extent 1 in the place of the one that is read along.
  bool taken_along(const Eqn& e, const lax::GatherDims& dims) {
    const Type &x = type(e.operands[0]), &indices = type(e.operands[1]);
    if (dims.start_index_map.size() != 1 || dims.collapsed_slice_dims != dims.start_index_map ||
        !dims.offset_dims.empty() || indices.ndim() != x.ndim())
      return false;
    const std::int64_t dim = dims.start_index_map[0];
    Dims others, batch;
    for (int d = 0; d < x.ndim(); ++d)
      if (d != dim) others.push_back(d);
    for (int b = 0; b + 1 < indices.ndim(); ++b) batch.push_back(b);
    if (dims.operand_batching_dims != others || dims.start_indices_batching_dims != batch) return false;
    Shape shape = indices.shape;
    shape.insert(static_cast<std::size_t>(dim), 1);
    auto gather = e.params.get<ops::Gather>();
    gather.dims = {{}, {dim}, {dim}, others, others};
    const Atom at = make(ops::reshape, ops::Reshape{shape}, {e.operands[1]}, e.loc);
    const Atom taken = make(ops::gather, gather, {e.operands[0], at}, e.loc);
    make(ops::reshape, ops::Reshape{p_.types[e.results[0]].shape}, {taken}, e.loc, e.results[0]);
    changed_ = true;
    return true;
  }

  const ProgramIndex index_;
  ops::AffineValues counts_;
  KnownValues known_;
  std::map<ValueId, std::vector<std::int64_t>> integers_;
};

}  // namespace

ShardedProgram with_counted_dims(const ShardedProgram& sharded) {
  return has_windows(*sharded.program) ? CountedDims(sharded, {}).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
