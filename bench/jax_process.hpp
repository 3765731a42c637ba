// JAX on the other side of a pipe: a Python that runs jax_side.py, and answers one case at a time.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>

namespace bench {

/// A Python that can import jax: `wanted`, or python3 when that is empty; nothing if it cannot.
std::optional<std::string> find_jax(const std::string& wanted);

class JaxProcess {
 public:
  JaxProcess(const std::string& python, const std::string& script, int devices);
  ~JaxProcess();
  JaxProcess(const JaxProcess&) = delete;
  JaxProcess& operator=(const JaxProcess&) = delete;

  /// Milliseconds of one round of that case; nothing when it has no such case or failed (then `error` says why).
  std::optional<double> round(const std::string& name, std::string& error);

 private:
  pid_t child_ = -1;
  std::FILE* ask_ = nullptr;
  std::FILE* answer_ = nullptr;
};

}  // namespace bench
