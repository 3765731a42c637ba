// The same op on blocks: its parameters there, and whether types still fit.
#include "partition/rows.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
std::optional<Params> localized(const Eqn& eqn, const Program& program, const Candidate& c) {
  LocalTypes types;
  bool whole = true;
  for (std::size_t i = 0; i < eqn.operands.size(); ++i) {
    Type t = program.type(eqn.operands[i]);
    types.global.push_back(t);
    t.shape = block_shape(c.operands[i], t.shape);
    whole = whole && t.shape == types.global.back().shape;
    types.local.push_back(std::move(t));
  }
  for (std::size_t i = 0; i < eqn.results.size(); ++i) {
    const Shape& shape = program.types[eqn.results[i]].shape;
    types.results.push_back(block_shape(c.results[i], shape));
    whole = whole && types.results.back() == shape;
  }
  if (whole) return eqn.params;
  try {
    Params params = eqn.op->localize ? eqn.op->localize(eqn.params, types) : eqn.params;
    std::vector<Type> inferred = infer_types(*eqn.op, params, types.local, eqn.subs);
    for (std::size_t i = 0; i < inferred.size(); ++i)
      if (!(inferred[i].shape == types.results[i])) return std::nullopt;
    return params;
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
