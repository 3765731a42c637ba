// From a recorded Program to what runs: the one road of every program, jitted or eager, for one device or many.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "propagate/propagate.hpp"

namespace tutti {

struct ExecuteOptions {
  std::string what = "jitted computation";  // for errors
  std::vector<Sharding> out_shardings;      // per output, empty ones are open; or nothing at all
  std::vector<bool> donatable;              // per input
  // Sees what devices will do before it is compiled, and throws where that is not allowed; only where devices are
  // named.
  std::function<void(const std::shared_ptr<const ShardedProgram>&)> check;
};

/// A Program compiled for given placements. Immutable; may run on several threads.
struct Prepared {
  std::string what;    // for errors
  ProgramPtr program;  // as it was propagated
  std::shared_ptr<Executable> executable;
  bool on_host = true;  // it reads host memory: of a platform without a client
  std::vector<Type> out_types;
  std::vector<Sharding> out_shardings;  // empty: default device
  std::vector<bool> out_committed;
  std::shared_ptr<const ShardedProgram> sharded;  // where devices are named: for explain
  std::shared_ptr<const LocalProgram> between;    // what each process runs, where there are several
  int number = 0;                                 // of what processes have in common, where it sends (by its text)
};

/// The text of a program that processes have in common, with the devices of its mesh in their order.
std::string common_text(const LocalProgram& between, const Mesh& mesh);

/// Every stage once, in order. DeviceError names the two that disagree about devices.
Prepared prepare(const ProgramPtr& recorded, std::vector<Placement> inputs, const ExecuteOptions& options = {});
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
