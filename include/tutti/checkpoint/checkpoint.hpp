// Checkpoints: a tree of arrays as it stood after a step, in a folder, whole or not at all.
//
// FOLDER/step_000100/ holds `arrays.safetensors`, the arrays by their paths, and `manifest.json`: paths, dtypes,
// shapes, shardings as text, tutti's version, the user's own JSON, and checksums (xxhash64, one for each MiB).
// Of several processes each writes a file of its own with the parts that it holds, arrays-00000-of-00004.safetensors,
// a part of an array as `PATH[0:4,0:8]`; all of them call save and restore, and what fails in one fails in all.
// Everything is written to step_000100.tmp-RANDOM first, brought to the disk and then renamed: whatever happens on the
// way, the checkpoints that were complete before still are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/call_scope.hpp"
#include "tutti/io/file_error.hpp"
#include "tutti/io/tree_file.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::checkpoint {

struct SaveOptions {
  std::int64_t step = 0;
  std::string extra{};  // JSON of the user's own; `extra` reads it back
};

struct RestoreOptions {
  std::optional<std::int64_t> step{};  // default: the latest
  bool partial = false;                // leaves that are not there, or of another shape or dtype, stay as in `like`
};

namespace detail {
using io::detail::Leaves;
void save_leaves(const std::string& folder, const Leaves& leaves, const SaveOptions& options);
std::vector<Array> restore_leaves(const std::string& folder, const Leaves& like, const RestoreOptions& options);
}  // namespace detail

/// Writes the arrays of a tree; returns when the disk has them. Static leaves (numbers, text) are not saved: what must
/// come back, such as a count or the position of a loader, is an array. A checkpoint of that step that is there already
/// is replaced at once. Throws FileError (no permission, disk full; nothing half written stays), ValueError for a step
/// below 0, a tree without arrays, or `extra` that is no JSON.
///
///     checkpoint::save("run", std::tuple{model, state, key}, {.step = 100});
///
/// Source: orbax.checkpoint.
template <class T>
void save(const std::string& folder, const T& tree, const SaveOptions& options = {}, Loc loc = Loc::current()) {
  CallScope scope(loc, Loc{"", "tutti::checkpoint::save"});
  detail::save_leaves(folder, tree::leaves_with_path(tree), options);
}

/// A copy of `like` with the arrays of a checkpoint, each placed as the leaf of `like` is, whatever mesh and number of
/// processes wrote it. Of `like` only paths, shapes, dtypes and shardings matter. Checksums are compared. Throws one
/// ValueError that lists by path all leaves that are missing, there besides, or of another shape or dtype; ValueError
/// for a damaged checkpoint and for a folder without one; FileError.
///
///     std::tie(model, state, key) = checkpoint::restore("run", std::tuple{model, state, key});
template <class T>
T restore(const std::string& folder, const T& like, const RestoreOptions& options = {}, Loc loc = Loc::current()) {
  CallScope scope(loc, Loc{"", "tutti::checkpoint::restore"});
  return tree::rebuild(like, detail::restore_leaves(folder, tree::leaves_with_path(like), options));
}

/// The steps that have a complete checkpoint, in order; none when there is no such folder. Throws FileError.
std::vector<std::int64_t> steps(const std::string& folder, Loc loc = Loc::current());
/// The last of them.
std::optional<std::int64_t> latest(const std::string& folder, Loc loc = Loc::current());
/// The user's JSON of a checkpoint (default: the latest); empty when there was none.
std::string extra(const std::string& folder, std::optional<std::int64_t> step = {}, Loc loc = Loc::current());

}  // namespace tutti::checkpoint

// SPDX-License-Identifier: Apache-2.0
