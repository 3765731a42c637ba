#include "data/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "io/file.hpp"
#include "tutti/array/host.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/data/source.hpp"

namespace tutti::data {
namespace {

/// An open file, closed at the end; a mapping does not need it.
struct Open {
  explicit Open(const char* path) : number(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Open() {
    if (number >= 0) close(number);
  }
  Open(const Open&) = delete;
  const int number;
};

// All mapped files by the end of their memory. Never destroyed: arrays may live until the program ends.
struct Mapped {
  std::shared_mutex mutex;
  std::map<const std::byte*, const MappedFile*> by_end;
};
Mapped& mapped() {
  static auto* const all = new Mapped;
  return *all;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, std::string_view what) : path_(path) {
  io::detail::check_path(path);
  auto refuse = [&](const std::string& why) {
    raise<ValueError>(what, "cannot read " + path + ": " + why, "Give the path of a file that can be read.");
  };
  const Open file(path.c_str());
  struct stat about {};
  if (file.number < 0 || fstat(file.number, &about) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) refuse("it is no plain file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) return;  // nothing can be mapped
  void* at = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number, 0);
  if (at == MAP_FAILED) refuse(std::strerror(errno));
  device_ = about.st_dev;
  inode_ = about.st_ino;
  bytes_ = {static_cast<const std::byte*>(at), size};
  const std::lock_guard lock(mapped().mutex);
  mapped().by_end.emplace(bytes_.data() + size, this);
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  const std::lock_guard lock(mapped().mutex);
  mapped().by_end.erase(bytes_.data() + bytes_.size());
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::check_size() const {
  struct stat about {};
  if (stat(path_.c_str(), &about) != 0 || about.st_dev != device_ || about.st_ino != inode_) return;  // another file
  if (static_cast<std::size_t>(about.st_size) < bytes_.size())
    raise<FileError>(call_name("data"),
                     path_ + " has " + std::to_string(about.st_size) + " bytes, and had " +
                         std::to_string(bytes_.size()) + " when it was mapped",
                     "Write files anew and rename them; do not cut those that are in use.");
}

void check_mapped_size(const void* memory) {
  const std::shared_lock lock(mapped().mutex);
  const auto at = mapped().by_end.upper_bound(static_cast<const std::byte*>(memory));
  if (at != mapped().by_end.end() && at->second->bytes().data() <= memory) at->second->check_size();
}

Array map_file(const std::string& path, DType dtype, Loc loc) {
  CallScope scope(loc, {"", "map_file", 0});
  if (dtype.is_bool() || dtype.is_key())
    raise<TypeError>("map_file", "the bytes of a file may be no " + std::string(dtype.name()),
                     "Map them as uint8, and compare or wrap them.");
  auto file = std::make_shared<const MappedFile>(path, "map_file");
  const std::size_t size = static_cast<std::size_t>(dtype.size()), n = file->bytes().size() / size;
  if (file->bytes().size() % size)
    raise<ValueError>("map_file",
                      path + " has " + std::to_string(file->bytes().size()) +
                          " bytes, which end within an element of " + std::string(dtype.name()),
                      "Name the dtype that it was written with.");
  return tutti::detail::adopt(
      file->bytes().data(), n, dtype, {static_cast<std::int64_t>(n)}, [file] {}, loc);
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
