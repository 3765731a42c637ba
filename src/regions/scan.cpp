// scan: a body that runs a known number of times.
#include <cstring>

#include "array/evaluate.hpp"
#include "base/loop_steps.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_scan(const Call& c) {
  const auto& p = c.get<Scan>();
  const std::size_t carries = static_cast<std::size_t>(p.carries), first = static_cast<std::size_t>(p.consts);
  std::vector<Type> in = c.operands;
  if (in.size() < first + carries) throw InternalError("scan: fewer operands than consts and carries");
  for (std::size_t i = first + carries; i < in.size(); ++i) {
    if (in[i].ndim() == 0 || in[i].shape[0] != p.length)
      throw InternalError("scan: " + std::to_string(p.length) + " steps over " + in[i].str());
    in[i] = element_of(in[i]);
  }
  const Program& body = *c.subs.at(0);
  check_sub(c, 0, in, std::max(carries, body.outputs.size()));
  std::vector<Type> out;
  const std::vector<std::string> unsaid = unsaid_varying(in, body.input_types());
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    Type made = body.type(body.outputs[k]);
    if (k >= carries) {
      out.push_back(stack_of(made, p.length));
    } else {
      Type carry = body.type(body.inputs[first + k]);
      if (made.dtype != carry.dtype || made.shape != carry.shape)
        throw InternalError("scan: carry " + std::to_string(k) + " becomes " + made.str() + " from " + carry.str());
      carry.weak = made.weak;
      carry.varying = merge_names(carry.varying, made.varying);
      out.push_back(carry);
    }
    out.back().varying = merge_names(out.back().varying, unsaid);
  }
  return out;
}

HostPtr copy_of(const HostView& x) {
  const auto bytes = static_cast<std::size_t>(x.type.nbytes());
  HostPtr out = allocate_buffer(bytes);
  if (bytes) std::memcpy(out->data(), x.data, bytes);
  return out;
}
HostView element(const HostView& stacked, std::int64_t i) {
  const Type type = element_of(stacked.type);
  return {type, stacked.as<char>() + i * type.nbytes()};
}
void write(const HostPtr& from, const HostView& to) {
  if (to.type.nbytes()) std::memcpy(to.data, from->data(), static_cast<std::size_t>(to.type.nbytes()));
}

void eval_scan(const Call& c, std::span<const HostView> operands, std::span<const HostView> results) {
  const auto& p = c.get<Scan>();
  const auto consts = static_cast<std::size_t>(p.consts), carries = static_cast<std::size_t>(p.carries);
  std::vector<HostPtr> in;
  for (std::size_t i = 0; i < consts + carries; ++i) in.push_back(copy_of(operands[i]));
  LoopStep here;
  for (std::int64_t step = 0; step < p.length; ++step) {
    here.at(step);
    const std::int64_t at = p.reverse ? p.length - 1 - step : step;
    in.resize(consts + carries);
    for (std::size_t i = consts + carries; i < operands.size(); ++i) in.push_back(copy_of(element(operands[i], at)));
    std::vector<HostPtr> out = evaluate(*c.subs[0], in);
    for (std::size_t k = 0; k < carries; ++k) in[consts + k] = out[k];
    for (std::size_t k = carries; k < out.size(); ++k) write(out[k], element(results[k], at));
  }
  for (std::size_t k = 0; k < carries; ++k) write(in[consts + k], results[k]);
}

// (w, b, c, i, x) -> (tanh(w c + x), i + 1), c x + b: a carry that no derivative passes, a const of the ys only.
ProgramPtr sample_body() {
  Recording recording("scan", {});
  const Type vector{float32, {3}, false, {}};
  Array w = recording.input(vector), b = recording.input(vector), c = recording.input(vector);
  Array i = recording.input({int32, {}, false, {}}), x = recording.input(vector);
  Array next = tanh(lax::add(lax::mul(w, c), x));
  return recording.close({next, i + 1, lax::add(lax::mul(c, x), b)});
}
// c -> (c sin c): no consts, no slices.
ProgramPtr sample_recurrence() {
  Recording recording("scan", {});
  Array c = recording.input({float32, {2, 2}, false, {}});
  return recording.close({lax::mul(c, sin(c))});
}
// x -> 2 x, x: no carries.
ProgramPtr sample_map() {
  Recording recording("scan", {});
  Array x = recording.input({float32, {2}, false, {}});
  return recording.close({lax::add(x, x), x});
}

std::vector<Sample> samples_of_scan() {
  std::vector<Sample> out;
  auto sample = [&](Scan p) {
    const Type vector{float32, {3}, false, {}}, rows{float32, {p.length, 3}, false, {}};
    Sample s{.params = p, .operands = {vector, vector, vector, {int32, {}, false, {}}, rows}};
    s.subs = {sample_body()};
    s.ulp = 16;
    out.push_back(s);
  };
  sample({.length = 4, .consts = 2, .carries = 2});
  sample({.length = 5, .consts = 2, .carries = 2, .reverse = true, .unroll = 2});
  sample({.length = 0, .consts = 2, .carries = 2});
  Sample recurrence{.params = Scan{.length = 6, .carries = 1}, .operands = {{float32, {2, 2}, false, {}}}};
  recurrence.subs = {sample_recurrence()};
  recurrence.ulp = 16;
  out.push_back(recurrence);
  Sample map{.params = Scan{.length = 3}, .operands = {{float32, {3, 2}, false, {}}}};
  map.subs = {sample_map()};
  out.push_back(map);
  return out;
}

}  // namespace

constinit const Home scan = [] {
  Op op;
  op.name = "scan";
  op.role = Role::loop;
  op.infer = infer_scan;
  op.eval = eval_scan;
  op.own_weak = op.own_varying = true;
  op.loop = [](const Params& params, std::size_t operands) {
    const auto& p = params.get<Scan>();
    Loop out{.consts = p.consts, .carries = p.carries, .length = p.length, .reverse = p.reverse};
    out.slices = static_cast<int>(operands) - out.first_slice();
    return out;
  };
  op.with_consts = [](const Params& params, int, int consts, int carries) {
    Scan p = params.get<Scan>();
    p.consts = consts;
    p.carries = carries;
    return Params(p);
  };
  op.jvp_together = scan_jvp;
  op.split = scan_split;
  op.transpose = scan_transpose;
  op.batch = scan_batch;
  op.simpler = scan_simpler;
  op.samples = samples_of_scan();
  op.without = {{"factors", "stages walk through its body (Op::loop)"}};
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
