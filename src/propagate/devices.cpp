// What names devices inside a program.
#include "ir/op.hpp"
#include "propagate/propagate.hpp"
#include "propagate/sites.hpp"

namespace tutti {

std::vector<Placed> placed_inside(const Program& program) {
  std::vector<Placed> out;
  for (const Eqn& e : program.eqns) {
    const std::string with = e.op->name + " inside jit with";
    if (std::optional<Sharding> s = constraint_of(e)) out.push_back({with, *s, e.loc});
    for (const Sharding& s : region_shardings(e)) out.push_back({with, s, e.loc});
    for (const ProgramPtr& sub : e.subs) {
      if (e.op->role == Role::region) continue;
      std::vector<Placed> inner = placed_inside(*sub);
      out.insert(out.end(), inner.begin(), inner.end());
    }
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
