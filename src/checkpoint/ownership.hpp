// Who writes what: the only place that knows which blocks of the leaves are this process's, and to which file they go.
// Of several processes the first writes everything, for which it gathers what others hold; each reads its own part.
#pragma once

#include <exception>
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

/// What this process needs of a leaf that is to lie as `like` does.
Region region_for_this_process(const Array& like);

/// What went wrong in the first process, if something did, went wrong in all: they meet here.
void as_the_first(std::exception_ptr& failure);

}  // namespace tutti::checkpoint::detail
