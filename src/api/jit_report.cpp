// What a jitted function tells about one of its programs.
#include "api/jit_entry.hpp"
#include "ir/op.hpp"

namespace tutti::detail {

const void* jit_value(const JitEntry& e) { return e.value.get(); }
std::string jit_text(const JitEntry& e) { return str(*e.program); }
std::string jit_explain(const JitEntry& e) {
  std::string out = explain(e.prepared);
  if (!e.prepared.executable) return out;
  const std::vector<Donation> donations = e.prepared.executable->stats().donations;
  if (donations.empty()) return out;
  out += "\nDonated: all of it is deleted by the call\n\n";
  for (const Donation& d : donations) {
    const LeafSignature& leaf = e.leaves.at(static_cast<std::size_t>(d.input));
    out += "  " + leaf.name + " " + leaf.type.str() +
           (d.output >= 0 ? ": output " + std::to_string(d.output) + " takes its memory\n"
                          : ": not reused: " + d.reason + "\n");
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
  const Program& p = *e.program;
  out.eqns = static_cast<int>(p.eqns.size());
  for (const Eqn& q : p.eqns) {
    for (const Atom& a : q.operands) out.bytes_accessed += static_cast<std::size_t>(p.type(a).nbytes());
    for (ValueId r : q.results) out.bytes_accessed += static_cast<std::size_t>(p.types[r].nbytes());
    out.flops += flops_of(p, q);
  }
  if (e.prepared.executable) {
    PlanStats s = e.prepared.executable->stats();
    out.tasks = s.tasks;
    out.kernels = s.kernels;
  }
  return out;
}

}  // namespace tutti::detail

namespace tutti {

std::string MemoryAnalysis::str() const {
  return "arguments " + std::to_string(argument_bytes) + " B, outputs " + std::to_string(output_bytes) +
         " B, temporaries " + std::to_string(temporary_bytes) + " B, peak " + std::to_string(peak_bytes) + " B";
}

}  // namespace tutti
