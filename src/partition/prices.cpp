#include "partition/prices.hpp"

#include <algorithm>

#include "base/given_machine.hpp"

namespace tutti {

// Of what an operation reads and writes about a quarter goes through memory: the rest is computed in one loop with its
// neighbours. So an element costs a byte.
Prices::Prices(const Machine& machine, const Mesh& mesh)
    : model_(CostModel(machine, mesh)), unit_(std::max(machine.inside.bandwidth, machine.between.bandwidth)) {
  for (const auto& [axis, link] : machine.axes) unit_ = std::max(unit_, link.bandwidth);
  operation_ = unit_ / machine.flops;
  element_ = unit_ / machine.memory;
}

Prices Prices::of(const Mesh& mesh) {
  const std::optional<Machine> machine = config::given_machine();
  return machine ? Prices(*machine, mesh) : Prices();
}

double Prices::byte(const AxisRefs& axes) const { return model_ ? unit_ * model_->sending(1, 0, axes) : 1; }

double Prices::collective(double messages, const AxisRefs& axes) const {
  constexpr double of_bytes = 16;
  return model_ ? of_bytes + unit_ * model_->sending(0, messages, axes) : of_bytes;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
