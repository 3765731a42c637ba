// manifest.json: what a checkpoint holds, and where.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/region.hpp"
#include "tutti/base/dtype.hpp"

namespace tutti::checkpoint::detail {

/// A dense part of a leaf, an array of its own in a safetensors file.
struct Block {
  std::string file, name;           // in the checkpoint's folder; in that file
  Region region;                    // of the leaf
  std::vector<std::uint64_t> sums;  // xxhash64 of each piece of its bytes
};
struct SavedLeaf {
  std::string path;
  DType dtype;
  Shape shape;
  std::string sharding;         // as text: for people
  std::vector<Block> blocks{};  // disjoint; together the whole leaf
};
struct Manifest {
  std::int64_t step = 0;
  std::uint64_t piece_bytes = 0;  // what a sum is of; the last piece of a block may be shorter
  std::string tutti, extra;       // version; the user's JSON, empty for none
  std::vector<SavedLeaf> leaves;
};

inline constexpr const char* kManifestName = "manifest.json";

/// With a checksum of itself.
std::string manifest_text(const Manifest& manifest);
/// Blocks of leaves, each with the position of its leaf, as text and back: what processes tell the first one.
using PlacedBlocks = std::vector<std::pair<std::size_t, Block>>;
std::string blocks_text(const PlacedBlocks& blocks);
PlacedBlocks parse_blocks(const std::string& text);

/// Reads and checks one. ValueError for what is damaged or makes no sense, naming `path`.
Manifest parse_manifest(const std::string& path, const std::string& text);

/// The checksum of bytes.
std::uint64_t sum_of(const void* data, std::size_t bytes);
/// What `extra` must be; ValueError.
void check_extra(const std::string& extra);

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
