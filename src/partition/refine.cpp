#include "partition/refine.hpp"

#include <algorithm>
#include <numeric>

#include "ops/contraction/dot_general.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"
#include "partition/dim_parts.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

Shape joined(const std::vector<Parts>& parts) {
  Shape out;
  for (const Parts& p : parts)
    for (std::int64_t n : p) out.push_back(n);
  return out;
}

// The dims that dims become.
template <class T> std::vector<T> expanded(const std::vector<T>& dims, const std::vector<Parts>& parts) {
  std::vector<T> out;
  for (const T d : dims) {
    T first = 0;
    for (T k = 0; k < d; ++k) first += static_cast<T>(parts[k].size());
    for (T k = 0; k < static_cast<T>(parts[d].size()); ++k) out.push_back(first + k);
  }
  return out;
}

// The layout with dims in parts; dims whose blocks parts cannot say are whole.
Layout in_parts(const Layout& layout, const std::vector<Parts>& parts) {
  Layout out = layout;
  out.dims.clear();
  for (int d = 0; d < layout.ndim(); ++d) {
    std::vector<AxisRefs> refs(parts[d].size());
    if (parts[d].size() == 1)
      refs = {layout.dims[d]};
    else if (auto placed = on_parts(layout.dims[d], parts[d]))
      refs = std::move(*placed);
    out.dims.insert(out.dims.end(), refs.begin(), refs.end());
  }
  return out;
}

class Refining : Rewriting {
 public:
  Refining(const ShardedProgram& sharded, const DimParts& dims, int scope)
      : Rewriting(sharded), dims_(dims), scope_(scope) {
    changed_ = true;
    for (ValueId v = 0; v < static_cast<ValueId>(types_.size()); ++v) {
      parts_.push_back(dims.parts(scope, v));
      types_[v].shape = joined(parts_[v]);
      out_.layouts[v] = in_parts(in_.layouts[v], parts_[v]);
      same_.push_back(v);
    }
  }

