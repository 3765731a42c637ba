// One checkpoint, from shares of arrays to the disk.
#pragma once

#include "checkpoint/ownership.hpp"
#include "tutti/checkpoint/checkpoint.hpp"

namespace tutti::checkpoint::detail {

/// All that is to be written: nothing in it changes, so any thread may write it.
struct Snapshot {
  Manifest manifest;  // its leaves without blocks
  Part part;
};
/// Throws what is wrong with the tree or the options, before anything is written.
Snapshot snapshot_of(const Leaves& leaves, const SaveOptions& options);
/// FileError; then nothing of it stays.
void write_snapshot(const std::string& folder, Snapshot snapshot);

}  // namespace tutti::checkpoint::detail
