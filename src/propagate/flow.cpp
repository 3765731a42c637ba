// The rules of propagation. Per Eqn: project the dims of all its operands and results onto factors; let each factor
// take the longest axis list that its tensors agree on; where they disagree, or two factors want one axis, the larger
// tensor wins, then the earlier one (elementwise: the most sharded one first), but before all a factor that can be
// split in computing. Lists only grow, so the rounds end.
#include "propagate/flow.hpp"

#include <algorithm>
#include <optional>

#include "ir/op.hpp"
#include "propagate/sites.hpp"

namespace tutti {
namespace {

using AxisList = std::vector<int>;

struct Tensor {
  ValueId value;
  const Factors::Dims* dims;
  bool is_result;
};

struct Flow {
  ShardedProgram& sharded;
  std::vector<ValueAxes>& placements;
  const Program& program;
  std::vector<std::int64_t> sizes;
  std::vector<std::optional<Factors>> factors;  // per Eqn
  int round = 0;

  std::int64_t ways(const AxisList& axes) const {
    std::int64_t n = 1;
    for (int a : axes) n *= sizes[a];
    return n;
  }
  static bool is_prefix(const AxisList& a, const AxisList& b) {
    return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

  // What a dim's axes mean for factor `f`, the `p`-th of the dim. Axes that do not fit whole factors stop the
  // projection.
  AxisList project(const AxisList& axes, const std::vector<int>& list, const Factors& rule, std::size_t p) const {
    if (list.size() == 1) return axes;
    AxisList out;
    std::size_t at = 0;
    std::int64_t left = rule.factors[list[0]].size;
    for (int a : axes) {
      while (left == 1 && at + 1 < list.size()) left = rule.factors[list[++at]].size;
      if (left % sizes[a] != 0) break;
      left /= sizes[a];
      if (at == p) out.push_back(a);
    }
    return out;
  }

  // Appends axes to factor `p` of dim `d` as far as they fit there. True when something changed.
  bool extend(const Tensor& t, int d, std::size_t p, const AxisList& wanted, const Factors& rule, const Origin& origin,
              ValueId from, int from_dim) {
    ValueAxes& place = placements[t.value];
    if (place.closed[d]) return false;
    const std::vector<int>& list = (*t.dims)[d];
    AxisList have = project(place.dims[d], list, rule, p);
    if (!is_prefix(have, wanted) || have.size() == wanted.size()) return false;
    if (list.size() > 1) {
      // Minor factors can be cut only when all major ones are cut to pieces of 1, and nothing may follow.
      std::size_t before = 0;
      for (std::size_t q = 0; q < p; ++q) {
        AxisList of = project(place.dims[d], list, rule, q);
        if (ways(of) != rule.factors[list[q]].size) return false;
        before += of.size();
      }
      if (before + have.size() != place.dims[d].size()) return false;
    }
    bool changed = false;
    for (std::size_t i = have.size(); i < wanted.size(); ++i) {
      int a = wanted[i];
      for (const AxisList& other : place.dims)
        if (std::find(other.begin(), other.end(), a) != other.end()) return changed;
      std::int64_t n = ways(have) * sizes[a],
                   size = list.size() > 1 ? rule.factors[list[p]].size : program.types[t.value].shape[d];
      if (n > size || (list.size() > 1 && size % n != 0)) return changed;
      have.push_back(a);
      place.dims[d].push_back(a);
      Origin o = origin;
      if (auto it = sharded.origins.find({from, from_dim, a}); it != sharded.origins.end()) {
        o.kind = it->second.kind;
        o.index = it->second.index;
        o.loc = it->second.loc;
      }
      sharded.origins[{t.value, d, a}] = o;
      changed = true;
    }
    return changed;
  }

  struct Source {
    AxisList axes;
    std::size_t tensor = 0;
    int dim = 0;
    std::int64_t elements = 0;
  };

  bool step(int index) {
    const Eqn& e = program.eqns[index];
    if (!factors[index]) return false;
    const Factors& rule = *factors[index];
    bool reduces = false;
    for (const Factors::Factor& f : rule.factors)
      reduces = reduces || (f.kind != Factors::Kind::parallel && f.kind != Factors::Kind::replicated);
    bool broadcast = e.op->name == "broadcast_in_dim" || e.op->name == "broadcast";
    bool elementwise = !reduces && !broadcast && e.op->name != "dot_general";
    if (round == 0 && !elementwise) return false;
    bool backward_only = broadcast && round == 1;

    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < e.operands.size() && i < rule.operands.size(); ++i)
      if (!e.operands[i].is_literal()) tensors.push_back({e.operands[i].id, &rule.operands[i], false});
    for (std::size_t i = 0; i < e.results.size() && i < rule.results.size(); ++i)
      tensors.push_back({e.results[i], &rule.results[i], true});

    std::vector<std::optional<Source>> sources(rule.factors.size());
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const Type& type = program.types[tensors[t].value];
      for (int d = 0; d < type.ndim() && d < static_cast<int>(tensors[t].dims->size()); ++d) {
        const std::vector<int>& list = (*tensors[t].dims)[d];
        for (std::size_t p = 0; p < list.size(); ++p) {
          AxisList axes = project(placements[tensors[t].value].dims[d], list, rule, p);
          if (axes.empty()) continue;
          std::optional<Source>& best = sources[list[p]];
          Source s{std::move(axes), t, d, type.num_elements()};
          bool take = !best || (is_prefix(best->axes, s.axes) && s.axes.size() > best->axes.size());
          // Two lists that differ: the most sharded one (elementwise), then the larger tensor, then the earlier one.
          if (best && !is_prefix(best->axes, s.axes) && !is_prefix(s.axes, best->axes))
            take = (elementwise && ways(s.axes) > ways(best->axes)) || s.elements > best->elements;
          if (take) best = std::move(s);
        }
      }
    }
    std::vector<int> order;
    for (std::size_t f = 0; f < sources.size(); ++f)
      if (sources[f]) order.push_back(static_cast<int>(f));
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      const Source &a = *sources[x], &b = *sources[y];
      bool whole_a = rule.factors[x].kind == Factors::Kind::replicated,
           whole_b = rule.factors[y].kind == Factors::Kind::replicated;
      if (whole_a != whole_b) return whole_b;
      if (a.elements != b.elements) return a.elements > b.elements;
      if (elementwise && ways(a.axes) != ways(b.axes)) return ways(a.axes) > ways(b.axes);
      return a.tensor < b.tensor;
    });
    bool changed = false;
    for (int f : order) {
      const Source& s = *sources[f];
      Origin origin;
      origin.via = index;
      origin.from = tensors[s.tensor].value;
      for (std::size_t t = 0; t < tensors.size(); ++t) {
        if (t == s.tensor || (backward_only && tensors[t].is_result)) continue;
        for (int d = 0; d < static_cast<int>(tensors[t].dims->size()); ++d)
          for (std::size_t p = 0; p < (*tensors[t].dims)[d].size(); ++p)
            if ((*tensors[t].dims)[d][p] == f)
              changed |= extend(tensors[t], d, p, s.axes, rule, origin, origin.from, s.dim);
      }
    }
    return changed;
  }
};

}  // namespace

void flow(ShardedProgram& sharded, std::vector<ValueAxes>& placements) {
  const Program& program = *sharded.program;
  Flow f{sharded, placements, program, sharded.mesh.shape().dims(), {}};
  for (const Eqn& e : program.eqns) {
    f.factors.emplace_back();
    if (!e.op->factors || !e.subs.empty()) continue;
    std::vector<Type> operands, results;
    for (const Atom& a : e.operands) operands.push_back(program.type(a));
    for (ValueId r : e.results) results.push_back(program.types[r]);
    f.factors.back() = e.op->factors(Call{*e.op, e.params, operands, e.subs}, results);
  }
  int n = static_cast<int>(program.eqns.size());
  for (f.round = 0; f.round < 3; ++f.round) {
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = 0; i < n; ++i) changed |= f.step(i);
      for (int i = n; i-- > 0;) changed |= f.step(i);
    }
  }
}

}  // namespace tutti
