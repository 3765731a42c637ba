// Who writes what: the only place that knows which blocks of the leaves are this process's, and to which file they go.
// Today one process has all of them. With several, each owns the blocks of the leaves' layouts that lie on its devices
// (replicas: the lowest process), and the one that leads collects everybody's Blocks for the manifest.
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
/// TracerError and DeletedError for leaves without values. Takes shares of the leaves' memory.
Part part_of_this_process(const io::detail::Leaves& leaves);

/// What this process needs of a leaf that is to lie as `like` does.
Region region_for_this_process(const Array& like);

}  // namespace tutti::checkpoint::detail
