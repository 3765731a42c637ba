#include "propagate/sites.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ops/placement/inspect_sharding.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "ops/region/calls.hpp"
#include "ops/region/shard_map.hpp"
#include "propagate/sharded_program.hpp"
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

namespace {

bool is_call(const Eqn& e) { return e.op == &ops::custom_jvp || e.op == &ops::custom_vjp || e.op == &ops::remat; }

void append(Program& out, const Program& in, std::vector<Atom>& env) {
  auto use = [&](const Atom& a) { return a.is_literal() ? a : env[a.id]; };
  for (const Eqn& e : in.eqns) {
    std::vector<Atom> operands;
    for (const Atom& a : e.operands) operands.push_back(use(a));
    if (is_call(e)) {
      const Program& body = *e.subs[0];
      std::vector<Atom> inner(body.types.size());
      for (std::size_t i = 0; i < operands.size(); ++i) inner[body.inputs[i]] = operands[i];
      append(out, body, inner);
      for (std::size_t k = 0; k < e.results.size(); ++k)
        env[e.results[k]] = body.outputs[k].is_literal() ? body.outputs[k] : inner[body.outputs[k].id];
      continue;
    }
    Eqn copy = e;
    copy.operands = std::move(operands);
    for (ValueId& r : copy.results) {
      out.types.push_back(in.types[r]);
      r = env[r].id = static_cast<ValueId>(out.types.size() - 1);
    }
    out.eqns.push_back(std::move(copy));
  }
}

}  // namespace

ProgramPtr inlined(const ProgramPtr& program) {
  if (std::none_of(program->eqns.begin(), program->eqns.end(), is_call)) return program;
  Program out;
  std::vector<Atom> env(program->types.size());
  for (ValueId v : program->inputs) {
    out.types.push_back(program->types[v]);
    out.inputs.push_back(static_cast<ValueId>(out.types.size() - 1));
    env[v] = out.inputs.back();
  }
  append(out, *program, env);
  for (const Atom& a : program->outputs) out.outputs.push_back(a.is_literal() ? a : env[a.id]);
  out.input_names = program->input_names;
  return std::make_shared<Program>(without_dead_code(out));
}

}  // namespace tutti
