// Problems of a file itself, rather than of its contents.
#pragma once

#include "tutti/base/error.hpp"

namespace tutti {

/// A file or folder that cannot be opened, read or written: it is not there, may not be touched, or the disk is full.
/// The text names it and what the system says. Contents that make no sense are a ValueError. Source: Python's OSError.
struct FileError : Error {
  using Error::Error;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
