// A whole tree in one file: io::save and io::load.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/base/call_scope.hpp"
#include "tutti/io/safetensors.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::io {

namespace detail {
using Leaves = std::vector<std::pair<tree::Path, Array>>;
void save_leaves(const std::string& path, const Leaves& leaves, const Metadata& metadata);
/// One array for each leaf of `like`, in their order.
std::vector<Array> load_leaves(const std::string& path, const Leaves& like);
}  // namespace detail

/// Writes the arrays of a tree to one safetensors file, named by their paths (`layers[0].weight`; a tree that is one
/// array: `array`). Static leaves (numbers, text) are not saved: what must come back is an array. A file that is there
/// already is replaced when the new one is complete. Throws ValueError for a tree without arrays, FileError.
///
///     io::save("model.safetensors", std::tuple{model, state});
///     std::tie(model, state) = io::load("model.safetensors", std::tuple{model, state});
template <class T>
void save(const std::string& path, const T& tree, const Metadata& metadata = {}, Loc loc = Loc::current()) {
  CallScope scope(loc, Loc{"", "tutti::io::save"});
  detail::save_leaves(path, tree::leaves_with_path(tree), metadata);
}

/// A copy of `like` with the arrays that `save` wrote, each placed as the leaf of `like` is. Of `like` only paths,
/// shapes, dtypes and shardings matter, so deleted arrays and ShapeDtypeStructs will do. Throws one ValueError that
/// lists by path all leaves that the file lacks, has besides, or has with another shape or dtype; FileError; ValueError
/// for a damaged file.
template <class T> T load(const std::string& path, const T& like, Loc loc = Loc::current()) {
  CallScope scope(loc, Loc{"", "tutti::io::load"});
  return tree::rebuild(like, detail::load_leaves(path, tree::leaves_with_path(like)));
}

}  // namespace tutti::io

// SPDX-License-Identifier: Apache-2.0
