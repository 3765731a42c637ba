#include "compile/fuse.hpp"

#include <algorithm>
#include <set>

#include "compile/dot.hpp"
#include "compile/loop.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/movement/iota.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kMaxEqns = 96, kMaxAccesses = 28;

Role role_of(const Program& p, const Eqn& e) {
  bool empty = false, plain = true;
  for (const Atom& a : e.operands) {
    empty |= p.type(a).num_elements() == 0;
    plain &= loops_over(p.type(a).dtype);
  }
  for (ValueId v : e.results) {
    empty |= p.type(v).num_elements() == 0;
    plain &= loops_over(p.type(v).dtype);
  }
  if (e.op->view && !empty) return Role::view;
  if (empty || !plain) return Role::call;
  if (e.op == &ops::iota) return Role::index;
  if (e.op->pointwise) return Role::pointwise;
  if (e.op->reduce != Op::Reduce::none) return Role::reduce;
  if (e.op == &ops::dot_general && p.type(e.operands[0]).dtype.is_floating()) return Role::dot;
  return Role::call;
}

struct Use {
  int eqn;
  bool soft;  // read element by element in the consumer's own order, so that both can share a loop
};

class Fuser {
 public:
  explicit Fuser(const Program& program) : p_(program) {}

  Fusion run() {
    read_values();
    demand();
    collect_uses();
    for (int e = static_cast<int>(p_.eqns.size()); e-- > 0;)
      if (f_.real[e]) join(e);
    order();
    return std::move(f_);
  }

 private:
  Call call(const Eqn& e) const {
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(p_.type(a));
    return Call{*e.op, e.params, types, e.subs};
  }
  const Extents& extents(const Atom& a) const {
    static const Extents scalar;
    return a.is_literal() ? scalar : p_.types[a.id].shape.dims();
  }

  // Readings of all values, composed through views as far as strides allow.
  void read_values() {
    f_.readings.resize(p_.types.size());
    f_.real.assign(p_.eqns.size(), 0);
    must_.assign(p_.types.size(), 0);
    for (ValueId v = 0; v < static_cast<int>(p_.types.size()); ++v) f_.readings[v] = {v, false, dense_view(extents(v))};
    for (const Eqn& e : p_.eqns) {
      f_.roles.push_back(role_of(p_, e));
      Role& role = f_.roles.back();
      const ValueId v = e.results.empty() ? -1 : e.results[0];
      if (role == Role::index) {
        Extents strides(extents(v).size(), 0);
        strides[e.params.get<ops::Iota>().dim] = 1;
        f_.readings[v] = {v, true, {0, strides}};
      } else if (role == Role::view) {
        std::optional<View> view = e.op->view(call(e), p_.type(v));
        if (!view) {
          role = Role::call;
          continue;
        }
        const Atom x = e.operands[0];
        Reading from = f_.read(x);
        if (auto composed = compose(*view, extents(v), from.view, extents(x))) {
          f_.readings[v] = {from.base, from.index, *composed};
        } else {
          must_[x.id] = 1;
          f_.readings[v] = {x, false, *view};
        }
      }
    }
  }

  bool dense(const Atom& a) const {
    if (a.is_literal()) return true;
    const Reading& r = f_.readings[a.id];
    return !r.index && !r.base.is_literal() && is_dense(r.view, extents(a)) &&
           p_.type(r.base).num_elements() == p_.type(a).num_elements();
  }

