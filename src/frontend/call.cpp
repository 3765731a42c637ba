#include "frontend/call.hpp"

namespace tutti::detail {

std::vector<bool> Recorded::explicit_only() const {
  std::vector<bool> out(inputs.size(), false);
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(num_explicit), true);
  return out;
}

std::string leaf_name(const std::pair<int, tree::Path>& where) {
  std::string path = where.second.str();
  std::string base = where.first < 0 ? "self" : "arg" + std::to_string(where.first);
  return base + (path.empty() || path[0] == '[' ? "" : ".") + path;
}

std::vector<std::optional<TracedLeaf>> differentiable(const CallArrays& args, const std::vector<bool>& wanted) {
  std::vector<std::optional<TracedLeaf>> out(args.leaves.size());
  for (std::size_t i = 0; i < args.leaves.size(); ++i)
    if (wanted[i] && !args.frozen[i] && has_tangent(args.leaves[i].type()))
      out[i] = TracedLeaf{args.leaves[i].type(), args.leaves[i], true};
  return out;
}

Recorded record_call(const CallArrays& args, const std::vector<std::optional<TracedLeaf>>& leaves, const Body& body,
                     const Recorder& recorder, BodyResult* result) {
  auto trace = std::make_shared<Trace>(Trace::Mode::open, recorder.what, recorder.made);
  trace->axes = recorder.axes;
  trace->derivatives += recorder.derivatives;
  Recorded out;
  std::vector<Array> given = args.leaves;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]) continue;
    given[i] = trace->input(leaves[i]->type, "", leaves[i]->known ? leaves[i]->value : Array());
    out.inputs.push_back(leaves[i]->value);
  }
  out.num_explicit = out.inputs.size();
  TraceScope scope(trace);
  BodyResult returned = body(given);
  Traced traced = trace->close(returned.leaves);
  out.program = traced.program;
  out.inputs.insert(out.inputs.end(), traced.captured.begin(), traced.captured.end());
  if (result) *result = std::move(returned);
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
