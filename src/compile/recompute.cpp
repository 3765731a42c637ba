// Large values that are quickly made of what lies in memory anyway are made again by each loop that reads them: of
// gelu's gradient x x and (1 + tanh) / 2, of relu's the mask. Memory costs more than the arithmetic.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "compile/body.hpp"
#include "compile/fuse.hpp"
#include "compile/live.hpp"
#include "compile/passes.hpp"
#include "ir/index.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kLarge = 64 << 10;  // bytes: less stays in a cache
constexpr int kMostEqns = 4;               // that are computed again for one value
constexpr int kMostWidened = 16;           // where that reads half the bytes, or less
constexpr std::size_t kMostInsts = 2;      // of each

class Recompute {
 public:
  explicit Recompute(const Program& p)
      : p_(p), f_(fuse(p)), index_(p), unit_of_(p.eqns.size(), -1), stored_(p.types.size(), 0), gone_(stored_) {}

  Program run() {
    for (std::size_t u = 0; u < f_.units.size(); ++u) {
      for (int e : f_.units[u].eqns) unit_of_[e] = static_cast<int>(u);
      for (ValueId v : f_.units[u].stores) stored_[v] = 1;
    }
    bool any = false;
    for (const Eqn& e : p_.eqns)  // in order: what is made of values that are gone counts their Eqns too
      if (e.results.size() == 1 && stored_[e.results[0]] && is_made_again(e.results[0]))
        gone_[e.results[0]] = any = true;
    for (const Unit& u : f_.units) has_common_ |= store_common(u);
    return any || has_common_ ? rewritten() : p_;
  }
  /// Whether a value is stored that was not: what it is made of may now be needed by more than one loop.
  bool has_common() const { return has_common_; }

 private:
  // What a value would be made of again.
  struct Cone {
    int eqns = 0;
    std::set<ValueId> leaves;  // large ones, which have memory
  };

  bool is_needed_in_loops(ValueId v) const {
    if (p_.types[v].nbytes() < kLarge || index_.is_output(v) || index_.producer(v) < 0) return false;
    return std::all_of(index_.uses(v).begin(), index_.uses(v).end(), [&](const ProgramIndex::Use& use) {
      return f_.real[use.eqn] && (f_.roles[use.eqn] == Role::pointwise || f_.roles[use.eqn] == Role::reduce);
    });
  }

  bool is_made_again(ValueId v) const {
    const std::int64_t bytes = p_.types[v].nbytes();
    if (!is_needed_in_loops(v)) return false;
    Cone cone;
    if (!collect(index_.producer(v), bytes, cone)) return false;
    if (cone.eqns > kMostEqns && std::any_of(cone.leaves.begin(), cone.leaves.end(),
                                             [&](ValueId l) { return 2 * p_.types[l].nbytes() > bytes; }))
      return false;
    return cone.leaves.size() <= 1 && std::all_of(cone.leaves.begin(), cone.leaves.end(),
                                                  [&](ValueId leaf) { return p_.types[leaf].nbytes() <= bytes; });
  }

  // Of several large values that a loop stores and that are quickly made of one which it does not store, that one is
  // stored: the terms of a sum over pairs, in each direction, of the common factor.
  bool store_common(const Unit& u) {
    std::vector<ValueId> values;
    for (ValueId v : u.stores)
      if (!gone_[v] && is_needed_in_loops(v)) values.push_back(v);
    if (values.size() < 2) return false;
    std::vector<ValueId> tried{values[0]};
    for (std::size_t i = 0; i < tried.size() && i < static_cast<std::size_t>(kMostEqns); ++i) {
      const ValueId common = tried[i];
      const int maker = index_.producer(common);
      if (maker < 0 || unit_of_[maker] != unit_of_[index_.producer(values[0])]) continue;
      if (i > 0 && !stored_[common] && p_.types[common].nbytes() == p_.types[values[0]].nbytes()) {
        stored_[common] = 1;
        std::vector<ValueId> of_it;
        std::copy_if(values.begin(), values.end(), std::back_inserter(of_it), [&](ValueId v) {
          Cone cone;
          return collect(index_.producer(v), p_.types[v].nbytes(), cone) && cone.eqns <= kMostEqns &&
                 cone.leaves == std::set{common};
        });
        if (of_it.size() > 1) {
          for (ValueId v : of_it) gone_[v] = 1;
          return true;
        }
        stored_[common] = 0;
      }
      for (const Atom& a : p_.eqns[maker].operands)
        if (const Reading r = f_.read(a); !r.index && !r.base.is_literal() && r.base.id != common)
          tried.push_back(r.base.id);
    }
    return false;
  }

