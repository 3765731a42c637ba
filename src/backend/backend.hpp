// What stands behind a Program: a backend compiles it, the executable runs it on buffers. Nothing above sees more than
// this.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array/buffer.hpp"
#include "ir/program.hpp"

namespace tutti {

/// What became of one donated input: reused in place by an output, or why not.
struct Donation {
  int input = 0;
  int output = -1;     // the output that takes its memory, or -1
  std::string reason;  // when not reused
};

/// Figures of one compiled Program.
struct PlanStats {
  std::size_t argument_bytes = 0, output_bytes = 0;
  std::size_t temporary_bytes = 0;  // the slab of intermediate values
  std::size_t peak_bytes = 0;       // arguments + outputs + temporaries - donated and reused
  int tasks = 0, kernels = 0;       // tasks of one run; different machine code bodies
  int fallbacks = 0;                // Eqns run by their op's eval
  double compile_ms = 0;
  std::vector<Donation> donations;  // of the inputs that compile() was told may be donated
};

class Executable {
 public:
  virtual ~Executable() = default;
  /// One dense row-major buffer per program input, in order; gives one per output. donated[i] (empty: none): the caller
  /// gives input i up, and an output may take its memory if the caller's share is the only one. Outputs never alias
  /// inputs that are not donated, except that an output that IS an input (or a reshape of it) shares its buffer. Safe
  /// to call from several threads at once.
  virtual std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool> donated = {}) = 0;
  /// The plan, printable.
  virtual std::string text() const = 0;
  virtual PlanStats stats() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// `donatable[i]` (empty: none): input i may come donated; run() decides each time. CompileError names what cannot be
  /// compiled.
  virtual std::shared_ptr<Executable> compile(const Program& program, const std::vector<bool>& donatable = {}) = 0;
};

/// "cpu" or "reference"; ValueError lists the names.
Backend& backend(std::string_view name);

/// Threads that runs may use, the caller included; 0: as many as this process has cores. Results do not depend on it.
void set_num_threads(int n);
int num_threads();

}  // namespace tutti
