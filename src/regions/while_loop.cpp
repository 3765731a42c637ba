// while_loop: a body that runs as long as a condition holds.
#include <cstring>

#include "array/evaluate.hpp"
#include "base/loop_steps.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_while_loop(const Call& c) {
  const auto& p = c.get<While>();
  const auto before = static_cast<std::size_t>(p.cond_consts), consts = static_cast<std::size_t>(p.body_consts);
  if (c.operands.size() < before + consts) throw InternalError("while_loop: fewer operands than consts");
  const std::vector<Type> carries = without_first(c.operands, before + consts);
  std::vector<Type> of_condition = first_of(c.operands, before), of_body = without_first(c.operands, before);
  append(of_condition, carries);
  check_sub(c, 0, of_condition, 1);
  check_sub(c, 1, of_body, carries.size());
  const Program &condition = *c.subs[0], &body = *c.subs[1];
  const Type test = condition.type(condition.outputs[0]);
  if (!test.dtype.is_bool() || test.ndim() != 0) throw InternalError("while_loop: the condition is " + test.str());
  check_one_decision(c, test.varying, "the condition");
  // Devices that make different numbers of steps end with values that differ.
  std::vector<std::string> varying = test.varying;
  varying = merge_names(varying, unsaid_varying(of_condition, condition.input_types()));
  varying = merge_names(varying, unsaid_varying(of_body, body.input_types()));
  std::vector<Type> out;
  for (std::size_t k = 0; k < carries.size(); ++k) {
    const Type made = body.type(body.outputs[k]);
    Type carry = body.type(body.inputs[consts + k]);
    if (made.dtype != carry.dtype || made.shape != carry.shape)
      throw InternalError("while_loop: carry " + std::to_string(k) + " becomes " + made.str() + " from " + carry.str());
    carry.weak = made.weak;
    carry.varying = merge_names(merge_names(carry.varying, made.varying), varying);
    out.push_back(carry);
  }
  return out;
}

void eval_while_loop(const Call& c, std::span<const HostView> operands, std::span<const HostView> results) {
  const auto& p = c.get<While>();
  const auto before = static_cast<std::size_t>(p.cond_consts), consts = static_cast<std::size_t>(p.body_consts);
  std::vector<HostPtr> all;
  for (const HostView& x : operands) {
    const auto bytes = static_cast<std::size_t>(x.type.nbytes());
    all.push_back(allocate_buffer(bytes));
    if (bytes) std::memcpy(all.back()->data(), x.data, bytes);
  }
  const std::vector<HostPtr> of_condition = first_of(all, before);
  std::vector<HostPtr> in = without_first(all, before), carries = without_first(in, consts);
  auto goes_on = [&] {
    std::vector<HostPtr> operands = of_condition;
    append(operands, carries);
    return *static_cast<const bool*>(evaluate(*c.subs[0], operands)[0]->data());
  };
  LoopStep here;
  for (std::int64_t step = 0; goes_on(); here.at(++step)) {
    in.resize(consts);
    append(in, carries);
    carries = evaluate(*c.subs[1], in);
  }
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].type.nbytes())
      std::memcpy(results[k].data, carries[k]->data(), static_cast<std::size_t>(results[k].type.nbytes()));
}

// While i < 4 and the sum of c is below `most`: c = sin(w c), i = i + 1.
ProgramPtr sample_condition(const std::vector<Type>& types) {
  Recording recording("while_loop", {});
  Array most = recording.input(types[0]), i = recording.input(types[1]), c = recording.input(types[2]);
  return recording.close({lax::bitwise_and(i < 4, lax::lt(lax::reduce_sum(c, {0}), most))});
}
ProgramPtr sample_body(const std::vector<Type>& types) {
  Recording recording("while_loop", {});
  Array w = recording.input(types[2]), i = recording.input(types[1]), c = recording.input(types[2]);
  return recording.close({i + 1, sin(lax::mul(w, c))});
}
std::vector<Sample> samples_of_while_loop() {
  const std::vector<Type> types{{float32, {}, false, {}}, {int32, {}, false, {}}, {float32, {3}, false, {}}};
  Sample s{.params = While{.cond_consts = 1, .body_consts = 1}, .operands = {types[0], types[2], types[1], types[2]}};
  s.subs = {sample_condition(types), sample_body(types)};
  s.ulp = 16;
  s.differentiable = false;  // backwards
  Sample bounded = s;
  bounded.params = While{.cond_consts = 1, .body_consts = 1, .max_steps = 6};
  bounded.differentiable = true;
  return {s, bounded};
}

}  // namespace

constinit const Home while_loop = [] {
  Op op;
  op.name = "while_loop";
  op.role = Role::loop;
  op.infer = infer_while_loop;
  op.eval = eval_while_loop;
  op.own_weak = op.own_varying = true;
  op.loop = [](const Params& params, std::size_t operands) {
    const auto& p = params.get<While>();
    Loop out{.body = 1, .condition = 0, .condition_consts = p.cond_consts, .consts = p.body_consts};
    out.carries = static_cast<int>(operands) - out.first_carry();
    return out;
  };
  op.with_consts = [](const Params& params, int condition_consts, int consts, int) {
    While p = params.get<While>();
    p.cond_consts = condition_consts;
    p.body_consts = consts;
    return Params(p);
  };
  op.jvp_together = while_jvp;
  op.split = while_split;
  op.transpose = while_transpose;
  op.batch = while_batch;
  op.simpler = while_simpler;
  op.samples = samples_of_while_loop();
  op.without = {{"factors", "stages walk through its body (Op::loop)"}};
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
