#include "regions/loops.hpp"

#include <algorithm>

namespace tutti::ops {

Params with_consts(const Eqn& loop, int condition_consts, int consts) {
  if (loop.op == &scan) {
    Scan p = loop.params.get<Scan>();
    p.consts = consts;
    return p;
  }
  While p = loop.params.get<While>();
  p.cond_consts = condition_consts;
  p.body_consts = consts;
  return p;
}

void check_sub(const Call& c, std::size_t sub, const std::vector<Type>& inputs, std::size_t outputs) {
  const Program& p = *c.subs.at(sub);
  const std::string what = c.op.name + ": sub-program " + std::to_string(sub);
  if (p.inputs.size() != inputs.size() || p.outputs.size() != outputs)
    throw InternalError(what + " has " + std::to_string(p.inputs.size()) + " inputs and " +
                        std::to_string(p.outputs.size()) + " outputs instead of " + std::to_string(inputs.size()) +
                        " and " + std::to_string(outputs));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& have = p.type(p.inputs[i]);
    if (have.dtype != inputs[i].dtype || have.shape != inputs[i].shape)
      throw InternalError(what + ": input " + std::to_string(i) + " is " + have.str() + " instead of " +
                          inputs[i].str());
  }
}

std::vector<std::string> unsaid_varying(const std::vector<Type>& operands, const std::vector<Type>& inputs) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (const std::string& axis : operands[i].varying)
      if (std::find(inputs[i].varying.begin(), inputs[i].varying.end(), axis) == inputs[i].varying.end())
        out = merge_names(out, {axis});
  return out;
}

Type element_of(Type stacked) {
  stacked.shape.erase(0);
  return stacked;
}
Type stack_of(Type element, std::int64_t length) {
  element.shape.insert(0, length);
  return element;
}

}  // namespace tutti::ops
