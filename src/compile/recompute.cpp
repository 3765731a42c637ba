// Large values that are quickly made of what lies in memory anyway are made again by each loop that reads them: of
// gelu's gradient x x and (1 + tanh) / 2, of relu's the mask. Memory costs more than the arithmetic.
#include <algorithm>
#include <map>
#include <set>

#include "compile/body.hpp"
#include "compile/fuse.hpp"
#include "compile/passes.hpp"
#include "ir/index.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kLarge = 64 << 10;  // bytes: less stays in a cache
constexpr int kMostEqns = 4;               // that are computed again for one value
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
    return any ? rewritten() : p_;
  }

 private:
  // What a value would be made of again.
  struct Cone {
    int eqns = 0;
    std::set<ValueId> leaves;  // large ones, which have memory
  };

  bool is_made_again(ValueId v) const {
    const std::int64_t bytes = p_.types[v].nbytes();
    if (bytes < kLarge || index_.is_output(v)) return false;
    for (const ProgramIndex::Use& use : index_.uses(v))
      if (!f_.real[use.eqn] || (f_.roles[use.eqn] != Role::pointwise && f_.roles[use.eqn] != Role::reduce))
        return false;
    Cone cone;
    if (!collect(index_.producer(v), bytes, cone)) return false;
    return cone.leaves.size() <= 1 && std::all_of(cone.leaves.begin(), cone.leaves.end(),
                                                  [&](ValueId leaf) { return p_.types[leaf].nbytes() <= bytes; });
  }

  // A number of each row costs little, and gets memory where it has none.
  bool is_small(ValueId v, std::int64_t than) const { return 16 * p_.types[v].nbytes() <= than; }

  bool collect(int e, std::int64_t bytes, Cone& cone) const {
    const Eqn& eqn = p_.eqns[e];
    if (++cone.eqns > kMostEqns || f_.roles[e] != Role::pointwise || !is_quick(eqn)) return false;
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
    return without_dead_code(out_);
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
  Program out_;
  std::map<std::pair<int, ValueId>, ValueId> made_;
};

}  // namespace

Program recompute(const Program& program) {
  const Program p = put_together_again(program);
  return Recompute(p).run();
}

}  // namespace tutti::compile