  // A number of each row costs little, and gets memory where it has none.
  bool is_small(ValueId v, std::int64_t than) const { return 16 * p_.types[v].nbytes() <= than; }

  bool collect(int e, std::int64_t bytes, Cone& cone) const {
    const Eqn& eqn = p_.eqns[e];
    if (++cone.eqns > kMostWidened || f_.roles[e] != Role::pointwise || !is_quick(eqn)) return false;
    for (const Atom& a : eqn.operands) {
      const Reading r = f_.read(a);
      if (r.index || r.base.is_literal()) continue;
      const ValueId base = r.base.id;
      if (is_small(base, bytes)) continue;
      if (!has_memory(base)) {
        if (a.id != base || !collect(index_.producer(base), bytes, cone)) return false;
      } else {
        cone.leaves.insert(base);
      }
    }
    return true;
  }

  // Whether a value can be read by any loop.
  bool has_memory(ValueId v) const {
    const int e = index_.producer(v);
    return e < 0 || !f_.is_loop(e) || (stored_[v] && !gone_[v]);
  }

  // A few instructions that take a cycle each.
  bool is_quick(const Eqn& e) const {
    Recorder r;
    std::vector<Type> types;
    std::vector<Reg> in;
    for (const Atom& a : e.operands) {
      types.push_back(p_.type(a));
      in.push_back(r.load(static_cast<int>(in.size()), types.back().dtype));
    }
    e.op->pointwise(r, Call{*e.op, e.params, types, e.subs}, in);
    const std::vector<Inst> insts = r.take().insts;
    std::size_t made = 0;
    for (const Inst& i : insts) {
      using Kind = Inst::Kind;
      const bool slow = i.kind == Kind::library || i.kind == Kind::rare ||
                        (i.kind == Kind::unary && i.sub == static_cast<int>(VectorIR::Un::sqrt)) ||
                        (i.kind == Kind::binary && (i.sub == static_cast<int>(VectorIR::Bin::div) ||
                                                    i.sub == static_cast<int>(VectorIR::Bin::rem)));
      if (slow) return false;
      made += i.kind != Kind::load && i.kind != Kind::constant;
    }
    return made <= kMostInsts;
  }

  Program rewritten() {
    out_ = p_;
    out_.eqns.clear();
    for (std::size_t e = 0; e < p_.eqns.size(); ++e) {
      Eqn eqn = p_.eqns[e];
      for (Atom& a : eqn.operands)
        if (!a.is_literal() && gone_[a.id] && unit_of_[index_.producer(a.id)] != unit_of_[e])
          a.id = made_again(a.id, unit_of_[e]);
      out_.eqns.push_back(std::move(eqn));
    }
    return live(out_);
  }
  ValueId made_again(ValueId v, int unit) {
    auto [known, fresh] = made_.try_emplace({unit, v}, v);
    if (!fresh) return known->second;
    Eqn eqn = p_.eqns[static_cast<std::size_t>(index_.producer(v))];
    for (Atom& a : eqn.operands)
      if (!a.is_literal() && f_.readings[a.id].base == a && !has_memory(a.id) && !is_small(a.id, p_.types[v].nbytes()))
        a.id = made_again(a.id, unit);
    out_.types.push_back(p_.types[v]);
    eqn.results = {static_cast<ValueId>(out_.types.size()) - 1};
    out_.eqns.push_back(std::move(eqn));
    return made_[{unit, v}] = out_.eqns.back().results[0];
  }

  const Program& p_;
  Fusion f_;
  ProgramIndex index_;
  std::vector<int> unit_of_;         // by Eqn
  std::vector<char> stored_, gone_;  // by value: now, and of these those that will not be
  bool has_common_ = false;
  Program out_;
  std::map<std::pair<int, ValueId>, ValueId> made_;
};

}  // namespace

Program recompute(const Program& program) {
  Recompute pass(program);
  Program made = pass.run();
  return pass.has_common() ? Recompute(made).run() : made;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
