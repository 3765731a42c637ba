// What no step of a loop changes is computed before it.
#include <algorithm>
#include <map>

#include "compile/open_loop.hpp"
#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

constexpr int kCheap = 4;  // elementwise ops in a row that are computed in every step rather than kept in more memory

// Moves the Eqns of one sub-program. Readings stay, and so does what is quickly made of less memory than it needs
// itself: a loop that reads them computes them on its way.
class Hoister {
 public:
  Hoister(OpenLoop& loop, Program& p, std::vector<OpenLoop::Input>& consts)
      : l_(loop), p_(p), consts_(consts), unchanging_(p, consts) {}

  void run() {
    choose();
    find_needed();
    std::vector<Eqn> stay;
    for (const OpenLoop::Input& x : consts_) outside_[x.inside] = x.operand;
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      if (outside_needed_[i]) move(p_.eqns[i]);
      if (becomes_const_[i])
        for (ValueId v : p_.eqns[i].results) consts_.push_back({outside_.at(v), v});
      else
        stay.push_back(p_.eqns[i]);
    }
    p_.eqns = std::move(stay);
  }

 private:
  // Which of the Eqns that could move are better computed inside.
  void choose() {
    stays_.assign(p_.eqns.size(), 1);
    from_.assign(p_.types.size(), 0);
    chain_.assign(p_.types.size(), 0);
    for (const OpenLoop::Input& x : consts_) from_[x.inside] = p_.type(x.inside).nbytes();
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      const Eqn& e = p_.eqns[i];
      if (!unchanging_.eqn(e)) continue;
      std::int64_t from = 0, made = 0, most = 0;
      int chain = 0;
      for (const Atom& a : e.operands)
        if (!a.is_literal()) {
          from += from_[a.id];
          chain = std::max(chain, chain_[a.id]);
        }
      for (ValueId v : e.results) {
        made += p_.type(v).nbytes();
        most = std::max(most, p_.type(v).num_elements());
      }
      const bool reading = e.op->view || e.op->index;
      chain += !reading;
      stays_[i] = reading || (e.op->pointwise && most > 1 && made > from && chain <= kCheap);
      for (ValueId v : e.results) {
        from_[v] = stays_[i] ? from : p_.type(v).nbytes();
        chain_[v] = stays_[i] ? chain : 0;
      }
    }
  }

  void find_needed() {
    becomes_const_.assign(p_.eqns.size(), 0);
    outside_needed_.assign(p_.eqns.size(), 0);
    std::vector<char> inside(p_.types.size(), 0), outside(p_.types.size(), 0);
    auto mark = [](std::vector<char>& needed, const std::vector<Atom>& atoms) {
      for (const Atom& a : atoms)
        if (!a.is_literal()) needed[a.id] = 1;
    };
    mark(inside, p_.outputs);
    for (std::size_t i = p_.eqns.size(); i-- > 0;) {
      const Eqn& e = p_.eqns[i];
      if (!unchanging_.eqn(e)) {
        mark(inside, e.operands);
        continue;
      }
      auto any = [&](const std::vector<char>& needed) {
        return std::any_of(e.results.begin(), e.results.end(), [&](ValueId v) { return needed[v]; });
      };
      becomes_const_[i] = any(inside) && !stays_[i];
      outside_needed_[i] = becomes_const_[i] || any(outside);
      if (outside_needed_[i]) mark(outside, e.operands);
      if (any(inside) && stays_[i]) mark(inside, e.operands);
    }
  }

  void move(Eqn e) {
    for (Atom& a : e.operands)
      if (!a.is_literal()) a = outside_.at(a.id);
    for (ValueId& v : e.results) {
      const ValueId out = l_.fresh(p_.type(v));
      outside_[v] = out;
      v = out;
    }
    l_.before.push_back(std::move(e));
  }

  OpenLoop& l_;
  Program& p_;
  std::vector<OpenLoop::Input>& consts_;
  Unchanging unchanging_;
  std::vector<std::int64_t> from_;                            // by value: bytes that it is made of
  std::vector<int> chain_;                                    // by value: ops in a row that stay
  std::vector<char> stays_, becomes_const_, outside_needed_;  // by Eqn
  std::map<ValueId, Atom> outside_;                           // by value
};

}  // namespace

Program hoist(const Program& program) {
  return with_loops(program, [](OpenLoop& l) {
    if (l.form.length == 0 || l.form.length == 1) return;
    if (l.condition) Hoister(l, *l.condition, l.condition_consts).run();
    Hoister(l, l.body, l.consts).run();
  });
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
