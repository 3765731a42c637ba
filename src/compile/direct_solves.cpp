// Nothing is differentiated any more: factors of matrices that only a solve by them reads need not be there.
#include "compile/live.hpp"
#include "compile/passes.hpp"
#include "ir/index.hpp"
#include "ops/linalg/direct_solve.hpp"

namespace tutti::compile {

Program direct_solves(Program program) {
  const ProgramIndex index(program);
  std::optional<Program> out;
  for (std::size_t i = 0; i < program.eqns.size(); ++i)
    if (std::optional<Eqn> direct = ops::solved_directly(program, index, program.eqns[i])) {
      if (!out) out = program;
      out->eqns[i] = *std::move(direct);
    }
  if (out) return live(*out);
  return program;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
