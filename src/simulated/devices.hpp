// The devices of a mesh, simulated in lockstep: each Eqn on all of them, then the next. Where a condition differs from
// device to device, on those that it holds on.
#pragma once

#include <vector>

#include "device/buffer.hpp"
#include "ir/loop_form.hpp"
#include "ir/program.hpp"
#include "tutti/debug/traffic.hpp"
#include "tutti/mesh/mesh.hpp"

namespace tutti::simulated {

/// The number of the device at a position of the mesh: its memory is memory_of(that).
int device_number(const Mesh& mesh, std::int64_t position);

using Blocks = std::vector<BufferPtr>;  // one per device, in its memory; empty on devices that do not take part

class Devices {
 public:
  /// Counts in `sent` what is sent.
  Devices(const Mesh& mesh, Traffic& sent);
  std::vector<Blocks> run(const Program& program, std::vector<Blocks> inputs);

 private:
  using Some = std::vector<int>;  // devices, in order

  std::vector<Blocks> run(const Program& program, std::vector<Blocks> inputs, const Some& on);
  std::vector<Blocks> step(const Program& p, const Eqn& e, const std::vector<Blocks>& operands, const Some& on);
  std::vector<Blocks> collective(const Program& p, const Eqn& e, const std::vector<Blocks>& operands, const Some& on);
  std::vector<Blocks> loop(const Program& p, const Eqn& e, const std::vector<Blocks>& operands, const Some& on);
  std::vector<Blocks> branch(const Program& p, const Eqn& e, const std::vector<Blocks>& operands, const Some& on);
  // The groups that take part; UnsupportedError where one that sends does so in part.
  std::vector<std::vector<int>> groups(const Eqn& e, const Some& on) const;
  std::vector<Blocks> new_results(const Program& p, const Eqn& e, const Some& on) const;
  Blocks new_blocks(const Type& type, const Some& on) const;

  const Mesh& mesh_;
  Traffic& sent_;
};

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
