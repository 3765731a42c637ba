#include "partition/rewriting.hpp"

#include "ir/op.hpp"

namespace tutti {

Rewriting::Rewriting(const ShardedProgram& sharded)
    : in_(sharded), p_(*sharded.program), out_(sharded), types_(p_.types) {
  out_.bodies.clear();
}

std::pair<Eqn, std::vector<ShardedProgram>> Rewriting::entered(int i, const Pass& pass) {
  Eqn e = p_.eqns[static_cast<std::size_t>(i)];
  std::vector<ShardedProgram> bodies;
  if (i >= static_cast<int>(in_.bodies.size())) return {std::move(e), std::move(bodies)};
  const std::vector<ShardedProgram>& before = in_.bodies[static_cast<std::size_t>(i)];
  for (std::size_t s = 0; s < before.size(); ++s) {
    bodies.push_back(pass(before[s]));
    changed_ = changed_ || bodies.back().program != before[s].program;
    e.subs[s] = bodies.back().program;
  }
  return {std::move(e), std::move(bodies)};
}

void Rewriting::push(Eqn e, std::vector<ShardedProgram> bodies) {
  eqns_.push_back(std::move(e));
  out_.bodies.push_back(std::move(bodies));
}

ValueId Rewriting::value(Type type) {
  types_.push_back(std::move(type));
  out_.layouts.push_back(Layout::replicated(types_.back().ndim()));
  return static_cast<ValueId>(types_.size()) - 1;
}

Atom Rewriting::make(const Home& op, Params params, std::vector<Atom> operands, Loc loc, ValueId as) {
  Eqn e{&static_cast<const Op&>(op), std::move(params), std::move(operands), {}, {}, loc};
  if (as < 0) {
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(a.is_literal() ? p_.type(a) : type(a));
    as = value(infer_types(*e.op, e.params, types, {})[0]);
  }
  e.results = {as};
  push(std::move(e));
  return as;
}

Atom Rewriting::inlined(const Program& program, const std::vector<Atom>& arguments) {
  std::vector<Atom> now(program.types.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) now[static_cast<std::size_t>(program.inputs[i])] = arguments[i];
  auto at = [&](const Atom& a) { return a.is_literal() ? a : now[static_cast<std::size_t>(a.id)]; };
  for (Eqn e : program.eqns) {
    for (Atom& a : e.operands) a = at(a);
    for (ValueId& r : e.results) {
      const ValueId v = value(program.types[static_cast<std::size_t>(r)]);
      now[static_cast<std::size_t>(r)] = v;
      r = v;
    }
    push(std::move(e));
  }
  return at(program.outputs[0]);
}

ShardedProgram Rewriting::done(std::vector<Atom> outputs) {
  if (!changed_) return in_;
  Program program = p_;
  program.outputs = std::move(outputs);
  program.eqns = std::move(eqns_);
  program.types = std::move(types_);
  out_.program = std::make_shared<Program>(std::move(program));
  return std::move(out_);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
