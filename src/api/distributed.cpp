#include "api/distributed.hpp"

#include <algorithm>
#include <mutex>

#include "ir/op.hpp"
#include "isolation/per_device.hpp"
#include "mesh/checks.hpp"
#include "ops/placement/inspect_sharding.hpp"
#include "partition/explain.hpp"
#include "partition/partition.hpp"
#include "propagate/propagate.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

// A program that computes with a committed input, or in which a constraint or region names devices, commits all that it
// computes, as in JAX. An input that is handed on is as it came.
std::vector<bool> committed_outputs(const Program& p, const std::vector<Placement>& placements) {
  std::vector<char> committed(p.types.size(), 0), is_input(p.types.size(), 0);
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    committed[p.inputs[i]] = placements[i].committed;
    is_input[p.inputs[i]] = 1;
  }
  bool any = false;
  for (const Eqn& e : p.eqns) {
    any = any || e.op->name == "sharding_constraint" || e.op->name == "shard_map";
    for (const Atom& a : e.operands) any = any || (!a.is_literal() && committed[a.id]);
  }
  std::vector<bool> out;
  for (const Atom& a : p.outputs) {
    bool handed_on = !a.is_literal() && is_input[a.id];
    out.push_back(handed_on ? committed[a.id] : any);
  }
  return out;
}

class Propagated final : public Distributed {
 public:
  Propagated(ShardedProgram sharded, std::vector<bool> committed, bool isolated)
      : sharded_(std::move(sharded)), committed_(std::move(committed)), isolated_(isolated) {}
  std::vector<Sharding> out_shardings() const override { return sharded_.output_shardings; }
  std::vector<bool> out_committed() const override { return committed_; }
  bool isolated() const override { return isolated_; }
  ProgramPtr global_program() const override { return sharded_.program; }
  std::vector<BufferPtr> run(const std::vector<BufferPtr>& inputs) override {
    const LocalProgram& program = local();
    run::IsolatedRun isolated = run::run_per_device(program, inputs);
    std::lock_guard lock(mutex_);
    sent_ = {isolated.sent.bytes(), isolated.sent.messages()};
    return std::move(isolated.outputs);
  }
  std::string explain() override {
    const LocalProgram& program = local();
    std::lock_guard lock(mutex_);
    return tutti::explain(program, sent_);
  }

 private:
  // Partition over all axes runs on demand only: for explain and in isolation.
  const LocalProgram& local() {
    std::call_once(partitioned_, [&] { local_ = partition(sharded_); });
    return local_;
  }

  ShardedProgram sharded_;
  std::vector<bool> committed_;
  bool isolated_;
  std::once_flag partitioned_;
  LocalProgram local_;
  std::mutex mutex_;
  Sent sent_;  // by the last run
};

}  // namespace

std::shared_ptr<Distributed> distribute(const ProgramPtr& program, const std::vector<Placement>& placements,
                                        const ExecuteOptions& options) {
  std::vector<Placed> placed;
  std::vector<Sharding> inputs;
  bool any = false;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const Placement& p = placements[i];
    inputs.push_back(p.committed || (p.sharding.has_value() && p.sharding.num_devices() > 1) ? p.sharding : Sharding());
    any = any || inputs.back().has_value();
    if (p.committed)
      placed.push_back({argument_text(p.name, options.what, program->types[program->inputs[i]]), p.sharding, {}});
  }
  for (Placed& p : placed_inside(*program)) {
    placed.push_back(std::move(p));
    any = true;
  }
  for (const Sharding& s : options.out_shardings)
    if (s.has_value()) {
      placed.push_back({"explicit output sharding with", s, {}});
      any = true;
    }
  if (!any) return nullptr;
  for (const Placed& p : placed) check_exist(p.sharding, {options.what.c_str()});
  check_devices(placed);
  std::vector<bool> committed = committed_outputs(*program, placements);
  for (std::size_t i = 0; i < options.out_shardings.size(); ++i)
    if (options.out_shardings[i].has_value()) committed[i] = true;
  ShardedProgram sharded = propagate(program, inputs, options.out_shardings);
  for (const Inspection& i : sharded.inspections) i.params.get<ops::InspectSharding>().inspector(i.sharding, i.shape);
  for (std::size_t i = 0; i < committed.size(); ++i)
    if (!committed[i]) sharded.output_shardings[i] = {};
  bool isolated = config::isolation() == Isolation::per_device && sharded.mesh.has_value() && sharded.mesh.size() > 1;
  return std::make_shared<Propagated>(std::move(sharded), std::move(committed), isolated);
}

}  // namespace tutti
