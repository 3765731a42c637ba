#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti {

void verify(const Program& p) {
  std::vector<char> defined(p.types.size(), 0);
  auto define = [&](ValueId v, const std::string& where) {
    if (v < 0 || v >= static_cast<ValueId>(p.types.size()) || defined[v])
      throw InternalError("verify: value " + std::to_string(v) + " is defined twice or out of range in " + where);
    defined[v] = 1;
  };
  auto use = [&](const Atom& a, const std::string& where) {
    if (!a.is_literal() && (a.id >= static_cast<ValueId>(p.types.size()) || !defined[a.id]))
      throw InternalError("verify: value " + std::to_string(a.id) + " is used before its definition in " + where);
  };
  for (ValueId v : p.inputs) define(v, "the inputs");
  for (std::size_t i = 0; i < p.eqns.size(); ++i) {
    const Eqn& e = p.eqns[i];
    std::string where = "Eqn " + std::to_string(i) + " (" + e.op->name + ") of\n" + str(p);
    std::vector<Type> operands;
    for (const Atom& a : e.operands) {
      use(a, where);
      operands.push_back(p.type(a));
    }
    for (const ProgramPtr& sub : e.subs) verify(*sub);
    std::vector<Type> inferred = infer_types(*e.op, e.params, operands, e.subs);
    if (inferred.size() != e.results.size()) throw InternalError("verify: number of results differs in " + where);
    for (std::size_t k = 0; k < inferred.size(); ++k) {
      define(e.results[k], where);
      const Type& t = p.types[e.results[k]];
      if (t.dtype != inferred[k].dtype || !(t.shape == inferred[k].shape))
        throw InternalError("verify: result " + std::to_string(k) + " should be " + inferred[k].str() + ", is " +
                            t.str() + " in " + where);
    }
  }
  for (const Atom& a : p.outputs) use(a, "the outputs of\n" + str(p));
}

}  // namespace tutti
