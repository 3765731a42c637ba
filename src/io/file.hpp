// Files as bytes: open, read, write, and errors that name them.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tutti/base/call_scope.hpp"
#include "tutti/io/file_error.hpp"

namespace tutti::io::detail {

/// FileError: `doing` to `path` failed with that errno. `doing` as in "cannot open".
[[noreturn]] void raise_file_error(std::string_view doing, const std::string& path, int error);
/// What is wrong with what the file says: E(ValueError): `PATH: PROBLEM`.
template <class E = ValueError>
[[noreturn]] void raise_content(const std::string& path, const std::string& problem,
                                std::string_view advice = "The file is damaged, or of another format.") {
  raise<E>(call_name("io"), path + ": " + problem, advice);
}

/// ValueError for a path with a NUL byte, where the system would see its end.
void check_path(const std::string& path);

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& o) noexcept;
  Descriptor& operator=(Descriptor&& o) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  /// Closes it now: the errno, 0 when all went well.
  int close();

 private:
  int fd_;
};

/// Whether what is open is what stands at `path` now.
bool leads_to(const std::string& path, const Descriptor& open);

/// A regular file that is read in parts, from any thread. Parts are copied by pread, not mapped: an array has memory of
/// its own in any case, and a map of a file that somebody cuts short ends the program by a signal (design/015).
class InputFile {
 public:
  explicit InputFile(std::string path);
  /// The file of that name in an open folder, whatever has become of the folder's own name; errors name `path`.
  InputFile(const Descriptor& folder, const std::string& name, std::string path);
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Bytes [offset, offset + out.size()). FileError; ValueError when the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  /// The same into an array's memory, by several threads where there is much.
  void read_large(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  Descriptor fd_;
  std::uint64_t size_ = 0;
};

/// A folder that is read, held open: its files are the same ones also while another process puts another folder in its
/// place, or removes it.
class InputFolder {
 public:
  /// FileError.
  explicit InputFolder(std::string path);
  const std::string& path() const { return path_; }
  InputFile file(const std::string& name) const { return {fd_, name, path_ + "/" + name}; }
  /// Whether the path leads to another folder by now, or to none.
  bool replaced() const;

 private:
  std::string path_;
  Descriptor fd_;
};

/// A file that is written from its beginning to its end.
class OutputFile {
 public:
  /// Makes it anew. FileError, also for a pipe that nobody reads: it is not waited for.
  explicit OutputFile(std::string path);
  const std::string& path() const { return path_; }
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Returns when the disk has it.
  void sync();
  /// Errors that the system has kept to itself until now are raised here.
  void close();

 private:
  std::size_t write_some(std::span<const std::byte> bytes);

  std::string path_;
  Descriptor fd_;
  bool regular_ = true;                      // no pipe or device
  std::uint64_t written_ = 0, started_ = 0;  // bytes, and those whose way to the disk has begun
};

/// Where a new version of `path` is written, until it takes its place: another file of that folder, or `path` itself
/// where that is a device or a pipe. A link is followed, also to where there is no file yet. The new file has the mode
/// and, where the system allows it, the owner of the one that it replaces; until then it is its writer's alone. Without
/// commit() it is removed, and what was at `path` stays.
class Replacement {
 public:
  /// ValueError for a path with a NUL byte; FileError, also for a file that may not be written.
  explicit Replacement(const std::string& path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  /// An empty file, or a device or a pipe.
  const std::string& path() const { return written_; }
  void commit();

 private:
  void keep_owner_and_mode();

  std::string target_, written_;
  std::optional<struct stat> before_;  // the file that is replaced
  bool done_ = false;
};

/// Eight random letters and digits, for names that nobody else has.
std::string random_name();

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
