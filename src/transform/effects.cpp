#include "transform/effects.hpp"

#include <algorithm>

#include "transform/interpret.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

using Arrays = std::vector<Array>;

Arrays with(Arrays xs, std::size_t at, const Array& x) {
  xs.insert(xs.begin() + static_cast<std::ptrdiff_t>(at), x);
  return xs;
}

// A condition that fails where `guard`, a new input number `at`, does not hold: its effects decide nothing there.
ProgramPtr guarded_condition(const Program& condition, std::size_t at) {
  const ProgramPtr inner = guarded(condition, at);
  Recording recording("vmap", {});
  Arrays in;
  for (const Type& t : inner->input_types()) in.push_back(recording.input(t));
  return recording.close({lax::bitwise_and(in[at], tutti::apply(*inner, in)[0])});
}

// An Eqn whose sub-programs have effects, which happen where `guard` holds.
Arrays guarded_eqn(const Eqn& e, const Arrays& operands, const Array& guard) {
  std::vector<ProgramPtr> subs = e.subs;
  if (e.op->role == Role::loop) {
    const Loop loop = loop_of(e);
    const auto before = static_cast<std::size_t>(loop.condition_consts), consts = static_cast<std::size_t>(loop.consts);
    subs[static_cast<std::size_t>(loop.body)] = guarded(*e.subs[static_cast<std::size_t>(loop.body)], consts);
    Arrays all = with(operands, before + consts, guard);
    bool of_condition = false;
    if (loop.condition >= 0) {
      ProgramPtr& condition = subs[static_cast<std::size_t>(loop.condition)];
      of_condition = has_effect(*condition);
      if (of_condition) {
        condition = guarded_condition(*condition, before);
        all = with(std::move(all), before, guard);
      }
    }
    return bind(*e.op, e.op->with_consts(e.params, loop.condition_consts + of_condition, loop.consts + 1, loop.carries),
                all, subs);
  }
  if (e.op->role == Role::region && e.op->with_consts)
    return bind(*e.op, e.op->with_consts(e.params, 0, static_cast<int>(operands.size()) + 1, 0),
                with(operands, operands.size(), guard),
                {guarded(*subs[0], subs[0]->inputs.size(), e.op->binds(e.params))});
  if (e.op->role != Role::branch && e.op->role != Role::call)
    throw_unsupported(e, "it tells somebody outside, and only some elements of a mapped condition come here",
                      "Use lax::map, which takes one element after the other.");
  // What a call captured stands behind the inputs of each of its sub-programs.
  for (ProgramPtr& sub : subs) sub = guarded(*sub, sub->inputs.size());
  return bind(*e.op, e.params, with(operands, operands.size(), guard), subs);
}

}  // namespace

ProgramPtr guarded(const Program& program, std::size_t at, const NamedAxes& axes) {
  Recording recording("vmap", axes);
  Arrays inputs;
  Array guard;
  for (std::size_t i = 0; i <= program.inputs.size(); ++i) {
    if (i == at) guard = recording.input({bool_, {}, false, {}});
    if (i < program.inputs.size()) inputs.push_back(recording.input(program.type(program.inputs[i])));
  }
  Environment<Array> env(program, inputs, literal_array);
  return recording.close(replay(program, env, [&](const Eqn& e, Arrays operands) {
    if (e.op->effect && e.op->guarded) return bind(*e.op, e.op->guarded(e.params), with(operands, 0, guard), e.subs);
    if (has_effect(e) && !e.subs.empty()) return guarded_eqn(e, operands, guard);
    return bind(e, std::move(operands));
  }));
}

ProgramPtr without_effects(const ProgramPtr& program) {
  if (!has_effect(*program)) return program;
  auto out = std::make_shared<Program>(*program);
  for (const Eqn& e : out->eqns)
    if (e.op->effect && !e.results.empty())
      throw_unsupported(e, "its results are needed again for a derivative, and it happens only once",
                        "Call it outside of remat and of loops that keep checkpoints.");
  std::erase_if(out->eqns, [](const Eqn& e) { return e.op->effect; });
  for (Eqn& e : out->eqns)
    for (ProgramPtr& sub : e.subs) sub = without_effects(sub);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
