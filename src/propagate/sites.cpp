#include "propagate/sites.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ir/rewrite.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

std::optional<Sharding> constraint_of(const Eqn& eqn) {
  if (eqn.op->role != Role::constraint) return std::nullopt;
  return eqn.op->sites(eqn.params).results[0];
}

std::vector<Inspected> inspected_values(const Program& program) {
  std::vector<Inspected> out;
  for (const Eqn& e : program.eqns) {
    if (e.op->role == Role::inspection) out.push_back({e.op, e.params, e.operands[0]});
    for (const ProgramPtr& sub : e.subs)
      if (!inspected_values(*sub).empty())
        raise<UnsupportedError>(
            "inspect_array_sharding",
            "in the body of " + e.op->name + " values are what one device sees in one turn: they have no sharding",
            "Inspect what goes in or comes out.", e.loc);
  }
  return out;
}

ProgramPtr without_inspections(const ProgramPtr& program) {
  auto is_one = [](const Eqn& e) { return e.op->role == Role::inspection; };
  if (std::none_of(program->eqns.begin(), program->eqns.end(), is_one)) return program;
  auto out = std::make_shared<Program>(*program);
  std::erase_if(out->eqns, is_one);
  return out;
}

std::vector<Sharding> region_shardings(const Eqn& eqn) {
  if (eqn.op->role != Role::region) return {};
  Sites sites = eqn.op->sites(eqn.params);
  std::vector<Sharding> out = std::move(sites.operands);
  out.insert(out.end(), sites.results.begin(), sites.results.end());
  return out;
}

ProgramPtr without_constraints(const ProgramPtr& program) {
  return without_identities(program, [](const Eqn& e) { return e.op->role == Role::constraint; });
}

}  // namespace tutti
