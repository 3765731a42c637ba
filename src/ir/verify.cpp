#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : p_(program), defined_(program.types.size(), 0) {}

  void run() {
    for (ValueId v : p_.inputs) define(v);
    for (at_ = 0; at_ < static_cast<int>(p_.eqns.size()); ++at_) equation(p_.eqns[at_]);
    for (const Atom& a : p_.outputs) use(a);
  }

 private:
  // The text of the program is made here and nowhere earlier: it is long.
  [[noreturn]] void fail(const std::string& what) const {
    const int n = static_cast<int>(p_.eqns.size());
    std::string where = at_ < 0    ? "the inputs"
                        : at_ == n ? "the outputs"
                                   : "Eqn " + std::to_string(at_) + " (" + p_.eqns[at_].op->name + ")";
    throw InternalError("verify: " + what + " in " + where + " of\n" + str(p_));
  }

  void define(ValueId v) {
    if (v < 0 || v >= static_cast<ValueId>(p_.types.size()) || defined_[v])
      fail("value " + std::to_string(v) + " is defined twice or out of range");
    defined_[v] = 1;
  }
  void use(const Atom& a) const {
    if (!a.is_literal() && (a.id >= static_cast<ValueId>(p_.types.size()) || !defined_[a.id]))
      fail("value " + std::to_string(a.id) + " is used before its definition");
  }

  void equation(const Eqn& e) {
    std::vector<Type> operands;
    for (const Atom& a : e.operands) {
      use(a);
      operands.push_back(p_.type(a));
    }
    for (const ProgramPtr& sub : e.subs) {
      if (sub->facts.verified) continue;
      verify(*sub);
      sub->facts.verified = true;
    }
    const std::vector<Type> inferred = infer_types(*e.op, e.params, operands, e.subs);
    if (inferred.size() != e.results.size()) fail("the number of results differs");
    for (std::size_t k = 0; k < inferred.size(); ++k) {
      define(e.results[k]);
      const Type& t = p_.types[e.results[k]];
      if (t.dtype != inferred[k].dtype || t.shape != inferred[k].shape)
        fail("result " + std::to_string(k) + " should be " + inferred[k].str() + ", is " + t.str());
    }
  }

  const Program& p_;
  std::vector<char> defined_;
  int at_ = -1;  // the Eqn looked at; -1: the inputs
};

}  // namespace

void verify(const Program& p) { Verifier(p).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
