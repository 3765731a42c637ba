#include "propagate/sites.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ir/rewrite.hpp"
#include "ops/placement/inspect_sharding.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "ops/region/shard_map.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

const Sharding* constraint_of(const Eqn& eqn) {
  return eqn.op->name == "sharding_constraint" ? &eqn.params.get<ops::Constrain>().sharding : nullptr;
}

Eqn constraint_eqn(const Sharding& sharding, Atom operand, ValueId result, Loc loc) {
  return Eqn{&ops::sharding_constraint, ops::Constrain{sharding}, {operand}, {result}, {}, loc};
}

std::vector<Inspected> inspected_values(const Program& program) {
  std::vector<Inspected> out;
  for (const Eqn& e : program.eqns) {
    if (e.op == &ops::inspect_sharding) out.push_back({e.params, e.operands[0]});
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
  auto is_one = [](const Eqn& e) { return e.op == &ops::inspect_sharding; };
  if (std::none_of(program->eqns.begin(), program->eqns.end(), is_one)) return program;
  auto out = std::make_shared<Program>(*program);
  std::erase_if(out->eqns, is_one);
  return out;
}

std::vector<Sharding> region_shardings(const Eqn& eqn) {
  if (eqn.op != &ops::shard_map) return {};
  const auto& p = eqn.params.get<ops::ShardMap>();
  std::vector<Sharding> out;
  for (const ops::DimAxes& spec : p.in_specs) out.push_back(ops::region_sharding(p, spec));
  for (const ops::DimAxes& spec : p.out_specs) out.push_back(ops::region_sharding(p, spec));
  return out;
}

ProgramPtr without_constraints(const ProgramPtr& program) {
  return without_identities(program, [](const Eqn& e) { return constraint_of(e) != nullptr; });
}

}  // namespace tutti
