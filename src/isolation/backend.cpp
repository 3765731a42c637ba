// The simulator behind the interface of a backend: nothing is compiled, the LocalProgram itself is what runs.
#include <mutex>

#include "isolation/per_device.hpp"

namespace tutti {
namespace {

class SimulatedExecutable final : public Executable {
 public:
  explicit SimulatedExecutable(const LocalProgram& program) : program_(program) {
    const auto devices = static_cast<std::size_t>(program.mesh.size());
    for (const Type& t : program.program->input_types())
      stats_.argument_bytes += devices * static_cast<std::size_t>(t.nbytes());
    for (const Type& t : program.program->output_types())
      stats_.output_bytes += devices * static_cast<std::size_t>(t.nbytes());
    stats_.peak_bytes = stats_.argument_bytes + stats_.output_bytes;
    stats_.tasks = stats_.fallbacks = static_cast<int>(program.program->eqns.size() * devices);
  }

  std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool>) override {
    run::IsolatedRun done = run::run_per_device(program_, inputs);
    std::lock_guard lock(mutex_);
    sent_ = {done.sent.bytes(), done.sent.messages()};
    return std::move(done.outputs);
  }
  std::string text() const override { return str(program_); }
  PlanStats stats() const override { return stats_; }
  Sent sent() const override {
    std::lock_guard lock(mutex_);
    return sent_;
  }

 private:
  LocalProgram program_;
  PlanStats stats_;
  mutable std::mutex mutex_;
  Sent sent_;  // by the last run
};

class SimulatedDevices final : public Backend {
 public:
  std::string_view name() const override { return "per_device"; }
  std::shared_ptr<Executable> compile(const LocalProgram& program, const std::vector<bool>&) override {
    return std::make_shared<SimulatedExecutable>(program);
  }
};

}  // namespace

Backend& simulated_devices() {
  static auto& b = *new SimulatedDevices;
  return b;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
