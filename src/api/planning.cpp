#include "api/planning.hpp"

#include <map>
#include <mutex>

#include "compile/passes.hpp"
#include "ir/passes.hpp"
#include "mesh/mesh_node.hpp"
#include "partition/explain.hpp"
#include "partition/partition.hpp"
#include "propagate/why.hpp"
#include "transform/inline_calls.hpp"

namespace tutti::detail {
namespace {

// Answers about one request; those that were given are kept.
class Queries final : public PlanQueries {
 public:
  Queries(std::shared_ptr<const PlanRequest> request, std::shared_ptr<const ShardedProgram> sharded)
      : request_(std::move(request)), sharded_(std::move(sharded)) {}

  std::vector<Remedy> remedies(const Explanation& of, std::size_t collective) const override {
    std::lock_guard lock(mutex_);
    auto [at, fresh] = known_.try_emplace(collective);
    if (fresh) at->second = remedies_of(*request_, of, collective);
    return at->second;
  }
  std::string why(std::string_view value) const override { return tutti::why(*sharded_, value); }
  int quick() const override {
    const std::size_t eqns = sharded_->program->eqns.size();
    return eqns <= 60 ? 3 : eqns <= 200 ? 1 : 0;
  }

 private:
  std::shared_ptr<const PlanRequest> request_;
  std::shared_ptr<const ShardedProgram> sharded_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::vector<Remedy>> known_;
};

Planned planned(std::shared_ptr<const ShardedProgram> sharded, const Sent& sent) {
  Planned out;
  out.sharded = std::move(sharded);
  out.local = run_pass(PassId::partition, [&] { return partition(*out.sharded, BoundaryAxes::every()); });
  // Manual regions count as what all their devices do together.
  const LocalProgram whole = partition(*out.sharded, BoundaryAxes::none());
  out.report = explain(out.local, sent, whole.program.get());
  if (!out.sharded->mesh.has_value()) out.report.mesh.clear();
  return out;
}

Explanation finished(Planned plan, const std::shared_ptr<const PlanRequest>& request) {
  plan.report.memory = memory_of(plan.local, request->donatable);
  plan.report.queries = std::make_shared<Queries>(request, plan.sharded);
  return std::move(plan.report);
}

}  // namespace

Planned planned(const PlanRequest& request, const std::vector<Sharding>* inputs) {
  Asked asked{request.inputs, request.out_shardings, request.what};
  for (std::size_t i = 0; inputs && i < inputs->size(); ++i)
    if ((*inputs)[i].has_value()) asked.inputs[i] = {(*inputs)[i], true, request.inputs[i].name};
  PassesOf passes(request.what);
  const ProgramPtr program = inline_calls(request.program);
  return planned(
      std::make_shared<const ShardedProgram>(run_pass(PassId::propagate, [&] { return propagate(program, asked); })),
      {});
}

Explanation::Memory memory_of(const LocalProgram& local, const std::vector<bool>& donatable) {
  const compile::Plan plan = compile::compile(local, donatable);
  const PlanStats s = compile::stats_of(plan, donatable);
  auto bytes = [](std::size_t n) { return static_cast<double>(n); };
  return {bytes(s.argument_bytes), bytes(s.output_bytes), bytes(s.temporary_bytes), bytes(s.peak_bytes)};
}

Explanation report_of(std::shared_ptr<const PlanRequest> request) { return finished(planned(*request), request); }

Explanation report_of(std::shared_ptr<const PlanRequest> request, std::shared_ptr<const ShardedProgram> sharded,
                      const Sent& sent) {
  return finished(planned(std::move(sharded), sent), request);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
