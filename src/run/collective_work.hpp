// A collective of a LocalProgram between processes.
#pragma once

#include <memory>
#include <vector>

#include "ir/collective.hpp"
#include "mesh/places.hpp"
#include "run/executor.hpp"

namespace tutti::run {

/// What this process sends and gets for one collective Eqn. Blocks that are dense in memory are sent from where they
/// lie and land where they belong; the others are packed. It is started, and goes on while later steps run.
class CollectiveWork final : public Work {
 public:
  /// `channel`: no other collective of the program has it. It is counted on from the program's number.
  CollectiveWork(compile::CallEqn call, const Places& places, int channel);
  std::unique_ptr<UnderWay> start(char* const* at) const override;
  void run(char* const* at, int task) const override;

 private:
  class Run;

  compile::CallEqn call_;
  int channel_;
  std::vector<int> group_;  // processes, by position in the group
  std::int64_t me_ = 0;
  std::vector<Round> rounds_;
  std::string what_, axes_;
  Received received_;  // by one run
};

/// The group of `eqn` that this process is in: positions of `places.mesh`, row-major over the group's axes.
std::vector<std::int64_t> group_here(const Eqn& eqn, const Places& places);

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
