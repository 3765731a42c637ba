#include "transform/inline_calls.hpp"

#include <algorithm>

#include "base/loc_override.hpp"
#include "ir/op.hpp"
#include "ir/passes.hpp"
#include "transform/complex_parts.hpp"
#include "transform/interpret.hpp"
#include "transform/needed_elements.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

bool is_call(const Eqn& e) { return e.op->role == Role::call; }

// Whether its operands and results have to be converted to their arithmetic_dtype and back.
bool computes_in_small(const Program& p, const Eqn& e) {
  const Op& op = *e.op;
  if (op.small || op.movement || op.effect || op.host || !e.subs.empty()) return false;
  auto small = [](const Type& t) { return arithmetic_dtype(t.dtype) != t.dtype; };
  return std::any_of(e.operands.begin(), e.operands.end(), [&](const Atom& a) { return small(p.type(a)); }) ||
         std::any_of(e.results.begin(), e.results.end(), [&](ValueId v) { return small(p.types[v]); });
}

bool has_calls(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [&](const Eqn& e) {
    return is_call(e) || e.op->refuse || e.op->simpler || computes_in_small(p, e) ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return has_calls(*sub); });
  });
}

// The Eqn that converts elements, without operands and results.
Eqn conversion(DType from, const Type& to, Loc loc) {
  Recording recording("convert", {});
  const Array x = recording.input({from, {}, to.weak, {}});
  Eqn out = recording.close({lax::convert_element_type(x, to.dtype, to.weak)})->eqns.at(0);
  out.operands.clear();
  out.results.clear();
  out.loc = loc;
  return out;
}

ProgramPtr inlined(const ProgramPtr& program);

class Inliner {
 public:
  ProgramPtr run(const Program& p) {
    std::vector<Atom> env(p.types.size());
    for (ValueId v : p.inputs) {
      env[v] = define(p.types[v]);
      out_.inputs.push_back(env[v].id);
    }
    append(p, env);
    for (const Atom& a : p.outputs) out_.outputs.push_back(use(a, env));
    out_.input_names = p.input_names;
    return tidied(std::move(out_));
  }

 private:
  static Atom use(const Atom& a, const std::vector<Atom>& env) { return a.is_literal() ? a : env[a.id]; }

  ValueId define(const Type& type) {
    out_.types.push_back(type);
    return static_cast<ValueId>(out_.types.size() - 1);
  }

  void append(const Program& p, std::vector<Atom>& env) {
    for (const Eqn& e : p.eqns) {
      if (e.op->refuse) e.op->refuse(e.loc);
      if (is_call(e)) {
        call(*e.subs[0], e, env);
        continue;
      }
      if (const ProgramPtr simple = simpler(p, e, env)) {
        call(*simple, e, env);
        continue;
      }
      if (computes_in_small(p, e)) {
        compute_wider(p, e, env);
        continue;
      }
      Eqn copy = e;
      for (Atom& a : copy.operands) a = use(a, env);
      for (ValueId& r : copy.results) {
        env[r] = define(p.types[r]);
        r = env[r].id;
      }
      for (ProgramPtr& sub : copy.subs) sub = inlined(sub);
      out_.eqns.push_back(std::move(copy));
    }
  }

  ValueId converted(DType from, const Atom& x, const Type& to, Loc loc) {
    Eqn e = conversion(from, to, loc);
    e.operands = {x};
    e.results = {define(to)};
    out_.eqns.push_back(std::move(e));
    return out_.eqns.back().results[0];
  }

  void compute_wider(const Program& p, const Eqn& e, std::vector<Atom>& env) {
    auto wide = [](Type t) {
      t.dtype = arithmetic_dtype(t.dtype);
      return t;
    };
    Eqn copy = e;
    for (Atom& a : copy.operands) {
      const Type type = p.type(a);
      a = use(a, env);
      if (wide(type).dtype == type.dtype) continue;
      if (a.is_literal())
        a.literal = a.literal.to(wide(type).dtype);
      else
        a = converted(type.dtype, a, wide(type), e.loc);
    }
    for (ValueId& r : copy.results) r = define(wide(p.types[r]));
    out_.eqns.push_back(copy);
    for (std::size_t k = 0; k < e.results.size(); ++k) {
      const Type& type = p.types[e.results[k]];
      const ValueId made = copy.results[k];
      env[e.results[k]] = wide(type).dtype == type.dtype ? made : converted(wide(type).dtype, made, type, e.loc);
    }
  }

  ProgramPtr simpler(const Program& p, const Eqn& e, const std::vector<Atom>& env) const {
    if (!e.op->simpler) return nullptr;
    Call call{*e.op, e.params, {}, e.subs};
    std::vector<Atom> operands;
    for (const Atom& a : e.operands) {
      call.operands.push_back(p.type(a));
      operands.push_back(use(a, env));
    }
    LocOverride line(e.loc);
    return e.op->simpler(call, operands);
  }

  void call(const Program& body, const Eqn& e, std::vector<Atom>& env) {
    std::vector<Atom> inner(body.types.size());
    for (std::size_t i = 0; i < e.operands.size(); ++i) inner[body.inputs[i]] = use(e.operands[i], env);
    append(body, inner);
    for (std::size_t k = 0; k < e.results.size(); ++k) env[e.results[k]] = use(body.outputs[k], inner);
  }

  Program out_;
};

ProgramPtr inlined(const ProgramPtr& program) { return has_calls(*program) ? Inliner().run(*program) : program; }

}  // namespace

ProgramPtr inline_calls(const ProgramPtr& program) {
  const ProgramPtr plain = run_pass(PassId::inline_calls, inlined, program);
  const ProgramPtr in_parts = run_pass(PassId::complex_parts, complex_parts, plain);
  return run_pass(PassId::needed_elements, needed_elements, in_parts);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
