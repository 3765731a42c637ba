#include "regions/loops.hpp"

#include <algorithm>

#include "ir/collective.hpp"
#include "ir/index.hpp"
#include "regions/loop_cut.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::ops {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

ProgramPtr recorded(const std::string& what, const std::vector<Type>& inputs,
                    const std::function<Arrays(const Arrays&)>& body) {
  Recording recording(what, {});
  Arrays in;
  for (const Type& t : inputs) in.push_back(recording.input(t));
  return recording.close(body(in));
}

std::size_t count(const Flags& flags) { return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true)); }
Flags flipped(Flags flags) {
  flags.flip();
  return flags;
}
bool all_set(const Flags& flags) { return count(flags) == flags.size(); }

Flags inputs_read(const Program& p) {
  const ProgramIndex index(p);
  Flags out;
  for (ValueId v : p.inputs) out.push_back(index.is_read(v));
  return out;
}

Flags fixpoint(const Loop& loop, Flags flags, const std::function<Flags(const Flags&)>& outputs) {
  const auto consts = static_cast<std::size_t>(loop.consts), carries = static_cast<std::size_t>(loop.carries);
  for (bool grown = true; grown;) {
    grown = false;
    const Flags out = outputs(flags);
    for (std::size_t k = 0; k < carries; ++k) {
      if (!out[k] || flags[consts + k]) continue;
      flags[consts + k] = grown = true;
    }
  }
  return flags;
}

Flags LoopCut::turning() const {
  Flags out = late.carries;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = out[k] && !given.carries[k];
  return out;
}
Arrays LoopCut::first_late(const Arrays& carries, const Arrays& turning_ones) const {
  return merged(where(given.carries, late.carries), where(carries, given.carries), turning_ones);
}

Arrays bind_scan(Scan like, const LoopParts<Array>& x, const ProgramPtr& body) {
  like.consts = static_cast<int>(x.consts.size());
  like.carries = static_cast<int>(x.carries.size());
  return bind(scan, like, x.all(), {body});
}

Split nothing_known(const Call& c, const Flags& unknown) {
  const std::vector<Type> known = where(c.operands, unknown, false);
  std::vector<Type> all = known;
  append(all, where(c.operands, unknown));
  Split out;
  out.known = recorded(c.op.name, known, [](const Arrays& in) { return in; });
  out.unknown = recorded(c.op.name, all, [&](const Arrays& in) {
    Pieces given(in);
    const Arrays first = given.take(known.size());
    return bind(c.op, c.params, merged(unknown, given.rest(), first), c.subs);
  });
  out.num_residuals = static_cast<int>(known.size());
  out.unknown_output.assign(out.unknown->outputs.size(), true);
  return out;
}

Arrays transpose_by_split(const Split& s, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  Arrays args = tutti::apply(*s.known, where(operands, undefined, false));
  args.erase(args.begin(), args.end() - s.num_residuals);
  Flags linear(args.size(), false);
  append(linear, Flags(s.unknown->inputs.size() - args.size(), true));
  const Arrays given = where(cotangents, s.unknown_output);
  const Transposed t = tutti::transpose(s.unknown, linear, present(given));
  append(args, where(given, present(given)));
  return spread(spread(tutti::apply(*t.program, args), t.nonzero), undefined);
}

std::vector<std::string> collective_axes(const Program& p) {
  std::vector<std::string> out;
  for (const Eqn& e : p.eqns) {
    if (const Collective* c = e.op->collective.get(); c && !c->kind.empty()) {  // else nobody waits
      std::vector<std::string> axes = c->group(e.params).axes;
      std::sort(axes.begin(), axes.end());
      out = merge_names(out, axes);
    }
    for (const ProgramPtr& sub : e.subs) out = merge_names(out, collective_axes(*sub));
  }
  return out;
}

void check_one_decision(const Call& c, const std::vector<std::string>& varying, const char* decision) {
  if (varying.empty()) return;
  for (const ProgramPtr& sub : c.subs)
    for (const std::string& axis : collective_axes(*sub))
      if (std::find(varying.begin(), varying.end(), axis) != varying.end())
        raise<ValueError>(c.op.name,
                          std::string(decision) + " may differ along the axis '" + axis +
                              "', and a collective inside is among the devices along it: some would wait for ever",
                          "Decide by a value that is the same on all of them, such as lax::pmax of it.");
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

// SPDX-License-Identifier: Apache-2.0
