#include "tutti/base/machine.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/given_machine.hpp"
#include "base/settings.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::config {
namespace {

// All that were ever described, by number; the first is the default one.
struct Known {
  std::mutex mutex;
  std::deque<Machine> machines{Machine()};
};
Known& known() {
  static auto* all = new Known;
  return *all;
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

std::uint64_t number_of(const Machine& m, Loc loc) {
  CallScope scope(loc, Loc{"", "config::machine"});
  check_link(m.inside, "inside a host");
  check_link(m.between, "between hosts");
  for (const auto& [axis, link] : m.axes) check_link(link, "along '" + axis + "'");
  check_positive(m.flops, "flops");
  check_positive(m.memory, "the bandwidth of memory");
  check_positive(static_cast<double>(m.devices_per_host), "the number of devices per host");
  if (!(m.overlap >= 0 && m.overlap <= 1))
    raise<ValueError>("config::machine", "overlap is " + std::to_string(m.overlap), "Give a part, from 0 to 1.");
  std::lock_guard lock(known().mutex);
  std::deque<Machine>& all = known().machines;
  const auto at = std::find(all.begin(), all.end(), m);
  const auto number = static_cast<std::uint64_t>(at - all.begin());
  if (at == all.end()) all.push_back(m);
  return number;
}

void machine(const Machine& m, Loc loc) { settings::set(settings::machine, number_of(m, loc)); }

Machine machine() {
  const std::uint64_t number = settings::get(settings::machine);
  std::lock_guard lock(known().mutex);
  return known().machines[static_cast<std::size_t>(number)];
}

std::optional<Machine> given_machine() {
  const Machine m = machine();
  return m == Machine() ? std::nullopt : std::optional(m);
}

}  // namespace tutti::config

// SPDX-License-Identifier: Apache-2.0
