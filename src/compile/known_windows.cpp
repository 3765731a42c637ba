// Gathers whose places are known and count evenly are strided readings of their operand, which loops read where it
// lies.
#include "array/known_values.hpp"
#include "compile/passes.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/strided_read.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kMostNumbers = 1 << 22;

bool gathers(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->window == Op::Window::read ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return gathers(*sub); });
  });
}

}  // namespace

Program known_windows(const Program& program) {
  if (!gathers(program)) return program;
  KnownValues known(program, kMostNumbers);
  Program out = program;
  for (Eqn& e : out.eqns) {
    for (ProgramPtr& sub : e.subs) sub = std::make_shared<const Program>(known_windows(*sub));
    if (e.op->window != Op::Window::read || e.operands[0].is_literal() || e.operands[1].is_literal() ||
        !known.knows(e.operands[1].id))
      continue;
    const std::vector<Type> types{program.type(e.operands[0]), program.type(e.operands[1])};
    const std::optional<ops::StridedRead> read =
        ops::strided_gather({*e.op, e.params, types, e.subs}, known.integers(e.operands[1].id));
    if (read) e = {&static_cast<const Op&>(ops::strided_read), *read, {e.operands[0]}, e.results, {}, e.loc};
  }
  return out;
}

}  // namespace tutti::compile