  // Values that need memory of their own although they are only readings of others.
  void demand() {
    auto need_dense = [&](const Atom& a) {
      if (!dense(a)) must_[a.id] = 1;
    };
    for (const Atom& a : p_.outputs) need_dense(a);
    for (std::size_t i = p_.eqns.size(); i-- > 0;) {
      const Eqn& e = p_.eqns[i];
      switch (f_.roles[i]) {
        case Role::view:
        case Role::index: f_.real[i] = must_[e.results[0]]; break;
        case Role::call:
          f_.real[i] = 1;
          for (const Atom& a : e.operands) need_dense(a);
          break;
        case Role::dot:
          f_.real[i] = 1;
          for (int k : unreadable_operands(p_, f_, e)) need_dense(e.operands[k]);
          break;
        case Role::pointwise:
        case Role::reduce:
          f_.real[i] = 1;
          for (const Atom& a : e.operands)
            if (!a.is_literal() && !reads_well(f_.readings[a.id].view, extents(a))) must_[a.id] = 1;
      }
    }
    for (std::size_t i = 0; i < p_.eqns.size(); ++i)
      if (f_.roles[i] == Role::view || f_.roles[i] == Role::index) {
        const ValueId v = p_.eqns[i].results[0];
        if (must_[v]) {
          own_[v] = f_.readings[v];
          f_.real[i] = 1;
        }
      }
    // From here a value with memory reads itself; its own reading is kept for the loop that fills it.
    for (auto& [v, r] : own_) f_.readings[v] = {v, false, dense_view(extents(v))};
    f_.sources = own_;
  }

