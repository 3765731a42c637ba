// A file in memory, read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tutti::data {

/// While one lives its file may grow or be replaced by another, but whoever reads bytes that it no longer has ends the
/// program by SIGBUS. So what copies from it asks first.
class MappedFile {
 public:
  /// ValueError, said by `what`, when it cannot be read or is no plain file.
  MappedFile(const std::string& path, std::string_view what);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }
  /// FileError when the file has become shorter than it was.
  void check_size() const;

 private:
  std::string path_;
  std::uint64_t device_ = 0, inode_ = 0;
  std::span<const std::byte> bytes_;
};

/// check_size of the file that is mapped there; nothing for other memory.
void check_mapped_size(const void* memory);

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