  ShardedProgram run() {
    if (scope_ == 0)
      for (ValueId v : p_.inputs) split_input(v);
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) add(i);
    std::vector<Atom> outputs = p_.outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      Atom& a = outputs[k];
      if (a.is_literal()) continue;
      const ValueId v = a.id;
      a = at(a);
      if (scope_ == 0 && !(types_[a.id].shape == p_.types[v].shape)) {
        a = reshape(a, p_.types[v].shape, {});
        out_.layouts[a.id] = in_.layouts[v];
      } else if (scope_ > 0) {
        out_.outputs[k] = in_parts(in_.outputs[k], parts_[v]);
      }
    }
    move_origins();
    return done(std::move(outputs));
  }

 private:
  Atom at(const Atom& a) const { return a.is_literal() ? a : Atom(same_[a.id]); }

  void split_input(ValueId v) {
    const Shape shape = types_[v].shape;
    if (shape == p_.types[v].shape) return;
    types_[v] = p_.types[v];
    out_.layouts[v] = in_.layouts[v];
    same_[v] = reshape(Atom(v), shape, {}).id;
    out_.layouts[same_[v]] = in_parts(in_.layouts[v], parts_[v]);
  }

  void add(int eqn) {
    Eqn e = p_.eqns[eqn];
    for (Atom& a : e.operands) a = at(a);
    switch (dims_.form(scope_, eqn)) {
      case DimForm::fixed:
      case DimForm::same:
        return push(std::move(e), in_.bodies.size() > static_cast<std::size_t>(eqn) ? in_.bodies[eqn]
                                                                                    : std::vector<ShardedProgram>{});
      case DimForm::regroup: return define(p_.eqns[eqn], reshaped(e.operands[0], shape_of(e), e.loc));
      case DimForm::strided: return define(p_.eqns[eqn], strided(p_.eqns[eqn], e));
      case DimForm::joined: return define(p_.eqns[eqn], joined_pieces(e));
      case DimForm::reduced: {
        auto params = e.params.get<ops::Reduction>();
        params.axes = expanded(params.axes, parts_[p_.eqns[eqn].operands[0].id]);
        e.params = params;
        return push(std::move(e), {});
      }
      case DimForm::product: {
        auto params = e.params.get<ops::DotGeneral>();
        const std::vector<Parts>&lhs = parts_[p_.eqns[eqn].operands[0].id], &rhs = parts_[p_.eqns[eqn].operands[1].id];
        params.dims.lhs_batch = expanded(params.dims.lhs_batch, lhs);
        params.dims.lhs_contract = expanded(params.dims.lhs_contract, lhs);
        params.dims.rhs_batch = expanded(params.dims.rhs_batch, rhs);
        params.dims.rhs_contract = expanded(params.dims.rhs_contract, rhs);
        e.params = params;
        return push(std::move(e), {});
      }
      case DimForm::loop: {
        std::vector<ShardedProgram> bodies;
        for (int s = 0; s < static_cast<int>(e.subs.size()); ++s) {
          bodies.push_back(Refining(in_.bodies[eqn][s], dims_, dims_.body(scope_, eqn, s)).run());
          e.subs[s] = bodies.back().program;
        }
        return push(std::move(e), std::move(bodies));
      }
    }
  }

  const Shape& shape_of(const Eqn& e) const { return types_[e.results[0]].shape; }
  const Shape& shape_of(const Atom& a) const { return types_[a.id].shape; }

  Atom reshape(const Atom& x, const Shape& shape, Loc loc) { return make(ops::reshape, ops::Reshape{shape}, {x}, loc); }
  Atom reshaped(const Atom& x, const Shape& shape, Loc loc) {
    return shape_of(x) == shape ? x : reshape(x, shape, loc);
  }
  // The result of the Eqn is this; what was said of it holds.
  void define(const Eqn& e, const Atom& what) {
    const ValueId v = e.results[0];
    if (what.id >= static_cast<ValueId>(p_.types.size())) {
      out_.layouts[what.id] = out_.layouts[v];
      types_[what.id].weak = types_[v].weak;
    }
    same_[v] = what.id;
  }

  // `e` as it was, `now` with its operands as they are.
  Atom strided(const Eqn& e, const Eqn& now) {
    const std::vector<Parts>&from = parts_[e.operands[0].id], &to = parts_[e.results[0]];
    const std::vector<int> dims = *strided_dims(e, p_);
    lax::Dims order;    // dims of the operand, as the result has them
    lax::Dims results;  // dims of the result that these are
    for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
      if (dims[d] < 0) continue;
      for (const auto k : expanded(lax::Dims{dims[d]}, from)) order.push_back(k);
      for (const auto k : expanded(lax::Dims{d}, to)) results.push_back(k);
    }
    Atom x = now.operands[0];
    if (order.size() < shape_of(x).size()) {  // dims of one element go first
      lax::Dims kept = order;
      std::sort(kept.begin(), kept.end());
      Shape shape;
      for (const auto d : kept) shape.push_back(shape_of(x)[d]);
      x = reshape(x, shape, e.loc);
      for (auto& d : order) d = std::lower_bound(kept.begin(), kept.end(), d) - kept.begin();
    }
    if (!std::is_sorted(order.begin(), order.end())) x = make(ops::transpose, ops::Transpose{order}, {x}, e.loc);
    const Shape& shape = types_[e.results[0]].shape;
    return shape_of(x) == shape ? x : make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, results}, {x}, e.loc);
  }

  // `e` with its operands as they are.
  Atom joined_pieces(const Eqn& e) {
    const ValueId v = e.results[0];
    const Along& along = dims_.joined(scope_, v);
    const std::int64_t unit = dims_.unit(scope_, v);
    int place = 0;
    for (int d = 0; d < along.dim; ++d) place += static_cast<int>(parts_[v][d].size());
    Shape inner = shape_of(e);  // of one step along the joined dim
    if (p_.types[v].shape[along.dim] > unit)
      inner[place] = 1;
    else
      inner.insert(place, 1);
    std::vector<Atom> pieces;
    for (const Segment& s : along.segments) {
      Shape shape = inner;
      shape[place] = s.length / unit;
      if (s.source.is_literal() || p_.types[s.source.id].ndim() == 0) {
        pieces.push_back(make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, {}}, {at(s.source)}, e.loc));
        continue;
      }
      Shape whole = inner;
      whole[place] = p_.types[s.source.id].shape[along.dim] / unit;
      Atom x = reshaped(at(s.source), whole, e.loc);
      if (s.length / unit != whole[place]) {
        ops::SliceParams cut{lax::Dims(whole.size(), 0), whole.dims(), lax::Dims(whole.size(), 1)};
        cut.start[place] = s.from / unit;
        cut.limit[place] = (s.from + s.length) / unit;
        x = make(ops::slice, cut, {x}, e.loc);
      }
      pieces.push_back(x);
    }
    Atom out = pieces.size() == 1 ? pieces[0] : make(ops::concatenate, ops::Concatenate{place}, pieces, e.loc);
    return reshaped(out, shape_of(e), e.loc);
  }

  // Where values got their layouts from, dim by dim.
  void move_origins() {
    out_.origins.clear();
    for (const auto& [key, origin] : in_.origins) {
      auto [v, dim, axis] = key;
      const bool stays = scope_ == 0 && std::find(p_.inputs.begin(), p_.inputs.end(), v) != p_.inputs.end();
      if (stays) out_.origins.emplace(key, origin);
      int first = 0;
      for (int d = 0; d < dim; ++d) first += static_cast<int>(parts_[v][d].size());
      const ValueId now = same_[v];
      for (int d = first; d < first + static_cast<int>(parts_[v][dim].size()); ++d)
        if (now != v || !stays)
          for (const AxisRef& ref : out_.layouts[now].dims[d])
            if (ref.axis == axis) out_.origins.emplace(std::tuple{now, d, axis}, origin);
    }
  }

  const DimParts& dims_;
  const int scope_;
  std::vector<std::vector<Parts>> parts_;  // by value of the program as it was
  std::vector<ValueId> same_;              // what stands for it
};

}  // namespace

ShardedProgram with_dims_in_parts(const ShardedProgram& sharded, std::int64_t devices) {
  const DimParts dims(sharded, devices);
  return dims.any() ? Refining(sharded, dims, 0).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
