#include "regions/calls.hpp"

#include <algorithm>
#include <limits>

namespace tutti::ops {

Op call_op(std::string name) {
  Op op;
  op.name = std::move(name);
  op.role = Role::call;
  op.infer = [](const Call& c) { return c.subs.at(0)->output_types(); };
  op.own_weak = true;
  op.without = {{"eval", "it is inlined before anything runs"},
                {"factors", "it is inlined before shardings are propagated"},
                {"samples", "it needs a body: tests/transform/custom_rules_test.cpp"}};
  return op;
}

int derivatives_of(const Program& program) {
  constexpr int any = std::numeric_limits<int>::max();
  int out = any;
  for (const Eqn& e : program.eqns) {
    const bool solves = e.op == &implicit_solve || e.op == &implicit_root;
    const bool has_rule = e.op == &custom_jvp || e.op == &custom_vjp || solves;
    int of_subs = any;  // the function itself is not differentiated where it has a rule
    for (std::size_t i = has_rule; i < e.subs.size(); ++i) of_subs = std::min(of_subs, derivatives_of(*e.subs[i]));
    if (has_rule) of_subs = e.subs.size() == 1 ? 0 : of_subs == any || solves ? of_subs : of_subs + 1;
    out = std::min(out, of_subs);
  }
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
