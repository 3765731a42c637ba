// What stands behind a LocalProgram: a backend compiles it, the executable runs it on buffers. Nothing above sees more
// than this.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/stats.hpp"
#include "device/buffer.hpp"
#include "partition/local_program.hpp"

namespace tutti {

class Executable {
 public:
  virtual ~Executable() = default;
  /// One dense row-major buffer per program input, in order; gives one per output. donated[i] (empty: none): the caller
  /// gives input i up, and an output may take its memory if the caller's share is the only one. Outputs never alias
  /// inputs that are not donated, except that an output that IS an input (or a reshape of it) shares its buffer. Safe
  /// to call from several threads at once.
  virtual std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool> donated = {}) = 0;
  /// The same into empty places that the caller has, one per output.
  virtual void run_into(std::span<const BufferPtr> inputs, std::span<const bool> donated,
                        std::span<BufferPtr> results) {
    std::vector<BufferPtr> made = run(inputs, donated);
    std::move(made.begin(), made.end(), results.begin());
  }
  /// The plan, printable.
  virtual std::string text() const = 0;
  virtual PlanStats stats() const = 0;
  /// What a device received during the last run.
  virtual Sent sent() const { return {}; }
};

inline std::string str(const Executable& e) { return e.text(); }
inline std::string size_text(const Executable& e) {
  const PlanStats s = e.stats();
  return std::to_string(s.kernels) + " kernels, " + std::to_string(s.tasks) + " tasks";
}
inline void verify(const Executable&) {}

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// `donatable[i]` (empty: none): input i may come donated; run() decides each time. CompileError names what cannot be
  /// compiled.
  virtual std::shared_ptr<Executable> compile(const LocalProgram& program, const std::vector<bool>& donatable = {}) = 0;
};

/// "cpu" or "reference"; ValueError lists the names.
Backend& backend(std::string_view name);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
