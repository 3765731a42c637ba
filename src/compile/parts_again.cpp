// What windows see of an image is many times larger than the image. Products that read it along different dims (one
// with a kernel, and the gradient of that) put it together once each, some rows at a time: kept from one to the
// other it goes through memory.
#include <algorithm>
#include <set>

#include "compile/fuse.hpp"
#include "compile/passes.hpp"
#include "ir/index.hpp"
#include "ops/contraction/dot_general.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kWindows = std::int64_t{8} << 20, kTimes = 3;  // bytes; of what it is put together of

class PartsAgain {
 public:
  explicit PartsAgain(const Program& p) : p_(p), f_(read_values(p)), index_(p) {}

  Program run() {
    Program out = p_;
    out.eqns.clear();
    for (std::size_t e = 0; e < p_.eqns.size(); ++e) {
      Eqn eqn = p_.eqns[e];
      for (Atom& a : eqn.operands)
        if (!a.is_literal() && is_large(a.id) && !is_like_first(a.id, static_cast<int>(e))) {
          Eqn again = p_.eqns[static_cast<std::size_t>(index_.producer(a.id))];
          out.types.push_back(p_.types[a.id]);
          a.id = again.results[0] = static_cast<ValueId>(out.types.size()) - 1;
          out.eqns.push_back(std::move(again));
        }
      out.eqns.push_back(std::move(eqn));
    }
    return out;
  }

 private:
  // Whether v is put together of much less, and products alone read it.
  bool is_large(ValueId v) const {
    const int e = index_.producer(v);
    if (e < 0 || f_.roles[e] != Role::parts || !f_.real[e] || p_.types[v].nbytes() < kWindows || index_.is_output(v))
      return false;
    std::set<ValueId> bases;
    for (const Atom& a : p_.eqns[e].operands)
      if (const Reading r = f_.read(a); !r.index && !r.base.is_literal()) bases.insert(r.base.id);
    std::int64_t bytes = 0;
    for (ValueId b : bases) bytes += p_.types[b].nbytes();
    const auto uses = index_.uses(v);
    return kTimes * bytes <= p_.types[v].nbytes() &&
           std::none_of(uses.begin(), uses.end(), [&](const auto& u) { return summed(v, u.eqn).empty(); });
  }

  // Whether the Eqn sums over the dims of v that its first reader sums over.
  bool is_like_first(ValueId v, int eqn) const { return summed(v, eqn) == summed(v, index_.uses(v)[0].eqn); }

  // Strides of v along which the product sums that an Eqn is, or of which it is a reading for one; none: it is neither.
  std::set<std::int64_t> summed(ValueId v, int eqn) const {
    const Eqn* e = &p_.eqns[eqn];
    ValueId read = v;
    while (f_.roles[eqn] == Role::view && !f_.real[eqn]) {
      read = e->results[0];
      if (index_.use_count(read) != 1 || index_.is_output(read)) return {};
      eqn = index_.uses(read)[0].eqn;
      e = &p_.eqns[eqn];
    }
    if (f_.roles[eqn] != Role::dot || f_.readings[read].base != Atom(v)) return {};
    const lax::DotDims& d = e->params.get<ops::DotGeneral>().dims;
    std::set<std::int64_t> out;
    for (std::int64_t dim : e->operands[0] == Atom(read) ? d.lhs_contract : d.rhs_contract)
      out.insert(f_.readings[read].view.strides[static_cast<std::size_t>(dim)]);
    return out;
  }

  const Program& p_;
  const Fusion f_;
  const ProgramIndex index_;
};

}  // namespace

Program put_together_again(Program program) {
  const bool any = std::any_of(program.eqns.begin(), program.eqns.end(), [&](const Eqn& e) {
    return e.op->pieces && program.types[e.results[0]].nbytes() >= kWindows;
  });
  if (any) return PartsAgain(program).run();
  return program;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
