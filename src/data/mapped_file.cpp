#include "data/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

}  // namespace

MappedFile::MappedFile(const std::string& path, std::string_view what) {
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
  bytes_ = {static_cast<const std::byte*>(at), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Array map_file(const std::string& path, Loc loc) {
  CallScope scope(loc, {"", "map_file", 0});
  auto file = std::make_shared<const MappedFile>(path, "map_file");
  const auto* first = static_cast<const unsigned char*>(static_cast<const void*>(file->bytes().data()));
  const std::span<const unsigned char> all(first, file->bytes().size());
  return from_host(all, {static_cast<std::int64_t>(all.size())}, [file] {});
}

}  // namespace tutti::data
