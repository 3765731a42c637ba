#include "compile/open_loop.hpp"

#include <algorithm>

#include "compile/live.hpp"

namespace tutti::compile {

OpenLoop::OpenLoop(Program& outer, Eqn loop) : around(outer), eqn(std::move(loop)), form(loop_of(eqn)) {
  body = *eqn.subs[form.body];
  if (form.condition >= 0) condition = *eqn.subs[form.condition];
  auto inputs = [&](int first, int n, const std::vector<ValueId>& inside, int from, std::vector<Input>& to) {
    for (int i = 0; i < n; ++i) to.push_back({eqn.operands[first + i], inside[from + i]});
  };
  if (condition) inputs(0, form.condition_consts, condition->inputs, 0, condition_consts);
  inputs(form.first_const(), form.consts, body.inputs, 0, consts);
  inputs(form.first_slice(), form.slices, body.inputs, form.consts + form.carries, slices);
  for (int c = 0; c < form.carries; ++c)
    carries.push_back({eqn.operands[form.first_carry() + c],
                       body.inputs[form.consts + c],
                       {},
                       eqn.results[c],
                       condition ? condition->inputs[form.condition_consts + c] : -1});
  for (std::size_t k = carries.size(); k < eqn.results.size(); ++k) stacks.push_back({{}, eqn.results[k]});
  take_outputs();
}

void OpenLoop::take_outputs() {
  for (std::size_t c = 0; c < carries.size(); ++c) carries[c].next = body.outputs[c];
  for (std::size_t k = 0; k < stacks.size(); ++k) stacks[k].inside = body.outputs[carries.size() + k];
}

// Inputs and outputs of the sub-programs as they are now.
void OpenLoop::gather() {
  body.inputs.clear();
  body.outputs.clear();
  body.input_names.clear();
  for (const Input& x : consts) body.inputs.push_back(x.inside);
  for (const Carry& x : carries) body.inputs.push_back(x.inside);
  for (const Input& x : slices) body.inputs.push_back(x.inside);
  for (const Carry& x : carries) body.outputs.push_back(x.next);
  for (const Stack& x : stacks) body.outputs.push_back(x.inside);
  if (!condition) return;
  condition->inputs.clear();
  condition->input_names.clear();
  for (const Input& x : condition_consts) condition->inputs.push_back(x.inside);
  for (const Carry& x : carries) condition->inputs.push_back(x.in_condition);
}

void OpenLoop::change_body(const std::function<Program(Program)>& change) {
  gather();
  body = change(std::move(body));
  std::size_t i = 0;  // values may have other numbers now
  for (Input& x : consts) x.inside = body.inputs[i++];
  for (Carry& x : carries) x.inside = body.inputs[i++];
  for (Input& x : slices) x.inside = body.inputs[i++];
  take_outputs();
}

ValueId OpenLoop::fresh(Type type) {
  around.types.push_back(std::move(type));
  return static_cast<ValueId>(around.types.size()) - 1;
}
ValueId OpenLoop::fresh_inside(Type type) {
  body.types.push_back(std::move(type));
  return static_cast<ValueId>(body.types.size()) - 1;
}

ValueId OpenLoop::add(Program& program, std::vector<Eqn>& list, const Op& op, Params params,
                      std::vector<Atom> operands) {
  std::vector<Type> types;
  for (const Atom& a : operands) types.push_back(program.type(a));
  program.types.push_back(infer_types(op, params, types, {})[0]);
  const auto v = static_cast<ValueId>(program.types.size()) - 1;
  list.push_back({&op, std::move(params), std::move(operands), {v}, {}, eqn.loc});
  return v;
}

Eqn OpenLoop::close() {
  gather();
  Eqn e = eqn;
  e.params = eqn.op->with_consts(eqn.params, static_cast<int>(condition_consts.size()), static_cast<int>(consts.size()),
                                 static_cast<int>(carries.size()));
  e.operands.clear();
  e.results.clear();
  for (const auto* list : {&condition_consts, &consts})
    for (const Input& x : *list) e.operands.push_back(x.operand);
  for (const Carry& x : carries) e.operands.push_back(x.start);
  for (const Input& x : slices) e.operands.push_back(x.operand);
  for (const Carry& x : carries) e.results.push_back(x.last);
  for (const Stack& x : stacks) e.results.push_back(x.result);
  e.subs[form.body] = std::make_shared<Program>(live(body));
  if (condition) e.subs[form.condition] = std::make_shared<Program>(live(*condition));
  return e;
}

Unchanging::Unchanging(const Program& p, const std::vector<OpenLoop::Input>& consts) : is_(p.types.size(), 0) {
  for (const OpenLoop::Input& x : consts) is_[x.inside] = 1;
  for (const Eqn& e : p.eqns) {
    const bool pure = e.subs.empty() && !e.op->effect && !e.op->collective &&
                      (e.op->role == tutti::Role::compute || e.op->role == tutti::Role::generator);
    if (pure && std::all_of(e.operands.begin(), e.operands.end(), *this))
      for (ValueId v : e.results) is_[v] = 1;
  }
}

namespace {

bool has_loops(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->loop || std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return has_loops(*s); });
  });
}

}  // namespace

Program with_loops(const Program& program, const std::function<void(OpenLoop&)>& change) {
  if (!has_loops(program)) return program;
  Program out = program;
  out.eqns.clear();
  for (Eqn e : program.eqns) {
    for (ProgramPtr& sub : e.subs)
      if (has_loops(*sub)) sub = std::make_shared<Program>(with_loops(*sub, change));
    if (!e.op->loop) {
      out.eqns.push_back(std::move(e));
      continue;
    }
    OpenLoop loop(out, std::move(e));
    change(loop);
    out.eqns.insert(out.eqns.end(), loop.before.begin(), loop.before.end());
    out.eqns.push_back(loop.close());
    out.eqns.insert(out.eqns.end(), loop.after.begin(), loop.after.end());
  }
  return out;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
