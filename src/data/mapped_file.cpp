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
