#include "simulated/devices.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "array/literal.hpp"
#include "backend/cpu/kernels/kernels.hpp"
#include "base/loc_override.hpp"
#include "base/loop_steps.hpp"
#include "ir/collective.hpp"
#include "ir/replay.hpp"
#include "mesh/layout.hpp"
#include "run/traffic.hpp"
#include "simulated/memory.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti::simulated {
namespace {

// Element `at` of a stack of elements of `type`.
char* element(const BufferPtr& stack, const Type& type, std::int64_t at) { return inside(stack) + at * type.nbytes(); }
void copy_bytes(char* to, const char* from, const Type& type) {
  if (type.nbytes() > 0) std::memcpy(to, from, static_cast<std::size_t>(type.nbytes()));
}

}  // namespace

int device_number(const Mesh& mesh, std::int64_t position) {
  const Device& device = mesh.device_list()[static_cast<std::size_t>(position)];
  return device.platform() == "simulated" ? device.id() : static_cast<int>(position);
}

Devices::Devices(const Mesh& mesh, Traffic& sent) : mesh_(mesh), sent_(sent) {}

std::vector<Blocks> Devices::run(const Program& program, std::vector<Blocks> inputs) {
  Some all(static_cast<std::size_t>(mesh_.size()));
  std::iota(all.begin(), all.end(), 0);
  return run(program, std::move(inputs), all);
}

std::vector<Blocks> Devices::run(const Program& program, std::vector<Blocks> inputs, const Some& on) {
  Environment<Blocks> env(program, inputs, [&](const Atom& a) {
    Blocks out = new_blocks(program.type(a), on);
    for (int d : on) write_scalar(a.literal, a.literal.dtype, inside(out[d]));
    return out;
  });
  inputs.clear();
  return replay(program, env,
                [&](const Eqn& e, const std::vector<Blocks>& operands) { return step(program, e, operands, on); });
}

std::vector<Blocks> Devices::step(const Program& p, const Eqn& e, const std::vector<Blocks>& operands, const Some& on) {
  if (e.op->collective) return collective(p, e, operands, on);
  if (e.op->role == Role::loop) return loop(p, e, operands, on);
  if (e.op->role == Role::branch) return branch(p, e, operands, on);
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  std::vector<Blocks> results = new_results(p, e, on);
  // What tells somebody outside does so once, unless each device has something to tell.
  const bool once = e.op->effect && e.op->each_device && !e.op->each_device(e.params);
  for (int d : once ? Some{on.front()} : on) {
    std::vector<HostView> in, out;
    for (std::size_t o = 0; o < operands.size(); ++o) in.push_back({types[o], inside(operands[o][d])});
    for (std::size_t r = 0; r < results.size(); ++r) out.push_back({p.types[e.results[r]], inside(results[r][d])});
    kernels::run(e, types, in, out);
  }
  if (once)
    for (std::size_t r = 0; r < results.size(); ++r)
      for (int d : on)
        if (d != on.front()) copy_bytes(inside(results[r][d]), inside(results[r][on.front()]), p.types[e.results[r]]);
  return results;
}

Blocks Devices::new_blocks(const Type& type, const Some& on) const {
  Blocks out(static_cast<std::size_t>(mesh_.size()));
  for (int d : on) out[d] = memory_of(device_number(mesh_, d)).allocate(static_cast<std::size_t>(type.nbytes()));
  return out;
}

std::vector<Blocks> Devices::new_results(const Program& p, const Eqn& e, const Some& on) const {
  const LocOverride line(e.loc);
  std::vector<Blocks> out;
  for (ValueId r : e.results) out.push_back(new_blocks(p.types[r], on));
  return out;
}

// Devices that differ along the axes of the group only, row-major over them; -1 for one that does not take part.
std::vector<std::vector<int>> Devices::groups(const Eqn& e, const Some& on) const {
  const Group& axes = e.op->collective->group(e.params);
  AxisRefs refs;
  for (const std::string& name : axes.axes) {
    int axis = mesh_.axis_index(name);
    if (axis < 0) throw InternalError("per_device: the mesh has no axis " + name);
    refs.push_back(whole_axis(mesh_, axis));
  }
  std::map<std::vector<std::int64_t>, std::vector<int>> by_home;
  for (int d : on) {
    std::vector<std::int64_t> at = coordinates(mesh_, d), home = at;
    for (const AxisRef& r : refs) home[r.axis] = 0;
    std::vector<int>& group = by_home[home];
    group.resize(static_cast<std::size_t>(axes.size()), -1);
    group[block_number(refs, mesh_, at)] = d;
  }
  std::vector<std::vector<int>> out;
  for (auto& [home, group] : by_home) {
    if (!e.op->collective->kind.empty() && std::find(group.begin(), group.end(), -1) != group.end())
      raise<UnsupportedError>(e.op->name, "a condition around it holds on some of its devices and not on others",
                              "Let the condition be the same along its axes: by psum or pmax of what it depends on.",
                              e.loc);
    out.push_back(std::move(group));
  }
  return out;
}

