#include "partition/rows.hpp"
#include "ops/movement/gather.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "partition/magnitudes.hpp"

namespace tutti {
namespace {

using Kind = Factors::Kind;

bool reduces(Kind k) { return k == Kind::sum || k == Kind::max || k == Kind::min; }
Reduce reduce_of(Kind k) { return k == Kind::max ? Reduce::max : k == Kind::min ? Reduce::min : Reduce::sum; }

struct Rows {
  const Eqn& eqn;
  const Program& program;
  const Mesh& mesh;
  Factors rule;
  std::vector<Type> operands, results;
  std::vector<std::vector<int>> linear;  // usable sets
  std::vector<Candidate> out;
  std::set<std::string> seen;

  // What one axis is put on: a factor (>= 0), nothing (-1), linear set s (-2 - s).
  using Assignment = std::vector<std::pair<AxisRef, int>>;

  bool has_factor(const Factors::Dims& dims, int f) const {
    return std::any_of(dims.begin(), dims.end(),
                       [&](const auto& list) { return std::find(list.begin(), list.end(), f) != list.end(); });
  }

  // Layout of one tensor; false where blocks of factors would not be blocks of the dim.
  bool build(const Factors::Dims& dims, const Type& type, const std::vector<AxisRefs>& on, Layout& layout) const {
    layout = Layout::replicated(type.ndim());
    for (int d = 0; d < type.ndim() && d < static_cast<int>(dims.size()); ++d) {
      bool cut = false, open = true;  // open: all factors before were cut to pieces of 1
      for (int f : dims[d]) {
        std::int64_t size = rule.factors[f].size, n = ways(on[f]);
        if (n > 1) {
          if (!open) return false;
          if (dims[d].size() > 1 && size % n != 0) return false;
          layout.dims[d].insert(layout.dims[d].end(), on[f].begin(), on[f].end());
          cut = true;
        }
        open = open && n == size;
      }
      if (cut && type.shape[d] < layout.ways(d)) return false;
    }
    return true;
  }

  bool add(const Assignment& assignment) {
    Candidate c;
    std::vector<AxisRefs> on(rule.factors.size());
    for (const auto& [axis, choice] : assignment)
      if (choice >= 0) on[choice].push_back(axis);
    // A factor that shares a dim with others somewhere is cut evenly or not at all.
    auto build_all = [&](const std::vector<Factors::Dims>& dims, const std::vector<Type>& types,
                         std::vector<Layout>& layouts) {
      layouts.resize(types.size());
      for (std::size_t i = 0; i < types.size(); ++i)
        if (!build(i < dims.size() ? dims[i] : Factors::Dims{}, types[i], on, layouts[i])) return false;
      return true;
    };
    if (!build_all(rule.operands, operands, c.operands) || !build_all(rule.results, results, c.results)) return false;

    std::optional<Reduce> kind;
    for (const auto& [axis, choice] : assignment) {
      std::vector<char> pending(operands.size(), 0);
      if (choice >= 0) {
        Kind k = rule.factors[choice].kind;
        if (!reduces(k)) continue;
        if (kind && *kind != reduce_of(k)) return false;
        kind = reduce_of(k);
        // An operand without the reduced factor that is added to the others (scatter_add's first) counts once: on
        // coordinate 0.
        for (const std::vector<int>& set : linear) {
          bool joined =
              std::any_of(set.begin(), set.end(), [&](int o) { return has_factor(rule.operands[o], choice); });
          for (int o : set)
            pending[o] = pending[o] || (joined && k == Kind::sum && !has_factor(rule.operands[o], choice));
        }
      } else if (choice <= -2) {
        if (kind && *kind != Reduce::sum) return false;
        kind = Reduce::sum;
        for (int o : linear[-2 - choice]) pending[o] = 1;
      } else {
        continue;
      }
      for (std::size_t o = 0; o < operands.size(); ++o)
        if (pending[o]) c.operands[o].pending.push_back(axis);
      for (Layout& l : c.results) {
        l.pending.push_back(axis);
        l.pending_kind = *kind;
      }
    }
    for (Layout& l : c.operands) l = canonical(l);
    for (Layout& l : c.results) l = canonical(l);
    std::string text;
    for (const Layout& l : c.operands) text += str(l, mesh);
    for (const Layout& l : c.results) text += str(l, mesh);
    if (!seen.insert(text).second) return false;

    note_padding(c, on);
    std::optional<Params> params = localized(eqn, program, c);
    if (!params) return false;
    c.params = *params;
    price(c);
    out.push_back(std::move(c));
    return true;
  }

  void note_padding(Candidate& c, const std::vector<AxisRefs>& on) const {
    c.padding.resize(operands.size());
    c.padded_dims.resize(operands.size());
    for (std::size_t o = 0; o < operands.size() && o < rule.operands.size(); ++o)
      for (int d = 0; d < operands[o].ndim() && d < static_cast<int>(rule.operands[o].size()); ++d)
        for (int f : rule.operands[o][d])
          if (reduces(rule.factors[f].kind) && !on[f].empty()) {
            c.padding[o].push_back(reduce_of(rule.factors[f].kind));
            c.padded_dims[o].push_back(d);
          }
  }

