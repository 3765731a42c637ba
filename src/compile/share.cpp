#include <unordered_map>

#include "compile/live.hpp"
#include "compile/passes.hpp"

namespace tutti::compile {

Program share_equal(const Program& p) {
  Program out = p;
  out.eqns.clear();
  std::vector<ValueId> same(p.types.size());
  for (std::size_t v = 0; v < same.size(); ++v) same[v] = static_cast<ValueId>(v);
  std::unordered_multimap<std::size_t, std::size_t> known;
  for (Eqn e : p.eqns) {
    std::size_t h = hash_combine(reinterpret_cast<std::size_t>(e.op), e.params.hash());
    for (Atom& a : e.operands) {
      if (!a.is_literal()) a.id = same[a.id];
      h = hash_combine(h, a.is_literal() ? field::hash(a.literal) : static_cast<std::size_t>(a.id));
    }
    // Messages are those of all processes, whose programs differ in numbers: what is equal in one may not be in others.
    if (!e.op->effect && e.subs.empty() && !sends(e)) {
      bool found = false;
      auto [from, to] = known.equal_range(h);
      for (auto it = from; it != to && !found; ++it) {
        const Eqn& o = out.eqns[it->second];
        found = o.op == e.op && o.params == e.params && o.operands == e.operands;
        for (std::size_t k = 0; found && k < e.results.size(); ++k)
          found = p.types[o.results[k]].dtype == p.types[e.results[k]].dtype;
        for (std::size_t k = 0; found && k < e.results.size(); ++k) same[e.results[k]] = o.results[k];
      }
      if (found) continue;
      known.emplace(h, out.eqns.size());
    }
    out.eqns.push_back(std::move(e));
  }
  for (Atom& a : out.outputs)
    if (!a.is_literal()) a.id = same[a.id];
  return live(out);
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
