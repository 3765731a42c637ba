// Reverse mode's second half: a linear Program backwards, from cotangents of its outputs to cotangents of its linear
// inputs.
#include <algorithm>

#include "ops/collective/collective.hpp"
#include "transform/interpret.hpp"
#include "transform/kept.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

// A value that depends on the linear inputs has no array on the way forward; its cotangent comes on the way back.
class Transpose {
 public:
  explicit Transpose(const Program& p) : cotangent(p.types.size()), p_(p) {}

  // What does not depend on the linear inputs is computed as it stands; the rest waits.
  void forward(const std::vector<Array>& inputs) {
    Environment<Array> env(p_, inputs, literal_array);
    replay(p_, env, [&](const Eqn& eqn, std::vector<Array> operands) {
      bool linear = std::any_of(operands.begin(), operands.end(), [](const Array& x) { return !x.has_value(); });
      if (!linear) return bind(eqn, std::move(operands));
      linear_.push_back({&eqn, std::move(operands)});
      return std::vector<Array>(eqn.results.size());
    });
  }

  void backward() {
    for (std::size_t i = linear_.size(); i-- > 0;) backward(*linear_[i].eqn, linear_[i].operands);
  }

  void backward(const Eqn& eqn, const std::vector<Array>& operands) {
    bool any = std::any_of(eqn.results.begin(), eqn.results.end(), [&](ValueId r) { return cotangent[r].has_value(); });
    if (!any) return;
    LocOverride line(eqn.loc);
    std::vector<Array> cotangents;
    std::vector<bool> undefined;
    for (ValueId r : eqn.results) cotangents.push_back(cotangent_of(r));
    for (const Array& x : operands) undefined.push_back(!x.has_value());
    if (!eqn.op->transpose)
      throw_unsupported(
          eqn,
          "it cannot be differentiated in reverse mode: " +
              (eqn.op->not_differentiable.empty() ? "it has no transpose rule" : eqn.op->not_differentiable),
          "Use jvp or jacfwd.");
    const Call call = call_of(p_, eqn);
    std::vector<Array> given = eqn.op->transpose(call, cotangents, operands, undefined);
    given.resize(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!undefined[i] || !given[i].has_value()) continue;
      check_like(eqn, "transpose", given[i], call.operands[i]);
      add_to(eqn.operands[i].id, given[i]);
    }
    for (ValueId r : eqn.results) cotangent[r] = {};  // done with: nothing keeps it alive
  }

  // What varies over an axis along which the value does not is a device's part of a sum; what does not vary is all of
  // it. The two are added once the sum is made.
  void add_to(ValueId v, const Array& ct) {
    Array& sum = cotangent[v];
    if (!sum.has_value())
      sum = ct;
    else if (sum.type().varying == ct.type().varying)
      sum = lax::add(sum, ct);
    else
      sum = lax::add(over_devices(v, sum), over_devices(v, ct));
  }

  // The whole cotangent of a value. Where the value was taken as the same on all devices of an axis, its uses on each
  // of them count.
  Array cotangent_of(ValueId v) { return cotangent[v].has_value() ? over_devices(v, cotangent[v]) : Array(); }

  Array over_devices(ValueId v, const Array& ct) {
    const std::vector<std::string>& varies = p_.type(v).varying;
    std::vector<std::string> missing;
    std::vector<std::int64_t> sizes;
    for (const std::string& axis : ct.type().varying) {
      if (std::find(varies.begin(), varies.end(), axis) != varies.end()) continue;
      missing.push_back(axis);
      sizes.push_back(bound_axis_size(axis));
    }
    if (missing.empty()) return ct;
    return bind1(ops::psum, Group{missing, sizes}, {ct});
  }

  std::vector<Array> cotangent;  // by ValueId

 private:
  struct Linear {
    const Eqn* eqn;
    std::vector<Array> operands;  // empty where linear
  };

  const Program& p_;
  std::vector<Linear> linear_;  // in program order
};

}  // namespace

Transposed transpose(const Program& program, const std::vector<bool>& linear, const std::vector<bool>& given,
                     const NamedAxes& axes) {
  const Transforming running;
  Recording recording("transpose", axes);
  Transpose walk(program);
  std::vector<Array> inputs(program.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!linear[i]) inputs[i] = recording.input(program.type(program.inputs[i]), input_name(program, i));
  std::vector<Array> seeds;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    if (given[i]) seeds.push_back(recording.input(program.type(program.outputs[i])));
  }
  for (std::size_t i = 0, k = 0; i < program.outputs.size(); ++i) {
    if (!given[i]) continue;
    const Array& seed = seeds[k++];
    if (!program.outputs[i].is_literal()) walk.add_to(program.outputs[i].id, seed);
  }
  walk.forward(inputs);
  walk.backward();
  Transposed out;
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (!linear[i]) continue;
    Array ct = walk.cotangent_of(program.inputs[i]);
    out.nonzero.push_back(ct.has_value());
    if (ct.has_value()) outputs.push_back(with_weak(ct, program.type(program.inputs[i]).weak));
  }
  out.program = recording.close(outputs);
  return out;
}

Transposed transpose(const ProgramPtr& program, const std::vector<bool>& linear, const std::vector<bool>& given,
                     const NamedAxes& axes) {
  return answer(&Kept::transpose, {.programs = {program}, .flags = linear, .more_flags = given, .axes = axes},
                [&] { return transpose(*program, linear, given, axes); });
}

VjpProgram vjp(const Program& program, const std::vector<bool>& differentiated, const std::vector<bool>& given,
               const NamedAxes& axes) {
  const Transforming running;
  Linearized lin = linearize(program, differentiated, axes);
  std::size_t outputs = program.outputs.size();
  std::vector<bool> is_tangent(lin.linear->inputs.size(), true), seeded(outputs), tangent_given;
  std::fill(is_tangent.begin(), is_tangent.begin() + lin.num_residuals, false);
  for (std::size_t i = 0; i < outputs; ++i) {
    seeded[i] = given[i] && lin.tangent[i];
    if (lin.tangent[i]) tangent_given.push_back(given[i]);
  }
  Transposed back = transpose(*lin.linear, is_tangent, tangent_given, axes);

  Recording recording("vjp", axes);
  std::vector<Array> args, cotangents;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    args.push_back(recording.input(program.type(program.inputs[i]), input_name(program, i)));
  for (std::size_t i = 0; i < outputs; ++i)
    if (seeded[i]) cotangents.push_back(recording.input(program.type(program.outputs[i])));
  std::vector<Array> known = tutti::apply(*lin.known, args);
  std::vector<Array> back_args(known.begin() + static_cast<std::ptrdiff_t>(outputs), known.end());
  back_args.insert(back_args.end(), cotangents.begin(), cotangents.end());
  std::vector<Array> grads = tutti::apply(*back.program, back_args);
  known.resize(outputs);
  std::size_t tangent = 0, next = 0;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (!differentiated[i]) continue;
    known.push_back(back.nonzero[tangent++] ? grads[next++] : zeros_of(program.type(program.inputs[i])));
  }
  return {recording.close(known), std::move(seeded)};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