  void price(Candidate& c) const {
    constexpr double per_element = 0.001, per_flop = 0.01;
    for (std::size_t i = 0; i < c.results.size(); ++i)
      c.work += per_element * static_cast<double>(block_shape(c.results[i], results[i].shape).num_elements());
    for (std::size_t i = 0; i < c.operands.size(); ++i)
      c.work += per_element * static_cast<double>(block_shape(c.operands[i], operands[i].shape).num_elements());
    if (!eqn.op->flops) return;
    std::vector<Type> in = operands, made = results;
    for (std::size_t o = 0; o < in.size(); ++o) in[o].shape = block_shape(c.operands[o], in[o].shape);
    for (std::size_t r = 0; r < made.size(); ++r) made[r].shape = block_shape(c.results[r], made[r].shape);
    c.work += per_flop * eqn.op->flops(Call{*eqn.op, c.params, in, eqn.subs}, made);
  }

  void enumerate(const AxisRefs& axes, std::size_t at, Assignment& assignment,
                 const std::function<bool(int, const AxisRef&)>& may_be_pending) {
    if (at == axes.size()) {
      add(assignment);
      return;
    }
    const AxisRef& axis = axes[at];
    auto put = [&](int choice) {
      assignment.emplace_back(axis, choice);
      enumerate(axes, at + 1, assignment, may_be_pending);
      assignment.pop_back();
    };
    for (std::size_t f = 0; f < rule.factors.size(); ++f)
      if (rule.factors[f].kind != Kind::replicated && rule.factors[f].size >= axis.size) put(static_cast<int>(f));
    for (std::size_t s = 0; s < linear.size(); ++s)
      if (std::any_of(linear[s].begin(), linear[s].end(), [&](int o) { return may_be_pending(o, axis); }))
        put(-2 - static_cast<int>(s));
    put(-1);
  }
};

// Whether every number of `from` is one of `to`.
bool at_least_as_wide(DType to, DType from) {
  if (to == from) return true;
  if (from.is_integer()) return to.is_integer() && to.size() >= from.size();
  if (from == bfloat16 || from == float16) return to.is_inexact() && to.size() > from.size();
  return from == float32 && (to == float64 || to.is_complex());
}

// Sets of operands in which f is linear for sums over devices: f(sum x) = sum f(x), the other operands being equal
// everywhere. Partial sums may be larger than their sum: nothing may round or enlarge them before they are added.
std::vector<std::vector<int>> usable_linear_sets(const Call& call, const std::vector<Type>& results,
                                                 const std::vector<Magnitude>& magnitudes) {
  std::vector<std::vector<int>> out;
  for (const std::vector<int>& set : call.op.linear_sets(call.operands.size())) {
    std::vector<int> kept;
    bool ok = true;
    for (int o : set) {
      const DType dtype = call.operands[o].dtype;
      kept.push_back(o);
      ok = ok && (dtype.is_inexact() || dtype.is_integer());
      for (const Type& t : results) ok = ok && at_least_as_wide(t.dtype, dtype);
    }
    if (kept.empty() || !ok) continue;
    if (!call.op.adds_up || call.op.adds_up(call, kept, magnitudes)) out.push_back(std::move(kept));
  }
  return out;
}

}  // namespace

std::vector<Candidate> candidates(const Eqn& eqn, const Program& program, const Mesh& mesh, AxisRefs axes,
                                  const std::function<bool(int, const AxisRef&)>& may_be_pending,
                                  const std::vector<Magnitude>& magnitudes) {
  Rows rows{eqn, program, mesh, {}, {}, {}, {}, {}, {}};
  for (const Atom& a : eqn.operands) rows.operands.push_back(program.type(a));
  for (ValueId r : eqn.results) rows.results.push_back(program.types[r]);
  std::sort(axes.begin(), axes.end());
  if (eqn.op->factors && eqn.subs.empty() && !eqn.op->collective && !eqn.op->effect) {
    const Call call{*eqn.op, eqn.params, rows.operands, eqn.subs};
    rows.rule = eqn.op->factors(call, rows.results);
    std::vector<Magnitude> of_operands;
    for (const Atom& a : eqn.operands) of_operands.push_back(magnitude_of(a, magnitudes));
    rows.linear = usable_linear_sets(call, rows.results, of_operands);
  } else {
    axes.clear();  // sub-programs, effects and collectives run on whole values
  }
  rows.rule.operands.resize(rows.operands.size());
  rows.rule.results.resize(rows.results.size());
  // Two axes on one dim come in either order.
  do {
    Rows::Assignment assignment;
    rows.enumerate(axes, 0, assignment, may_be_pending);
  } while (axes.size() <= 3 && std::next_permutation(axes.begin(), axes.end()));
  return std::move(rows.out);
}

}  // namespace tutti
