#include "tutti/base/config.hpp"

#include <atomic>
#include <mutex>
#include <set>

#include "backend/backend.hpp"
#include "base/environment.hpp"
#include "base/given_machine.hpp"
#include "base/recording.hpp"
#include "tutti/base/dtype.hpp"

namespace tutti::config {
namespace {

std::atomic<Isolation> mode{Isolation::shared};
std::atomic<unsigned long> changes{0};
std::atomic<bool> partitionable{true};

std::atomic<bool> no_nans{false}, no_infs{false};
std::atomic<bool> wants_notes{true};
std::atomic<std::size_t> signatures{CacheBounds{}.signatures}, plans{CacheBounds{}.plans};
std::atomic<std::size_t> operations{CacheBounds{}.operations};

// Names live for ever, so that a reference to one stays good when another thread chooses anew.
const std::string* remembered(const std::string& name) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string>;
  std::lock_guard lock(mutex);
  return &*names->insert(name).first;
}
std::atomic<const std::string*>& chosen() {
  static std::atomic<const std::string*> name = [] {
    std::string wanted = environment::value(environment::backend);
    if (wanted.empty()) wanted = "cpu";
    tutti::backend(wanted);  // throws on an unknown name
    return remembered(wanted);
  }();
  return name;
}

}  // namespace

void isolation(OneOf<Isolation> m) {
  if (mode != m) refuse_while_recording("config::isolation");
  if (mode.exchange(m) != m) ++changes;
}
Isolation isolation() { return mode; }

void backend(const std::string& wanted) {
  tutti::backend(wanted);
  const std::string* name = remembered(wanted);
  if (chosen() != name) refuse_while_recording("config::backend");
  if (chosen().exchange(name) != name) ++changes;
}
const std::string& backend() { return *chosen().load(); }

void cache_bounds(const CacheBounds& bounds) {
  signatures = bounds.signatures;
  plans = bounds.plans;
  operations = bounds.operations;
}
CacheBounds cache_bounds() { return {signatures, plans, operations}; }

void debug_nans(bool on) { no_nans = on; }
bool debug_nans() { return no_nans.load(std::memory_order_relaxed); }
void debug_infs(bool on) { no_infs = on; }
bool debug_infs() { return no_infs.load(std::memory_order_relaxed); }

void notes(bool on) { wants_notes = on; }
bool notes() { return wants_notes; }

void threefry_partitionable(bool on) {
  if (partitionable != on) refuse_while_recording("config::threefry_partitionable");
  partitionable = on;
}
bool threefry_partitionable() { return partitionable; }

unsigned long generation() {
  return (changes.load(std::memory_order_relaxed) + machine_generation()) * 4 + partitionable * 2u + x64_enabled();
}

}  // namespace tutti::config

// SPDX-License-Identifier: Apache-2.0
