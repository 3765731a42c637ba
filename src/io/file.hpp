// Files as bytes: open, read, write, and errors that name them.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// A regular file that is read in parts, from any thread. Parts are copied by pread, not mapped: an array has memory of
/// its own in any case, and a map of a file that somebody cuts short ends the program by a signal (design/015).
class InputFile {
 public:
  explicit InputFile(std::string path);
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

/// A file that is written from its beginning to its end.
class OutputFile {
 public:
  /// Makes it anew; `flags` are further ones of open().
  explicit OutputFile(std::string path, int flags = 0);
  const std::string& path() const { return path_; }
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Returns when the disk has it.
  void sync();
  /// Errors that the system has kept to itself until now are raised here.
  void close();

 private:
  std::string path_;
  Descriptor fd_;
  std::uint64_t written_ = 0, started_ = 0;  // bytes, and those whose way to the disk has begun
};

/// Where a new version of `path` is written, until it takes its place: another file of that folder, or `path` itself
/// where that is a device or a pipe. Without commit() it is removed, and what was at `path` stays.
class Replacement {
 public:
  explicit Replacement(const std::string& path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  const std::string& path() const { return written_; }
  void commit();

 private:
  std::string target_, written_;
  bool done_ = false;
};

/// Eight random letters and digits, for names that nobody else has.
std::string random_name();

}  // namespace tutti::io::detail
