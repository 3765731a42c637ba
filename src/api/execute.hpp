// One Program with placements, ready to run. What enters: a Program, where its inputs lie, options. What leaves:
// arrays. The composition root: the only place that sees every stage.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/pinned.hpp"
#include "backend/backend.hpp"
#include "ir/program.hpp"
#include "tutti/array/array.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// Where one input lies. An empty sharding: on the default device.
struct Placement {
  Sharding sharding;
  bool committed = false;
  std::string name;  // for errors: "x1" or "params.layers[0].weight"
  friend bool operator==(const Placement& a, const Placement& b) {
    return a.sharding == b.sharding && a.committed == b.committed;
  }
};

struct ExecuteOptions {
  std::string what = "jitted computation";  // for errors
  std::vector<Sharding> out_shardings;      // per output, empty ones are open; or nothing at all
  std::vector<bool> donatable;              // per input
};

class Distributed;  // propagated and partitioned forms; src/api/distributed.hpp

/// A Program compiled for given placements. Immutable; may run on several threads.
struct Prepared {
  ProgramPtr program;
  std::shared_ptr<Executable> executable;
  std::vector<Type> out_types;
  std::vector<Sharding> out_shardings;  // empty: default device
  std::vector<bool> out_committed;
  std::shared_ptr<Distributed> distributed;  // when some placement has several devices
  ExecuteOptions options;
};

/// Checks devices (DeviceError names both arguments), decides output shardings, compiles (plans are shared by content).
Prepared prepare(ProgramPtr program, const std::vector<Placement>& placements, ExecuteOptions options = {});
/// Runs on concrete inputs. donated[i] (empty: none): input i has been given up by its owner, and is deleted by by[i].
std::vector<Array> execute(const Prepared& prepared, std::span<const Array> inputs, std::span<const bool> donated = {},
                           const Takers& by = {});
Placement placement_of(const Array& x);

/// How many programs this thread has run, how many plans the process keeps, how many eager operations this thread.
std::size_t programs_run();
std::size_t plans_kept();
std::size_t operations_kept();

}  // namespace tutti
