#include "api/pipeline.hpp"

#include "api/execute.hpp"
#include "device/client.hpp"
#include "distributed/agree.hpp"
#include "distributed/job.hpp"
#include "ir/op.hpp"
#include "ir/passes.hpp"
#include "mesh/checks.hpp"
#include "mesh/places.hpp"
#include "partition/at_place.hpp"
#include "partition/between.hpp"
#include "partition/partition.hpp"
#include "partition/send_early.hpp"
#include "run/transport.hpp"
#include "simulated/client.hpp"
#include "transform/complex_parts.hpp"
#include "transform/inline_calls.hpp"
#include "tutti/base/config.hpp"
#include "tutti/distributed/distributed.hpp"

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
BoundaryAxes boundary_of(const Mesh& mesh, const Client* client) {
  const bool apart = client || config::isolation() == Isolation::per_device;
  return apart && mesh.has_value() && mesh.size() > 1 ? BoundaryAxes::every() : BoundaryAxes::none();
}

// What each device runs. Bodies of manual regions name no axes any more: their complex numbers go by parts, too, unless
// that would make a message needless, as each has its Cause.
LocalProgram partitioned(const ShardedProgram& sharded, const BoundaryAxes& boundary) {
  LocalProgram local = partition(sharded, boundary, Chooser());
  const ProgramPtr by_parts = run_pass(PassId::local_complex_parts, complex_parts, local.program);
  if (count_sends(*by_parts) == count_sends(*local.program)) local.program = by_parts;
  return local;
}

// Several processes: what each runs is the part of a program that all have in common.
LocalProgram common_program(const ShardedProgram& sharded, const std::shared_ptr<const Places>& places,
                            const std::vector<Sharding>& inputs, const std::string& what, int& number) {
  const ShardedProgram seen = run_pass(PassId::between, [&] { return between_processes(sharded, places, inputs); });
  LocalProgram local = run_pass(PassId::partition, partitioned, seen, BoundaryAxes::every());
  if (count_sends(*local.program) == 0) return local;
  local = scheduled(std::move(local));
  const std::uint64_t text =
      distributed::check_same(common_text(local, sharded.mesh), what.c_str(), "the program of '" + what + "'");
  number = 1 + static_cast<int>(text % (run::Transport::kProgramChannels - 1));
  return local;
}

}  // namespace

std::string common_text(const LocalProgram& between, const Mesh& mesh) {
  return distributed::described(NamedSharding(mesh, P())) + "\n" + str(between);
}

// callable --trace--> Program --transform--> Program --propagate--> ShardedProgram --partition--> LocalProgram
// --compile--> Executable: what is traced and transformed comes in as `recorded`. Plans are compiled once for equal
// local programs. All passes on the way are in ir/pass_list.cpp, in order.
Prepared prepare(const ProgramPtr& recorded, std::vector<Placement> inputs, const ExecuteOptions& options) {
  distributed::tell_if_alone();
  PassesOf passes(options.what);
  const ProgramPtr program = inline_calls(recorded);
  std::vector<Sharding> lying;
  if (process_count() > 1)
    for (const Placement& p : inputs) lying.push_back(p.sharding);
  ShardedProgram sharded = run_pass(PassId::propagate, [&] {
    return propagate(program, Asked{std::move(inputs), options.out_shardings, options.what});
  });
  if (sharded.mesh.has_value()) check_exist(NamedSharding(sharded.mesh, P()), {options.what.c_str()});
  tell_inspectors(sharded);
  if (options.check && sharded.mesh.has_value()) options.check(std::make_shared<ShardedProgram>(sharded));

  Prepared out;
  out.what = options.what;
  out.program = sharded.program;
  if (const std::shared_ptr<const Places> places = places_of(sharded.mesh)) {
    out.between = std::make_shared<LocalProgram>(common_program(sharded, places, lying, options.what, out.number));
    out.executable = compiled(run_pass(PassId::at_place, at_place, *out.between, *places), options.donatable);
  } else {
    Client* const client = client_of(sharded.mesh);
    const BoundaryAxes boundary = boundary_of(sharded.mesh, client);
    LocalProgram local = run_pass(PassId::partition, partitioned, sharded, boundary);
    if (client && !sharded.mesh.has_value()) local.mesh = mesh_of(SingleDeviceSharding(devices()[0]));
    out.executable = client           ? client->backend().compile(local, options.donatable)
                     : boundary.any() ? simulated::isolated().compile(local, options.donatable)
                                      : compiled(local, options.donatable);
    out.on_host = !client;
  }
  out.out_types = recorded->output_types();
  out.out_shardings = sharded.output_shardings;
  out.out_committed = sharded.output_committed;
  if (sharded.mesh.has_value()) out.sharded = std::make_shared<ShardedProgram>(std::move(sharded));
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
