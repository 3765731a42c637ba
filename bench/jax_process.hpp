// JAX on the other side of a pipe: a Python that runs jax_side.py, and answers one case at a time.
#pragma once

#include <sys/types.h>

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

  /// Milliseconds of one round of that case; nothing when it has no such case or failed (then `error` says why). A JAX
  /// that dies is started anew, and asked once more; one that gives no answer in some minutes is only started anew.
  std::optional<double> round(const std::string& name, std::string& error);
  /// How often it was started anew.
  int restarts() const { return restarts_; }

 private:
  void start();
  void stop(bool at_once);
  /// A line of its output; nothing when it ended or took too long.
  std::optional<std::string> answer(const std::string& name);

  std::string python_, script_;
  int devices_, restarts_ = 0;
  bool hung_ = false;
  pid_t child_ = -1;
  int ask_ = -1, answer_ = -1;  // pipes
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
