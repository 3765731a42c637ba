#include "partition/live.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "ir/op.hpp"

namespace tutti {
namespace {

// By Eqn: whether it stays.
std::vector<char> needed(const Program& p) {
  std::vector<char> stays(p.eqns.size(), 0), live(p.types.size(), 0);
  auto mark = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms)
      if (!a.is_literal()) live[a.id] = 1;
  };
  mark(p.outputs);
  for (std::size_t i = p.eqns.size(); i-- > 0;) {
    const Eqn& e = p.eqns[i];
    stays[i] = e.op->effect || !e.subs.empty() || e.results.empty() ||
               std::any_of(e.results.begin(), e.results.end(), [&](ValueId r) { return live[r] != 0; });
    if (stays[i]) mark(e.operands);
  }
  return stays;
}

}  // namespace

ShardedProgram with_live_code(const ShardedProgram& sharded) {
  const Program& p = *sharded.program;
  const std::vector<char> stays = needed(p);
  bool changed = std::find(stays.begin(), stays.end(), 0) != stays.end();
  std::vector<Eqn> eqns;
  std::vector<std::vector<ShardedProgram>> bodies;
  for (std::size_t i = 0; i < p.eqns.size(); ++i) {
    if (!stays[i]) continue;
    Eqn e = p.eqns[i];
    std::vector<ShardedProgram> within;
    if (i < sharded.bodies.size()) {
      for (std::size_t k = 0; k < sharded.bodies[i].size(); ++k) {
        within.push_back(with_live_code(sharded.bodies[i][k]));
        changed = changed || within.back().program != sharded.bodies[i][k].program;
        e.subs[k] = within.back().program;
      }
    }
    eqns.push_back(std::move(e));
    bodies.push_back(std::move(within));
  }
  if (!changed) return sharded;
  ShardedProgram out = sharded;
  auto program = std::make_shared<Program>(p);
  program->eqns = std::move(eqns);
  out.program = std::move(program);
  out.bodies = std::move(bodies);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
