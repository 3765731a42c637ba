// Exceptions: every user error is one of these. The text names operation, arguments, shapes, the user's line, and a way
// out.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace tutti {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A value that cannot be used: JAX's ValueError.
struct ValueError : Error {
  using Error::Error;
};
/// Shapes that do not fit together.
struct ShapeError : ValueError {
  using ValueError::ValueError;
};
/// A spec or sharding that does not fit its mesh or array.
struct ShardingError : ValueError {
  using ValueError::ValueError;
};
/// Devices that cannot be used together, or too few of them.
struct DeviceError : ValueError {
  using ValueError::ValueError;
};
/// An argument of the wrong kind or dtype.
struct TypeError : Error {
  using Error::Error;
};
struct IndexError : Error {
  using Error::Error;
};
/// An axis name that is not bound here.
struct NameError : Error {
  using Error::Error;
};
/// A traced array used where a value is needed, or after its trace has ended.
struct TracerError : Error {
  using Error::Error;
};
/// An array that was deleted or donated.
struct DeletedError : Error {
  using Error::Error;
};
/// A condition of error_if was true.
struct CheckError : Error {
  using Error::Error;
};
/// A NaN or an infinity where config::debug_nans or config::debug_infs forbids it: Python's FloatingPointError.
struct FloatingPointError : Error {
  using Error::Error;
};
/// Processes of a job that cannot go on together.
struct DistributedError : Error {
  using Error::Error;
};
struct UnsupportedError : Error {
  using Error::Error;
};
struct CompileError : Error {
  using Error::Error;
};
/// A defect of tutti, please report it: an invariant does not hold.
struct InternalError : Error {
  using Error::Error;
};

/// A place in the user's source.
struct Loc {
  const char* file = "";
  const char* function = "";
  unsigned line = 0;

  static constexpr Loc current(std::source_location s = std::source_location::current()) {
    return {s.file_name(), s.function_name(), static_cast<unsigned>(s.line())};
  }
  explicit operator bool() const { return line != 0; }
  /// `train.cpp:41`; empty when unknown.
  std::string str() const;
  friend bool operator==(const Loc& a, const Loc& b) { return a.line == b.line && std::string(a.file) == b.file; }
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