  void collect_uses() {
    uses_.resize(p_.types.size());
    producer_.assign(p_.types.size(), -1);
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i)
      for (ValueId v : p_.eqns[i].results) producer_[v] = i;
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      if (!f_.real[i]) continue;
      const bool loop = is_loop(i), copy = loop && own_.contains(p_.eqns[i].results[0]);
      auto use = [&](const Reading& r, const Extents& over) {
        if (r.index || r.base.is_literal() || producer_[r.base.id] < 0) return;
        const Extents& from = extents(r.base);
        const bool soft = loop && is_loop(producer_[r.base.id]) && f_.roles[producer_[r.base.id]] != Role::reduce &&
                          is_dense(r.view, over) && product(from) == product(over) &&
                          product(over) == product(space(i)) && !strided_copy(producer_[r.base.id]);
        uses_[r.base.id].push_back({i, soft});
      };
      if (copy)
        use(own_[p_.eqns[i].results[0]], extents(p_.eqns[i].results[0]));
      else
        for (const Atom& a : p_.eqns[i].operands)
          if (!a.is_literal()) use(f_.readings[a.id], extents(a));
    }
    unit_of_.assign(p_.eqns.size(), -1);
  }

  bool is_loop(int e) const { return f_.roles[e] != Role::dot && f_.roles[e] != Role::call; }
  bool strided_copy(int e) const {
    auto it = own_.find(p_.eqns[e].results[0]);
    return it != own_.end() && !reads_well(it->second.view, extents(p_.eqns[e].results[0]));
  }
  const Extents& space(int e) const {
    return f_.roles[e] == Role::reduce ? extents(p_.eqns[e].operands[0]) : extents(p_.eqns[e].results[0]);
  }

  void join(int e) {
    Unit u;
    u.eqns = {e};
    u.kind = is_loop(e) ? Unit::Kind::loop : f_.roles[e] == Role::dot ? Unit::Kind::dot : Unit::Kind::call;
    if (u.kind == Unit::Kind::loop) u.extents = *common_refinement(space(e), space(e));
    int id = static_cast<int>(units_.size());
    units_.push_back(u);
    unit_of_[e] = id;
    if (u.kind != Unit::Kind::loop || f_.roles[e] == Role::reduce || strided_copy(e)) return;
    std::set<int> candidates;
    for (const Use& use : uses_[p_.eqns[e].results[0]])
      if (use.soft) candidates.insert(unit_of_[use.eqn]);
    for (int c : candidates) try_merge(unit_of_[e], c);
  }

  void try_merge(int a, int b) {
    Unit &x = units_[a], &y = units_[b];
    if (a == b || x.eqns.size() + y.eqns.size() > kMaxEqns || hard_path(a, b) || hard_path(b, a)) return;
    auto extents = common_refinement(x.extents, y.extents);
    if (!extents) return;
    Unit merged = x;
    merged.extents = *extents;
    merged.eqns.insert(merged.eqns.end(), y.eqns.begin(), y.eqns.end());
    std::sort(merged.eqns.begin(), merged.eqns.end());
    if (!shapes_fit(merged)) return;
    merged.stores = stores_of(merged);
    auto draft = draft_loop(p_, f_, merged);
    if (!draft || draft->loop.accesses.size() > kMaxAccesses) return;
    for (int e : y.eqns) unit_of_[e] = a;
    x = merged;
    y.eqns.clear();
  }

  bool shapes_fit(const Unit& u) const {
    for (int e : u.eqns) {
      auto r = common_refinement(space(e), u.extents);
      if (!r || *r != u.extents) return false;
    }
    return true;
  }

  // Whether unit b needs something of a other than element by element: through another unit, a reduction, or a reading
  // in another order.
  bool hard_path(int a, int b) {
    std::set<int> seen;
    std::vector<int> open;
    for (int e : units_[a].eqns)
      for (ValueId v : p_.eqns[e].results)
        for (const Use& use : uses_[v]) {
          const int to = unit_of_[use.eqn];
          if (to == b && !use.soft) return true;
          if (to != a && to != b && seen.insert(to).second) open.push_back(to);
        }
    while (!open.empty()) {
      const int u = open.back();
      open.pop_back();
      for (int e : units_[u].eqns) {
        for (ValueId v : p_.eqns[e].results)
          for (const Use& use : uses_[v]) {
            const int to = unit_of_[use.eqn];
            if (to == b) return true;
            if (to != a && seen.insert(to).second) open.push_back(to);
          }
      }
    }
    return false;
  }

  std::vector<ValueId> stores_of(const Unit& u) const {
    std::vector<ValueId> out;
    for (int e : u.eqns) {
      if (f_.roles[e] == Role::reduce) continue;
      const ValueId v = p_.eqns[e].results[0];
      bool needed = false;
      for (const Use& use : uses_[v]) needed |= !std::binary_search(u.eqns.begin(), u.eqns.end(), use.eqn);
      for (const Atom& a : p_.outputs) needed |= !a.is_literal() && (a.id == v || f_.readings[a.id].base == Atom(v));
      if (needed) out.push_back(v);
    }
    return out;
  }

  void order() {
    std::vector<int> live;
    for (int i = 0; i < static_cast<int>(units_.size()); ++i)
      if (!units_[i].eqns.empty()) live.push_back(i);
    std::vector<std::set<int>> before(units_.size());
    for (ValueId v = 0; v < static_cast<int>(uses_.size()); ++v)
      for (const Use& use : uses_[v])
        if (unit_of_[use.eqn] != unit_of_[producer_[v]]) before[unit_of_[use.eqn]].insert(unit_of_[producer_[v]]);
    std::vector<std::vector<int>> after(units_.size());
    for (int u : live)
      for (int b : before[u]) after[b].push_back(u);
    std::set<std::pair<int, int>> ready;  // by the last Eqn: close to the order of the program
    for (int u : live)
      if (before[u].empty()) ready.insert({units_[u].eqns.back(), u});
    while (!ready.empty()) {
      const int u = ready.begin()->second;
      ready.erase(ready.begin());
      if (units_[u].kind == Unit::Kind::loop) units_[u].stores = stores_of(units_[u]);
      f_.units.push_back(units_[u]);
      for (int a : after[u]) {
        before[a].erase(u);
        if (before[a].empty()) ready.insert({units_[a].eqns.back(), a});
      }
    }
    if (f_.units.size() != live.size()) throw InternalError("fuse: units depend on each other in a circle");
  }

  const Program& p_;
  Fusion f_;
  std::vector<char> must_;
  std::map<ValueId, Reading> own_;
  std::vector<std::vector<Use>> uses_;
  std::vector<int> producer_, unit_of_;
  std::vector<Unit> units_;
};

}  // namespace

Reading Fusion::read(const Atom& a) const {
  if (a.is_literal()) return {a, false, {}};
  return readings[a.id];
}

bool loops_over(DType d) { return !d.is_complex() && !d.is_key(); }

bool reads_well(const View& view, const Extents& extents) {
  if (product(extents) < 1024) return true;
  for (std::size_t i = extents.size(); i-- > 0;)
    if (extents[i] != 1) return view.strides[i] == 0 || view.strides[i] == 1;
  return true;
}

Fusion fuse(const Program& program) { return Fuser(program).run(); }

}  // namespace tutti::compile
