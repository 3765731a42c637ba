#include "partition/picks_first.hpp"

#include <algorithm>

#include "ir/index.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/reshape.hpp"
#include "partition/dim_parts.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

class PicksFirst : Rewriting {
 public:
  explicit PicksFirst(const ShardedProgram& sharded) : Rewriting(sharded), index_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_picks_first);
      const std::optional<int> dim = taken_along(e, p_);
      if (dim && replaced(e, *dim))
        changed_ = true;
      else
        push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  bool replaced(const Eqn& gather, int dim) {
    const ValueId x = gather.operands[0].id;
    const int producer = index_.producer(x);
    if (producer < 0 || index_.use_count(x) != 1) return false;
    const Eqn& e = p_.eqns[producer];
    if (!e.op->pointwise || e.results.size() != 1) return false;
    const auto is_array = [&](const Atom& a) { return !is_scalar(a) && !same_along(a, dim); };
    if (std::count_if(e.operands.begin(), e.operands.end(), is_array) != 1) return false;
    const auto array = std::find_if(e.operands.begin(), e.operands.end(), is_array) - e.operands.begin();
    if (gather.params.get<ops::Gather>().mode == lax::GatherMode::fill &&
        (gather.params.get<ops::Gather>().zero_fill || !keeps_nan(e, static_cast<int>(array))))
      return false;
    Eqn picked = e;
    for (Atom& a : picked.operands) {
      if (is_scalar(a)) continue;
      if (!is_array(a)) {
        a = repeated(p_.eqns[index_.producer(a.id)], p_.types[gather.results[0]].shape, gather.loc);
        continue;
      }
      Eqn taken = gather;
      Type type = p_.types[a.id];
      type.shape = p_.types[gather.results[0]].shape;
      taken.operands[0] = a;
      taken.results = {value(type)};
      a = taken.results[0];
      push(std::move(taken));
    }
    picked.results = gather.results;
    push(std::move(picked));
    return true;
  }

  // Whether a NaN in this operand, which stands for what lies outside, is a NaN in the result.
  bool keeps_nan(const Eqn& e, int operand) const {
    const DType dtype = p_.types[e.results[0]].dtype;
    for (const Atom& a : e.operands)
      if (!(p_.type(a).dtype == dtype)) return false;
    const std::vector<std::vector<int>> linear = e.op->linear_sets(e.operands.size());
    return dtype.is_floating() && std::any_of(linear.begin(), linear.end(), [&](const std::vector<int>& set) {
             return std::find(set.begin(), set.end(), operand) != set.end();
           });
  }

  bool is_scalar(const Atom& a) const { return a.is_literal() || p_.types[a.id].ndim() == 0; }

  // Whether it repeats its operand along the dim, and turns nothing.
  bool same_along(const Atom& a, int dim) const {
    const int producer = index_.producer(a.id);
    if (producer < 0) return false;
    const Eqn& e = p_.eqns[producer];
    if (!e.op->view || e.results.size() != 1 || is_scalar(e.operands[0])) return false;
    const std::optional<std::vector<int>> dims = strided_dims(e, p_);
    if (!dims || (*dims)[dim] >= 0 || p_.types[a.id].shape[dim] == 1) return false;
    std::vector<int> kept;
    for (int d : *dims)
      if (d >= 0) kept.push_back(d);
    return std::is_sorted(kept.begin(), kept.end());
  }

  // What the Eqn makes, in another shape: other extents where it repeats.
  Atom repeated(const Eqn& e, const Shape& shape, Loc loc) {
    const std::vector<int> dims = *strided_dims(e, p_);
    lax::Dims results;
    Shape kept;
    for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
      if (dims[d] < 0) continue;
      results.push_back(d);
      kept.push_back(p_.types[e.operands[0].id].shape[dims[d]]);
    }
    Atom x = e.operands[0];
    if (kept.size() < type(x).shape.size()) x = make(ops::reshape, ops::Reshape{kept}, {x}, loc);
    return make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, results}, {x}, loc);
  }

  const ProgramIndex index_;
};

}  // namespace

bool reads_windows(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->window == Op::Window::read ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return reads_windows(*s); });
  });
}

std::optional<int> taken_along(const Eqn& e, const Program& p) {
  if (e.op->window != Op::Window::read || e.operands[0].is_literal() || e.operands[1].is_literal()) return std::nullopt;
  const auto& gather = e.params.get<ops::Gather>();
  const int n = p.types[e.operands[0].id].ndim();
  if (gather.dims.start_index_map.size() != 1 || gather.dims.collapsed_slice_dims != gather.dims.start_index_map ||
      !gather.dims.offset_dims.empty() || p.types[e.results[0]].ndim() != n || gather.sizes.num_elements() != 1)
    return std::nullopt;
  const auto dim = static_cast<int>(gather.dims.start_index_map[0]);
  lax::Dims others;
  for (int d = 0; d < n; ++d)
    if (d != dim) others.push_back(d);
  if (gather.dims.operand_batching_dims != others || gather.dims.start_indices_batching_dims != others)
    return std::nullopt;
  return dim;
}

ShardedProgram with_picks_first(const ShardedProgram& sharded) {
  return reads_windows(*sharded.program) ? PicksFirst(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
