#include "tutti/base/config.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

#include "api/captures.hpp"
#include "backend/backend.hpp"
#include "base/environment.hpp"
#include "base/given_machine.hpp"
#include "base/recording.hpp"
#include "base/settings.hpp"
#include "mesh/platform.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::config {
namespace {

std::atomic<std::size_t> signatures{CacheBounds{}.signatures}, plans{CacheBounds{}.plans};
std::atomic<std::size_t> operations{CacheBounds{}.operations};

// The names of backends that were ever chosen, by number; the first is that of the environment. They live for ever, so
// that a reference to one stays good when another thread chooses anew.
struct Names {
  std::mutex mutex;
  std::deque<std::string> names;
};
Names& names() {
  static auto* all = [] {
    std::string wanted = environment::value(environment::backend);
    if (wanted.empty()) wanted = "cpu";
    tutti::backend(wanted);  // throws on an unknown name
    return new Names{{}, {wanted}};
  }();
  return *all;
}
settings::Word number_of_backend(const std::string& wanted) {
  tutti::backend(wanted);
  Names& all = names();
  std::lock_guard lock(all.mutex);
  const auto at = std::find(all.names.begin(), all.names.end(), wanted);
  const auto number = static_cast<settings::Word>(at - all.names.begin());
  if (at == all.names.end()) all.names.push_back(wanted);
  return number;
}

settings::Word setting_of_platform(const std::string& wanted) {
  const int number = platform_number(wanted);
  if (number < 0)
    raise<ValueError>("config::platform", "there is no platform '" + wanted + "'", "Name one of: cpu, simulated.");
  if (number > 0 && process_count() > 1)
    raise<UnsupportedError>("config::platform", "this job has several processes, and simulated devices are of one",
                            "Run one process.");
  return static_cast<settings::Word>(number) + 1;
}

// Of a setting that programs depend on.
void set_recorded(settings::Field field, settings::Word value, const char* what) {
  if (settings::get(field) != value) refuse_while_recording(what);
  settings::set(field, value);
}

}  // namespace

void isolation(OneOf<Isolation> m) {
  set_recorded(settings::per_device, m == Isolation::per_device, "config::isolation");
}
Isolation isolation() { return settings::get(settings::per_device) ? Isolation::per_device : Isolation::shared; }

void platform(const std::string& wanted) {
  set_recorded(settings::platform, setting_of_platform(wanted), "config::platform");
}
std::string platform() { return kPlatformNames[default_platform()]; }

void backend(const std::string& wanted) {
  set_recorded(settings::backend, number_of_backend(wanted), "config::backend");
}
const std::string& backend() {
  Names& all = names();
  const auto number = static_cast<std::size_t>(settings::get(settings::backend));
  std::lock_guard lock(all.mutex);
  return all.names[number];
}

void cache_bounds(const CacheBounds& bounds) {
  signatures = bounds.signatures;
  plans = bounds.plans;
  operations = bounds.operations;
}
CacheBounds cache_bounds() { return {signatures, plans, operations}; }

void debug_nans(bool on) { settings::set(settings::nans, on); }
bool debug_nans() { return settings::get(settings::nans) != 0; }
void debug_infs(bool on) { settings::set(settings::infs, on); }
bool debug_infs() { return settings::get(settings::infs) != 0; }

void notes(bool on) { settings::set(settings::no_notes, !on); }
bool notes() { return settings::get(settings::no_notes) == 0; }

void check_captures(bool on) { settings::set(settings::captures, on ? 1 : 2); }
bool check_captures() { return detail::captures_are_checked(); }

void threefry_partitionable(bool on) {
  set_recorded(settings::original_threefry, !on, "config::threefry_partitionable");
}
bool threefry_partitionable() { return settings::get(settings::original_threefry) == 0; }

unsigned long generation() { return settings::now() & settings::key; }

Scope::Scope(const Settings& wanted, Loc loc) : mask_(settings::of_thread.mask), bits_(settings::of_thread.bits) {
  CallScope scope(loc, Loc{"", "config::Scope"});
  settings::Own own = settings::of_thread;
  const auto put = [&](settings::Field field, settings::Word value) {
    own.mask |= field.mask();
    own.bits = (own.bits & ~field.mask()) | field.of(value);
  };
  if (wanted.x64) put(settings::x64, *wanted.x64);
  if (wanted.isolation) put(settings::per_device, *wanted.isolation == Isolation::per_device);
  if (wanted.backend) put(settings::backend, number_of_backend(*wanted.backend));
  if (wanted.platform) put(settings::platform, setting_of_platform(*wanted.platform));
  if (wanted.threefry_partitionable) put(settings::original_threefry, !*wanted.threefry_partitionable);
  if (wanted.machine) put(settings::machine, number_of(*wanted.machine, loc));
  if (wanted.debug_nans) put(settings::nans, *wanted.debug_nans);
  if (wanted.debug_infs) put(settings::infs, *wanted.debug_infs);
  if (wanted.check_captures) put(settings::captures, *wanted.check_captures ? 1 : 2);
  if (wanted.notes) put(settings::no_notes, !*wanted.notes);
  const settings::Word changed = ((settings::now() & ~own.mask) | own.bits) ^ settings::now();
  if (changed & settings::key & ~settings::machine.mask()) refuse_while_recording("config::Scope");
  settings::of_thread = own;
}
Scope::~Scope() { settings::of_thread = {mask_, bits_}; }

}  // namespace tutti::config

// SPDX-License-Identifier: Apache-2.0
