// One checkpoint, from shares of arrays to the disk.
#pragma once

#include <optional>

#include "checkpoint/agreement.hpp"
#include "checkpoint/ownership.hpp"
#include "tutti/checkpoint/checkpoint.hpp"

namespace tutti::checkpoint::detail {

/// All that is to be written: nothing in it changes, so any thread may write it.
struct Snapshot {
  Manifest manifest;  // its leaves without blocks
  Part part;
  Agreement agreement;
};
/// All processes call it. Throws what is wrong with the tree or the options, before anything is written.
Snapshot snapshot_of(const std::string& folder, const Leaves& leaves, const SaveOptions& options);
/// Each process writes its part; when the disk has all of them the first one commits, and tidies `folder` where some
/// are to be kept. FileError on all processes; then nothing of it stays.
void write_snapshot(const std::string& folder, Snapshot snapshot, std::optional<int> keep = {});

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
