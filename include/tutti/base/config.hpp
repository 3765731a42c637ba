// Settings of the process. They are part of every cache key.
#pragma once

#include <cstddef>
#include <string>

#include "tutti/base/choice.hpp"

namespace tutti {

/// Separation of the devices of this process. `shared`: nothing, one program runs for all of them. `per_device`: every
/// device has its own buffers and runs the fully partitioned program, messages are copied and counted (slow: for tests,
/// teaching, byte counts).
enum class Isolation { shared, per_device };
constexpr Choices choices_of(Isolation) { return {"config::isolation", "mode", "shared per_device"}; }

namespace config {

void isolation(OneOf<Isolation> mode);
Isolation isolation();

/// "cpu" (default) or "reference": every op by its plain definition, no code generation. Also TUTTI_BACKEND. Throws
/// ValueError on another name.
void backend(const std::string& name);
const std::string& backend();

/// How random keys and bits are laid out: true (default) as JAX since 0.5, where each element depends on its own
/// position alone; false as before.
void threefry_partitionable(bool on);
bool threefry_partitionable();

/// How much is kept of what was compiled. Beyond that the least recently used goes first; what is in use stays.
struct CacheBounds {
  std::size_t signatures = 4096;  // of each jit
  std::size_t plans = 1024;       // programs of the process, shared by whoever compiles the same again
  std::size_t operations = 4096;  // outside of jit, of each thread
};
void cache_bounds(const CacheBounds& bounds);
CacheBounds cache_bounds();

/// Makes a call whose results hold a NaN raise FloatingPointError. The program is then run again, operation by
/// operation, and the error names the first one that made a NaN of numbers, its line and the step of the loop around
/// it. Nothing of a donated argument is written over meanwhile. Calls that are fine are checked, and cost a look at
/// their results. Source: jax.config.jax_debug_nans.
void debug_nans(bool on);
bool debug_nans();
/// The same of infinities. Source: jax.config.jax_debug_infs.
void debug_infs(bool on);
bool debug_infs();

/// Notes to stderr: one when a jit compiles for the third time for another value or shape. On, unless this says false
/// or TUTTI_LOG=quiet.
void notes(bool on);
bool notes();

/// A number that changes with every setting, x64 included.
unsigned long generation();

}  // namespace config
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
