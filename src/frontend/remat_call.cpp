// A call of remat: the function is recorded into one Eqn, whose rules are in regions/remat.cpp.
#include "frontend/bodies.hpp"
#include "frontend/call.hpp"
#include "regions/calls.hpp"

namespace tutti::detail {

std::vector<Array> remat_call(const CallArrays& args, const Body& fn, Loc made) {
  std::vector<Type> types;
  for (const Array& x : args.leaves) types.push_back(x.type());
  Bodies bodies("remat", made);
  bodies.add(types, derivatives_here(), [&](const std::vector<Array>& in) { return fn(in).leaves; });
  return bodies.bind(ops::remat, {}, args.leaves);
}

}  // namespace tutti::detail
