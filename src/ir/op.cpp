#include "ir/op.hpp"

#include <numeric>

namespace tutti {

std::vector<std::vector<int>> Op::linear_sets(std::size_t operands) const {
  std::vector<std::vector<int>> out = linear;
  for (std::vector<int>& set : out) {
    if (set != std::vector{every}) continue;
    set.resize(operands);
    std::iota(set.begin(), set.end(), 0);
  }
  return out;
}

double flops_of(const Program& program, const Eqn& eqn) {
  std::vector<Type> operands, results;
  for (const Atom& a : eqn.operands) operands.push_back(program.type(a));
  for (ValueId r : eqn.results) results.push_back(program.types[r]);
  if (eqn.op->flops) return eqn.op->flops(Call{*eqn.op, eqn.params, operands, eqn.subs}, results);
  double elements = 0;
  if (eqn.op->pointwise)
    for (const Type& t : results) elements += static_cast<double>(t.num_elements());
  return elements;
}

}  // namespace tutti
