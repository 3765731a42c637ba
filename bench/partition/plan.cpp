#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "ops/contraction/dot_general.hpp"
#include "partition/partition.hpp"
#include "partition/work.hpp"
#include "propagate/propagate.hpp"
#include "trace/trace.hpp"
#include "transform/inline_calls.hpp"

namespace bench {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double flops_of_product(const Program& p, const Eqn& e) {
  double out = 2.0 * static_cast<double>(p.type(e.results[0]).num_elements());
  const Shape& lhs = p.type(e.operands[0]).shape;
  for (std::int64_t d : e.params.get<ops::DotGeneral>().dims.lhs_contract)
    out *= static_cast<double>(lhs[static_cast<int>(d)]);
  return out;
}

int count_eqns(const Program& p) {
  int out = static_cast<int>(p.eqns.size());
  for (const Eqn& e : p.eqns)
    for (const ProgramPtr& sub : e.subs) out += count_eqns(*sub);
  return out;
}

}  // namespace

ProgramPtr recorded_program(const std::vector<Type>& inputs, const Function& body) {
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "bench", Loc{});
  TraceScope scope(trace);
  Arrays args;
  for (std::size_t i = 0; i < inputs.size(); ++i) args.push_back(trace->input(inputs[i], "in" + std::to_string(i)));
  Traced traced = trace->close(body(args));
  if (!traced.captured.empty()) throw InternalError("bench: a program of the table captures arrays");
  return inline_calls(traced.program);
}

double product_flops(const Program& program) {
  double out = 0;
  for (const Eqn& e : program.eqns) {
    if (e.op == &ops::dot_general) out += flops_of_product(program, e);
    out += in_sub_programs(e, product_flops);
  }
  return out;
}

std::string collectives_text(const LocalProgram& local) {
  std::map<std::pair<std::string, std::int64_t>, std::pair<std::int64_t, double>> sums;
  for (const Cause& c : local.causes) {
    auto& [count, bytes] = sums[{c.kind, c.group}];
    count += c.times;
    bytes += static_cast<double>(c.times) * c.bytes;
  }
  std::string out;
  for (const auto& [key, sum] : sums)
    out += fmt::format("{}{}x {}({}) {:.0f}", out.empty() ? "" : "; ", sum.first, key.first, key.second, sum.second);
  return out;
}

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", std::round(number));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

Mesh mesh_of(const MeshAxes& axes) { return make_mesh(axes.sizes, Names(axes.names)); }
std::vector<Sharding> input_shardings(const Row& row) {
  std::vector<Sharding> out;
  for (const Input& i : row.inputs) out.push_back(NamedSharding(mesh_of(row.mesh), i.spec));
  return out;
}
std::vector<Sharding> output_shardings(const Row& row) {
  std::vector<Sharding> out;
  for (const PartitionSpec& s : row.outputs) out.push_back(NamedSharding(mesh_of(row.mesh), s));
  return out;
}

Plan plan_of(const ProgramPtr& program, const std::vector<Sharding>& inputs, const std::vector<Sharding>& outputs) {
  Plan out;
  out.program = program;
  out.eqns = count_eqns(*program);
  out.planning = seconds_of([&] { out.local = partition(propagate(program, inputs, outputs)); });
  verify(out.local);
  out.bytes = total_bytes(out.local);
  const double whole = product_flops(*program);
  if (whole > 0) out.inflation = product_flops(*out.local.program) * static_cast<double>(out.local.mesh.size()) / whole;
  out.collectives = collectives_text(out.local);
  return out;
}

namespace {

ProgramPtr program_of(const Row& row) {
  std::vector<Type> types;
  for (const Input& i : row.inputs) types.push_back({i.dtype, i.shape, false, {}});
  return recorded_program(types, row.program);
}

}  // namespace

Proof proof_of(const Row& row) {
  return prove(propagate(program_of(row), input_shardings(row), output_shardings(row)));
}

Plan plan_of(const Row& row) {
  ProgramPtr program;
  const double recording = seconds_of([&] { program = program_of(row); });
  Plan out = plan_of(program, input_shardings(row), output_shardings(row));
  out.recording = recording;
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
