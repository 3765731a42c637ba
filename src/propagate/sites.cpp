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

bool names_devices(const Eqn& eqn) {
  auto names = [](const ProgramPtr& sub) { return std::any_of(sub->eqns.begin(), sub->eqns.end(), names_devices); };
  return eqn.op->role == Role::constraint || eqn.op->role == Role::region ||
         std::any_of(eqn.subs.begin(), eqn.subs.end(), names);
}

std::vector<Inspected> inspected_values(const Program& program) {
  std::vector<Inspected> out;
  int at = 0;  // among the Eqns that are left without inspections
  for (const Eqn& e : program.eqns) {
    if (e.op->role == Role::inspection) {
      out.push_back({e.op, e.params, e.operands[0], {}});
      continue;
    }
    for (std::size_t s = 0; s < e.subs.size(); ++s)
      for (Inspected& inside : inspected_values(*e.subs[s])) {
        if (e.op->role == Role::region)
          raise<UnsupportedError>(
              "inspect_array_sharding",
              "in the body of " + e.op->name + " values are what one device sees: they have no sharding",
              "Inspect what goes in or comes out.", e.loc);
        inside.path.insert(inside.path.begin(), {at, static_cast<int>(s)});
        out.push_back(std::move(inside));
      }
    ++at;
  }
  return out;
}

ProgramPtr without_inspections(const ProgramPtr& program) {
  if (inspected_values(*program).empty()) return program;
  auto out = std::make_shared<Program>(*program);
  std::erase_if(out->eqns, [](const Eqn& e) { return e.op->role == Role::inspection; });
  for (Eqn& e : out->eqns)
    for (ProgramPtr& sub : e.subs) sub = without_inspections(sub);
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

// SPDX-License-Identifier: Apache-2.0
