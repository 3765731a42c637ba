// A Program whose inputs lie on several devices: its propagated form, and on demand its partitioned one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/execute.hpp"
#include "array/buffer.hpp"

namespace tutti {

class Distributed {
 public:
  virtual ~Distributed() = default;
  virtual std::vector<Sharding> out_shardings() const = 0;
  virtual std::vector<bool> out_committed() const = 0;
  /// Whether this process runs one local program per device (Isolation::per_device).
  virtual bool isolated() const = 0;
  /// What runs when no axis is a boundary: the program with its manual regions opened.
  virtual ProgramPtr global_program() const = 0;
  /// One run in isolation: scatters, runs every device in lockstep, gathers.
  virtual std::vector<BufferPtr> run(const std::vector<BufferPtr>& inputs) = 0;
  /// Planned collectives, with causes; and what this execution sends.
  virtual std::string explain() = 0;
};

/// Nothing when everything lies on one device. DeviceError when committed inputs disagree about the devices.
std::shared_ptr<Distributed> distribute(const ProgramPtr& program, const std::vector<Placement>& placements,
                                        const ExecuteOptions& options);

}  // namespace tutti
