// Who writes what: the only place that knows which blocks of the leaves are this process's, and to which file they go.
// All processes deal alike without a word: each block to one of those that hold it, so that each writes about as much.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/blocks.hpp"
#include "tutti/io/tree_file.hpp"

namespace tutti::checkpoint::detail {

/// What this process writes of a checkpoint.
struct Part {
  std::string file;
  std::vector<OwnedBlock> blocks;
};
/// TracerError and DeletedError for leaves without values. Takes shares of the leaves' memory. All processes call it.
Part part_of_this_process(const io::detail::Leaves& leaves);

/// A part of an array, and the processes that have it in memory, in order.
struct HeldRegion {
  Region region;
  std::vector<int> holders;
};
/// A region, and the process that writes it.
struct Assigned {
  Region region;
  int writer = 0;
};
/// Deals regions of one leaf after the other to their holders. Small ones go to who has least so far, large ones that
/// several hold are cut along dim 0, a piece for each.
class Dealer {
 public:
  explicit Dealer(int processes) : bytes_(static_cast<std::size_t>(processes)) {}
  std::vector<Assigned> deal(const std::vector<HeldRegion>& regions, std::int64_t item);
  /// Of each process so far.
  const std::vector<std::int64_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::int64_t> bytes_;
};

/// What this process needs of a leaf that is to lie as `like` does.
Region region_for_this_process(const Array& like);

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
