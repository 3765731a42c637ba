#include "partition/explain.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/loop_form.hpp"
#include "ir/op.hpp"
#include "partition/cost.hpp"
#include "partition/work.hpp"

namespace tutti {

namespace {

// By operation and line, of one device.
struct Spent {
  std::string op;
  Loc loc;
  double flops = 0;
};
using AllSpent = std::map<std::pair<std::string, std::string>, Spent>;

void add_flops(const Program& p, double times, AllSpent& out) {
  const Arithmetic arithmetic(p);
  for (const Eqn& e : p.eqns) {
    const std::optional<LoopForm> form = loop_form(e);
    const double turns = form ? static_cast<double>(form->length) : 1;
    for (const ProgramPtr& sub : e.subs) add_flops(*sub, times * turns, out);
    if (form) continue;
    const double flops = e.subs.empty() ? arithmetic.of(e) : 0;
    if (flops <= 0) continue;
    Spent& line = out.try_emplace({e.op->name, e.loc.str()}, Spent{e.op->name, e.loc}).first->second;
    line.flops += times * flops;
  }
}

// That go in and come out.
double elements_of(const Program& p) {
  double out = 0;
  for (const Type& t : p.input_types()) out += static_cast<double>(t.num_elements());
  for (const Type& t : p.output_types()) out += static_cast<double>(t.num_elements());
  return out;
}

std::vector<Explanation::Replicated> replicated_work(const Program& local, const Program& whole, std::int64_t devices) {
  AllSpent mine, alone;
  add_flops(local, 1, mine);
  add_flops(whole, 1, alone);
  std::vector<Explanation::Replicated> out;
  for (const auto& [key, line] : mine) {
    const auto there = alone.find(key);
    const double share = there == alone.end() ? 0 : there->second.flops / static_cast<double>(devices);
    if (line.flops > 1.01 * share) out.push_back({line.op, line.loc, line.flops - share});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.flops > b.flops; });
  if (out.size() > 3) out.resize(3);
  return out;
}

}  // namespace

Explanation explain(const LocalProgram& p, const Sent& sent, const Program* whole) {
  const CostModel model(config::machine(), p.mesh);
  auto seconds = [&](const Cause& c) { return model.sending(c.bytes, static_cast<double>(c.messages), c.axes); };
  Explanation out;
  for (const Cause& c : p.causes)
    out.collectives.push_back({c.kind, c.axes, c.group, c.bytes, c.messages, c.times, seconds(c), c.loc, c.where,
                               c.what, c.why, c.advice, c.by_hand, c.inputs});
  out.mesh = p.mesh.str();
  out.devices = p.mesh.size();
  out.planned_bytes = total_bytes(p);
  out.planned_messages = total_messages(p);
  out.sent_bytes = sent.bytes;
  out.sent_messages = sent.messages;

  const Work work = work_of(*p.program);
  out.flops = work.flops;
  if (const double alone = whole ? arithmetic_of(*whole) : 0; alone > 0) {
    // Of the whole: a few numbers that all devices compute beside large arrays are nothing.
    const double all = arithmetic_of(*p.program) * static_cast<double>(out.devices);
    out.flop_inflation = 1 + (all - alone) / std::max(alone, elements_of(*whole));
    out.replicated = replicated_work(*p.program, *whole, out.devices);
  }
  out.collective_seconds = total(p, seconds);
  out.compute_seconds = model.computing(work.flops, work.bytes);
  out.step_seconds = model.together(out.compute_seconds, out.collective_seconds);

  auto bytes = [](const std::vector<Type>& global, const std::vector<Layout>& layouts) {
    double sum = 0;
    for (std::size_t i = 0; i < global.size(); ++i)
      sum += static_cast<double>(block_shape(layouts[i], global[i].shape).num_elements() * global[i].dtype.size());
    return sum;
  };
  out.memory.arguments = bytes(p.input_types, p.inputs);
  out.memory.outputs = bytes(p.output_types, p.outputs);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
