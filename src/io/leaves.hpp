// The leaves of trees by name, and which of them a file holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/io/tree_file.hpp"

namespace tutti::io::detail {

/// The names of leaves in files: their paths; `array` for a tree that is one array. ValueError when two would have the
/// same one, or there is none.
std::vector<std::string> leaf_names(const Leaves& leaves);

/// What a file says of a leaf.
struct StoredLeaf {
  std::string name;
  std::optional<DType> dtype;  // none: one that tutti does not have
  Shape shape;
};
/// For each leaf of `like` the position of its namesake in `stored`. What is missing, there besides, or of another
/// shape or dtype is one ValueError, by path. `partial`: -1 for leaves that do not fit instead.
std::vector<int> match_leaves(const std::string& where, const Leaves& like, const std::vector<StoredLeaf>& stored,
                              bool partial);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
