// Seconds, of what is sent and of what is computed: the one place that turns counts into time.
#pragma once

#include <string>
#include <vector>

#include "mesh/layout.hpp"
#include "tutti/base/machine.hpp"

namespace tutti {

class CostModel {
 public:
  CostModel(Machine machine, Mesh mesh) : machine_(std::move(machine)), mesh_(std::move(mesh)) {}

  /// Until `messages` with `bytes` in all have come to a device from the others of its group along `axes`. The slowest
  /// of the axes counts for all of them.
  double sending(double bytes, double messages, const AxisRefs& axes) const;
  /// The same for whole axes by name, as Causes have them.
  double sending(double bytes, double messages, const std::vector<std::string>& axes) const;
  /// Until a device has done `flops` on `bytes` of its memory: units and memory work at the same time.
  double computing(double flops, double bytes) const;
  /// Of a step that does both.
  double together(double computing, double sending) const;

 private:
  Link link(const AxisRef& axis) const;
  Machine machine_;
  Mesh mesh_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
