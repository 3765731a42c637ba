#include "compile/live.hpp"

#include <algorithm>
#include <optional>

#include "ir/op.hpp"
#include "partition/local_program.hpp"

namespace tutti::compile {

Program live(const Program& program) {
  if (count_sends(program) == 0) return without_dead_code(program);
  std::vector<bool> needed(program.types.size(), false);
  auto need = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms)
      if (!a.is_literal()) needed[static_cast<std::size_t>(a.id)] = true;
  };
  need(program.outputs);
  Program out = program;
  out.eqns.clear();
  for (std::size_t i = program.eqns.size(); i-- > 0;) {
    const Eqn& e = program.eqns[i];
    std::optional<Eqn> part;
    if (!sends_within(e)) {
      std::vector<bool> used;
      for (ValueId r : e.results) used.push_back(needed[static_cast<std::size_t>(r)]);
      if (std::find(used.begin(), used.end(), true) == used.end() && !has_effect(e)) continue;
      if (e.op->narrowed) part = e.op->narrowed(program, e, used);
    }
    out.eqns.push_back(part ? *std::move(part) : e);
    need(out.eqns.back().operands);
  }
  std::reverse(out.eqns.begin(), out.eqns.end());
  return out;
}

}  // namespace tutti::compile
