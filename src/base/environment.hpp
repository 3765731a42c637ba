// The variables of the environment that tutti reads: one table, which docs/environment.md explains. Nothing else calls
// getenv for a TUTTI_ variable.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti {

struct EnvironmentVariable {
  /// What may be written, where it is looked at here: `words`: some of those between backquotes in `values`, separated
  /// by commas; the numbers are whole or not, from `least` on.
  enum class Kind { any, words, whole, real };
  const char* name;
  const char* values;   // how they are written
  const char* meaning;  // one line
  Kind kind = Kind::any;
  long least = 0;
};

namespace environment {

extern const EnvironmentVariable backend, check, collective_timeout, cpu_devices, cpu_ir, cpu_isa, dump, job_process,
    log, mpi_module, num_threads, passes, pin, platform, simulated, spin_us, wait_limit;

/// The whole table, by name.
std::span<const EnvironmentVariable* const> all();
/// The value now, "" when it is not set. Who asks often keeps the answer. The first question looks at all that is set:
/// names that begin with TUTTI_ and are not in the table are told on stderr (unless TUTTI_LOG is quiet), and a value
/// that means nothing is a ValueError, at every question.
std::string value(const EnvironmentVariable& variable);
/// The value of a variable that is a number, `otherwise` when it is not set.
double number(const EnvironmentVariable& variable, double otherwise);
/// What is wrong with a value of a variable, "" for nothing.
std::string problem(const EnvironmentVariable& variable, std::string_view value);
/// The name in the table that a wrong one is likest to.
const char* nearest(std::string_view name);
/// Of these names (at least one).
std::string_view nearest(std::string_view name, std::span<const std::string_view> names);
/// Whether `word` is one of the comma-separated words of the value.
bool has_word(const EnvironmentVariable& variable, std::string_view word);

}  // namespace environment
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
