#include "tutti/base/machine.hpp"

#include <atomic>
#include <mutex>

#include "base/given_machine.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::config {
namespace {

struct Chosen {
  std::mutex mutex;
  Machine machine;
  std::atomic<unsigned long> generation = 0;  // read at each call of a jitted function
};
Chosen& chosen() {
  static auto* state = new Chosen;
  return *state;
}

void check_positive(double value, const std::string& what) {
  if (!(value > 0))
    raise<ValueError>("config::machine", what + " is " + std::to_string(value) + ", which is not positive",
                      "Give seconds, bytes a second, operations a second or a number of devices.");
}

void check_link(const Link& link, const std::string& what) {
  check_positive(link.bandwidth, "the bandwidth " + what);
  if (!(link.latency >= 0))
    raise<ValueError>("config::machine", "the latency " + what + " is " + std::to_string(link.latency),
                      "Give seconds, 0 or more.");
}

}  // namespace

void machine(const Machine& m, Loc loc) {
  CallScope scope(loc, Loc{"", "config::machine"});
  check_link(m.inside, "inside a host");
  check_link(m.between, "between hosts");
  for (const auto& [axis, link] : m.axes) check_link(link, "along '" + axis + "'");
  check_positive(m.flops, "flops");
  check_positive(m.memory, "the bandwidth of memory");
  check_positive(static_cast<double>(m.devices_per_host), "the number of devices per host");
  if (!(m.overlap >= 0 && m.overlap <= 1))
    raise<ValueError>("config::machine", "overlap is " + std::to_string(m.overlap), "Give a part, from 0 to 1.");
  std::lock_guard lock(chosen().mutex);
  if (chosen().machine == m) return;
  chosen().machine = m;
  ++chosen().generation;
}

Machine machine() {
  std::lock_guard lock(chosen().mutex);
  return chosen().machine;
}

std::optional<Machine> given_machine() {
  const Machine m = machine();
  return m == Machine() ? std::nullopt : std::optional(m);
}

unsigned long machine_generation() { return chosen().generation.load(std::memory_order_relaxed); }

}  // namespace tutti::config

// SPDX-License-Identifier: Apache-2.0
