// What a jitted function tells about one of its programs.
#include <algorithm>
#include <ostream>

#include "api/jit_entry.hpp"
#include "api/planning.hpp"
#include "ir/loop_form.hpp"
#include "ir/printer.hpp"
#include "partition/explain.hpp"
#include "transform/inline_calls.hpp"

namespace tutti::detail {
namespace {

// By all operands and results; in a loop by those of its body in all steps, of branches by the one with most.
std::size_t bytes_accessed(const Program& p) {
  std::size_t out = 0;
  for (const Eqn& e : p.eqns) {
    if (const std::optional<LoopForm> form = loop_form(e)) {
      std::size_t all = 0, most = 0;
      for (const ProgramPtr& sub : e.subs) {
        const std::size_t of_sub = bytes_accessed(*sub);
        all += of_sub;
        most = std::max(most, of_sub);
      }
      out += form->kind == LoopForm::Kind::branch ? most : static_cast<std::size_t>(form->length) * all;
      continue;
    }
    for (const Atom& a : e.operands) out += static_cast<std::size_t>(p.type(a).nbytes());
    for (ValueId r : e.results) out += static_cast<std::size_t>(p.types[r].nbytes());
  }
  return out;
}

ProgramView view(const Program& p) {
  ProgramView out;
  auto value = [&](const Atom& a) {
    const Type t = p.type(a);
    return ProgramView::Value{text_of(a), t.shape, t.dtype, a.is_literal()};
  };
  for (ValueId v : p.inputs) out.inputs.push_back(value(v));
  for (const Atom& a : p.outputs) out.outputs.push_back(value(a));
  for (const Eqn& e : p.eqns) {
    ProgramView::Equation& to = out.equations.emplace_back();
    to.op = e.op->name;
    to.parameters = e.params.str();
    to.loc = e.loc;
    for (const Atom& a : e.operands) to.operands.push_back(value(a));
    for (ValueId r : e.results) to.results.push_back(value(r));
    for (const ProgramPtr& sub : e.subs) to.bodies.push_back(view(*sub));
  }
  out.text = str(p);
  return out;
}

}  // namespace

ProgramView jit_view(const JitEntry& e) { return view(*e.program); }
const void* jit_value(const JitEntry& e) { return e.value.get(); }
void throw_empty_function() {
  raise<ValueError>("Function", "it is empty: there is nothing to call",
                    "Assign what jit returns, or another function, before it is called.");
}

std::string jit_text(const JitEntry& e) { return str(*e.program); }
Explanation jit_explain(const JitEntry& e) {
  const Prepared& p = e.prepared;
  Explanation out;
  if (p.between)
    out = explain(*p.between, p.executable->sent(), p.program.get());
  else if (p.sharded)
    out = report_of(request_of(e), p.sharded, p.executable->sent());
  if (!p.executable) return out;
  for (const Donation& d : p.executable->stats().donations) {
    const LeafSignature& leaf = e.leaves.at(static_cast<std::size_t>(d.input));
    out.donated.push_back({leaf.name + " " + leaf.type.str(), d.output, d.reason});
  }
  return out;
}
std::string jit_plan(const JitEntry& e) { return e.prepared.executable ? e.prepared.executable->text() : ""; }
std::vector<Sharding> jit_output_shardings(const JitEntry& e) { return e.prepared.out_shardings; }

MemoryAnalysis jit_memory(const JitEntry& e) {
  if (!e.prepared.executable) return {};
  PlanStats s = e.prepared.executable->stats();
  return {s.argument_bytes, s.output_bytes, s.temporary_bytes, s.peak_bytes};
}
CostAnalysis jit_cost(const JitEntry& e) {
  CostAnalysis out;
  const ProgramPtr inlined = inline_calls(e.program);
  const Program& p = *inlined;
  out.eqns = static_cast<int>(p.eqns.size());
  for (const Eqn& q : p.eqns) out.flops += flops_of(p, q);
  out.bytes_accessed = bytes_accessed(p);
  if (e.prepared.executable) {
    PlanStats s = e.prepared.executable->stats();
    out.tasks = s.tasks;
    out.kernels = s.kernels;
  }
  return out;
}

}  // namespace tutti::detail

namespace tutti {

std::ostream& operator<<(std::ostream& out, const ProgramView& program) { return out << program.text; }

std::string MemoryAnalysis::str() const {
  return "arguments " + std::to_string(argument_bytes) + " B, outputs " + std::to_string(output_bytes) +
         " B, temporaries " + std::to_string(temporary_bytes) + " B, peak " + std::to_string(peak_bytes) + " B";
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