std::vector<Blocks> Devices::collective(const Program& p, const Eqn& e, const std::vector<Blocks>& operands,
                                        const Some& on) {
  const Collective& c = *e.op->collective;
  const Group& axes = c.group(e.params);
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  std::vector<Blocks> results = new_results(p, e, on);
  Received most;  // of the group whose devices receive most
  const HostPtr nobody = allocate_buffer(static_cast<std::size_t>(p.types[e.results[0]].nbytes()));
  for (const std::vector<int>& group : groups(e, on)) {
    const int present = *std::max_element(group.begin(), group.end());
    std::vector<HostView> in, out;
    for (int d : group) {
      if (d < 0) {  // nothing is sent: what it would have plays no part
        if (!types.empty()) in.push_back({types[0], inside(operands[0][present])});
        out.push_back({p.types[e.results[0]], nobody->data()});
        continue;
      }
      if (!types.empty()) in.push_back({types[0], inside(operands[0][d])});
      out.push_back({p.types[e.results[0]], inside(results[0][d])});
    }
    const Received got = exchange(Call{*e.op, e.params, types, e.subs}, in, out);
    most = {std::max(most.bytes, got.bytes), std::max(most.messages, got.messages)};
  }
  if (c.kind.empty()) return results;
  std::string text;
  for (const std::string& name : axes.axes) text += (text.empty() ? "" : ",") + name;
  run::add(sent_, {c.kind, text, 1, most.messages, most.bytes});
  return results;
}

std::vector<Blocks> Devices::loop(const Program& p, const Eqn& e, const std::vector<Blocks>& operands, const Some& on) {
  const LoopForm form = *loop_form(e);
  std::vector<Blocks> results(e.results.size());
  for (const LoopForm::Output& made : form.bodies[form.body].outputs)
    if (made.stacked) results[made.result] = new_blocks(p.types[e.results[made.result]], on);
  for (const LoopForm::Input& in : form.bodies[form.body].inputs)
    if (in.result >= 0) results[in.result] = operands[in.operand];

  // Carries are in `results`; element `at` of what is sliced.
  auto inputs = [&](int sub, std::int64_t at, const Some& some) {
    std::vector<Blocks> out;
    const Program& body = *e.subs[sub];
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
      const LoopForm::Input& in = form.bodies[sub].inputs[i];
      if (in.way != LoopForm::Way::slice) {
        out.push_back(in.result >= 0 ? results[in.result] : operands[in.operand]);
        continue;
      }
      const Type& type = body.types[body.inputs[i]];
      out.push_back(new_blocks(type, some));
      for (int d : some) copy_bytes(inside(out.back()[d]), element(operands[in.operand][d], type, at), type);
    }
    return out;
  };
  Some some = on;
  LoopStep here;
  for (std::int64_t turn = 0; form.condition >= 0 || turn < form.length; ++turn) {
    here.at(turn);
    const std::int64_t at = form.reverse ? form.length - 1 - turn : turn;
    if (form.condition >= 0) {
      const Blocks holds = run(*e.subs[form.condition], inputs(form.condition, at, some), some)[0];
      std::erase_if(some, [&](int d) { return *inside(holds[d]) == 0; });
      if (some.empty()) break;
    }
    const std::vector<Blocks> made = run(*e.subs[form.body], inputs(form.body, at, some), some);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const LoopForm::Output& to = form.bodies[form.body].outputs[k];
      const Type type = e.subs[form.body]->type(e.subs[form.body]->outputs[k]);
      for (int d : some)
        if (to.stacked)
          copy_bytes(element(results[to.result][d], type, at), inside(made[k][d]), type);
        else
          results[to.result][d] = made[k][d];
    }
  }
  return results;
}

std::vector<Blocks> Devices::branch(const Program&, const Eqn& e, const std::vector<Blocks>& operands, const Some& on) {
  const auto last = static_cast<std::int32_t>(e.subs.size()) - 1;
  std::vector<Some> takers(e.subs.size());
  for (int d : on) {
    std::int32_t index;
    std::memcpy(&index, inside(operands[0][d]), sizeof index);
    takers[std::clamp(index, std::int32_t{0}, last)].push_back(d);
  }
  std::vector<Blocks> results(e.results.size(), Blocks(static_cast<std::size_t>(mesh_.size())));
  for (std::size_t s = 0; s < takers.size(); ++s) {
    if (takers[s].empty()) continue;
    const std::vector<Blocks> made = run(*e.subs[s], {operands.begin() + 1, operands.end()}, takers[s]);
    for (std::size_t r = 0; r < results.size(); ++r)
      for (int d : takers[s]) results[r][d] = made[r][d];
  }
  return results;
}

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
