#include "api/pipeline.hpp"

#include "api/execute.hpp"
#include "ir/op.hpp"
#include "ir/passes.hpp"
#include "isolation/per_device.hpp"
#include "mesh/checks.hpp"
#include "partition/explain.hpp"
#include "partition/partition.hpp"
#include "transform/inline_calls.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

// Whoever inspects values is told once, here, where the layouts stand.
void tell_inspectors(const ShardedProgram& sharded) {
  for (const Inspection& i : sharded.inspections) {
    const Sharding where = i.sharding.has_value() ? i.sharding : SingleDeviceSharding(devices()[0]);
    i.op->inspect(i.params, where, i.shape);
  }
}

// The axes along which devices have memories of their own.
BoundaryAxes boundary_of(const Mesh& mesh) {
  const bool isolated = config::isolation() == Isolation::per_device && mesh.has_value() && mesh.size() > 1;
  return isolated ? BoundaryAxes::every() : BoundaryAxes::none();
}

}  // namespace

// callable --trace--> Program --transform--> Program --propagate--> ShardedProgram --partition--> LocalProgram
// --compile--> Executable: what is traced and transformed comes in as `recorded`. Plans are compiled once for equal
// local programs, in passes that compile/pipeline.cpp lists.
Prepared prepare(const ProgramPtr& recorded, std::vector<Placement> inputs, const ExecuteOptions& options) {
  PassesOf passes(options.what);
  const ProgramPtr program = run_pass("inline", inline_calls, recorded);
  ShardedProgram sharded = run_pass("propagate", [&] {
    return propagate(program, Asked{std::move(inputs), options.out_shardings, options.what});
  });
  if (sharded.mesh.has_value()) check_exist(NamedSharding(sharded.mesh, P()), {options.what.c_str()});
  tell_inspectors(sharded);
  const BoundaryAxes boundary = boundary_of(sharded.mesh);
  const LocalProgram local = run_pass("partition", partition, sharded, boundary, choose);

  Prepared out;
  out.what = options.what;
  out.program = sharded.program;
  out.executable =
      boundary.any() ? simulated_devices().compile(local, options.donatable) : compiled(local, options.donatable);
  out.out_types = recorded->output_types();
  out.out_shardings = sharded.output_shardings;
  out.out_committed = sharded.output_committed;
  if (sharded.mesh.has_value()) out.sharded = std::make_shared<ShardedProgram>(std::move(sharded));
  return out;
}

std::string explain(const Prepared& prepared) {
  if (!prepared.sharded) return "One device: nothing is split, nothing is sent.\n";
  return explain(partition(*prepared.sharded, BoundaryAxes::every()), prepared.executable->sent());
}

}  // namespace tutti
