// Blocks of leaves in safetensors files: written with checksums, and read back as any part of a leaf.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/manifest.hpp"
#include "io/safetensors_format.hpp"

namespace tutti::checkpoint::detail {

/// A part of a leaf whose elements are here.
struct OwnedBlock {
  std::size_t leaf = 0;  // its position among the leaves
  Region region;
  io::detail::Content content;  // the region, dense
};

/// Writes the blocks to a new file `folder`/`file` and brings it to the disk. One Block for each, in their order; the
/// name of a whole leaf is its path, that of a part `path[0:4,8:16]`.
std::vector<Block> write_blocks(const std::string& folder, const std::string& file,
                                const std::vector<SavedLeaf>& leaves, const std::vector<OwnedBlock>& blocks,
                                std::size_t piece_bytes);

/// Reads parts of the leaves of one checkpoint; from any thread.
class BlockReader {
 public:
  /// Opens the manifest's files, up to a number: they can be read on when the folder is removed. Both arguments live
  /// as long as this does.
  BlockReader(const io::detail::InputFolder& folder, const Manifest& manifest);
  /// The elements of `wanted`, dense and row-major. Reads the pieces that hold some of them and compares their
  /// checksums. ValueError for what is damaged, FileError; both name the file.
  void read(const SavedLeaf& leaf, const Region& wanted, std::span<std::byte> out);
  /// Read from files so far, without headers.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct File {
    explicit File(io::detail::InputFile f) : file(std::move(f)) {}
    io::detail::InputFile file;
    std::optional<io::detail::SafetensorsHeader> header;  // read when it is needed
  };
  const File& file_of(const std::string& name);
  void read_block(const SavedLeaf& leaf, const Block& block, const Region& part, const Region& wanted,
                  std::span<std::byte> out);

  const io::detail::InputFolder& folder_;
  const Manifest& manifest_;
  std::mutex mutex_;
  std::map<std::string, File> files_;
  std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
