// The buffers of arrays during a run.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/node.hpp"

namespace tutti {

/// What errors say of donated arrays, one text each.
using Takers = std::shared_ptr<const std::vector<std::string>>;

/// While it lives the buffers of `arrays` stay, whatever other threads delete or donate. Counts nothing: a pin stands
/// for a share. `arrays` lives as long.
class Pinned {
 public:
  /// DeletedError, TracerError (naming `what`): then no array has changed. donated[i] (empty: none): array i is taken
  /// from its handles, which from now on name by[i], and its only share is here unless somebody else has one.
  Pinned(std::span<const Array> arrays, std::span<const bool> donated, const Takers& by, const char* what);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  std::span<const BufferPtr> buffers() const { return buffers_; }

 private:
  void let_go();

  std::span<const Array> arrays_;
  std::array<BufferPtr, 8> few_;  // most calls have few arguments
  std::vector<BufferPtr> many_;
  std::span<BufferPtr> buffers_;  // of one of them
  std::size_t pinned_ = 0;
  std::vector<bool> own_;  // shares of our own; empty: none
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
