// Settings: of the process, and of a thread for a while (Scope). Those that programs depend on are part of every cache
// key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tutti/base/choice.hpp"
#include "tutti/base/machine.hpp"

namespace tutti {

/// Separation of the devices of this process. `shared`: nothing, one program runs for all of them. `per_device`: every
/// device has its own buffers and runs the fully partitioned program, messages are copied and counted (slow: for tests,
/// teaching, byte counts).
enum class Isolation { shared, per_device };
constexpr Choices choices_of(Isolation) { return {"config::isolation", "mode", "shared per_device"}; }

namespace config {

void isolation(OneOf<Isolation> mode);
Isolation isolation();

/// Whose devices devices() gives, and new arrays lie on: "cpu" (default), whose devices share the memory of the host,
/// or "simulated": devices with memories of their own, which host code cannot touch, in this process. Programs run on
/// them as on accelerators, with real transfers and messages, which are counted: a test bed, slow. Calls return when
/// they are enqueued (at most 256 are; then a call waits), unless they call a function of the user's; what goes wrong
/// is thrown where a value is read or waited for (Array::block_until_ready). Arrays of several platforms may be there
/// at once; a program is of one. Also TUTTI_PLATFORM. Throws ValueError on another name, UnsupportedError for simulated
/// devices of several processes. Source: jax.config.jax_platforms.
void platform(const std::string& name);
std::string platform();

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

/// Reports what a jitted function captured and what has changed since it was recorded: at each call the function is
/// recorded again, and where that gives another program, a warning names the line, the old value and the new one. The
/// call runs the program that is kept, as it does without the check. Calls take as long as recording does. On where
/// TUTTI_CHECK has the word `captures`, and in debug builds of tutti (preset dev) while TUTTI_CHECK is not set.
///
///     double rate = 0.1;
///     auto step = jit([&](const Array& x) { return x - rate * x; });
///     step(x);
///     rate = 0.5;
///     step(x);          // mul at train.cpp:2: 0.1 when recorded, 0.5 now
void check_captures(bool on);
bool check_captures();

/// Notes: one when a jit compiles for the third time for another value or shape, one for each place where an array of
/// float32 is made of a vector or span of doubles. On, unless this says false or TUTTI_LOG=quiet.
/// set_message_handler says where they go.
void notes(bool on);
bool notes();

/// A number for the settings that programs depend on, x64 included: equal settings have the same one.
unsigned long generation();

/// What a Scope sets; what is left out stays as it is.
struct Settings {
  std::optional<bool> x64{};  // enable_x64
  std::optional<Isolation> isolation{};
  std::optional<std::string> backend{};
  std::optional<std::string> platform{};
  std::optional<bool> threefry_partitionable{};
  std::optional<Machine> machine{};
  std::optional<bool> debug_nans{}, debug_infs{}, check_captures{}, notes{};
};

/// While it lives, its thread has these settings, and no other thread: a library may want x64 without changing what its
/// caller has. Scopes nest; the inner one wins. The threads that tutti starts for this one (of a loader, of a
/// checkpoint that is written) have them as well; threads of the user's do not.
///
///     Array solve(const Array& a, const Array& b) {
///       config::Scope scope({.x64 = true});
///       return linalg::solve(a.astype(float64), b.astype(float64)).astype(a.dtype());
///     }
///
/// enable_x64 and the functions above set what threads have outside of scopes. What was compiled under settings is
/// found again when they come back. Scopes end in reverse order, on the thread on which they began: they are variables
/// of blocks. Throws ValueError as those functions do: for another backend or platform, for a machine that cannot be,
/// and for another x64, isolation, platform, backend or layout of random bits while a function is being recorded.
/// Source: the context managers of jax (jax.enable_x64).
/// Threads: lives on the thread that made it.
class Scope {
 public:
  explicit Scope(const Settings& settings, Loc loc = Loc::current());
  ~Scope();
  Scope(const Scope&) = delete;

 private:
  std::uint64_t mask_, bits_;  // what the thread had before
};

}  // namespace config
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
