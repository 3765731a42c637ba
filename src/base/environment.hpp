// The variables of the environment that tutti reads: one table, which docs/environment.md explains. Nothing else calls
// getenv for a TUTTI_ variable.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti {

struct EnvironmentVariable {
  const char* name;
  const char* values;   // how they are written
  const char* meaning;  // one line
};

namespace environment {

extern const EnvironmentVariable backend, check, collective_timeout, cpu_devices, cpu_ir, cpu_isa, dump, job_process,
    log, mpi_module, num_threads, spin_us, wait_limit;

/// The whole table, by name.
std::span<const EnvironmentVariable* const> all();
/// The value now, "" when it is not set. Who asks often keeps the answer.
std::string value(const EnvironmentVariable& variable);
/// Whether `word` is one of the comma-separated words of the value.
bool has_word(const EnvironmentVariable& variable, std::string_view word);

}  // namespace environment
}  // namespace tutti
