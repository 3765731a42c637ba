#include "io/file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/pieces.hpp"

namespace tutti::io::detail {
namespace {

std::string_view advice_for(int error) {
  switch (error) {
    case ENOENT: return "Check the path.";
    case EACCES:
    case EPERM:
    case EROFS: return "Ask for the permission, or choose another folder.";
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "Make room or choose another disk; files that were complete before still are.";
    default: return "What the system says comes from the file system or the disk.";
  }
}

}  // namespace

void raise_file_error(std::string_view doing, const std::string& path, int error) {
  raise<FileError>(call_name("io"), std::string(doing) + " " + path + ": " + std::generic_category().message(error),
                   advice_for(error));
}

Descriptor::Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& o) noexcept {
  std::swap(fd_, o.fd_);
  return *this;
}
Descriptor::~Descriptor() { close(); }
int Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 || ::close(fd) == 0 ? 0 : errno;
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  fd_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // opening a pipe would wait for a writer
  struct stat status {};
  if (fd_.get() < 0 || ::fstat(fd_.get(), &status) != 0) raise_file_error("cannot open", path_, errno);
  if (S_ISDIR(status.st_mode)) raise_file_error("cannot read", path_, EISDIR);
  if (!S_ISREG(status.st_mode))
    raise<FileError>(call_name("io"), "cannot read " + path_ + ": it is a device or a pipe", "Give a file.");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t n =
        ::pread(fd_.get(), out.data(), std::min<std::size_t>(out.size(), 1 << 30), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_file_error("cannot read", path_, errno);
    if (n == 0) raise_content(path_, "the file ends at byte " + std::to_string(offset) + ", before its contents do");
    offset += static_cast<std::uint64_t>(n);
    out = out.subspan(static_cast<std::size_t>(n));
  }
}

void InputFile::read_large(std::uint64_t offset, std::span<std::byte> out) const {
  constexpr std::size_t piece = 4 << 20;
  for_pieces((out.size() + piece - 1) / piece, [&](std::size_t i) {
    const std::size_t from = i * piece;
    read(offset + from, out.subspan(from, std::min(piece, out.size() - from)));
  });
}

OutputFile::OutputFile(std::string path, int flags) : path_(std::move(path)) {
  fd_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0666));
  if (fd_.get() < 0) raise_file_error("cannot write", path_, errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_.get(), bytes.data(), std::min<std::size_t>(bytes.size(), 1 << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_file_error("cannot write", path_, errno);
    written_ += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  // The disk works while the next bytes are made: nothing is left to do at the end but the last few.
  constexpr std::uint64_t ahead = 16 << 20;
  if (written_ - started_ < ahead) return;
  ::sync_file_range(fd_.get(), static_cast<off_t>(started_), static_cast<off_t>(written_ - started_),
                    SYNC_FILE_RANGE_WRITE);  // a hint: pipes and some file systems refuse it
  started_ = written_;
}

void OutputFile::sync() {
  if (::fsync(fd_.get()) != 0 && errno != EINVAL && errno != ENOTSUP)  // EINVAL: a device or a pipe
    raise_file_error("cannot write", path_, errno);
}

void OutputFile::close() {
  if (const int error = fd_.close()) raise_file_error("cannot write", path_, error);
}

Replacement::Replacement(const std::string& path) : target_(path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_symlink(path, error)) {  // the file that it leads to is replaced, not the link
    const fs::path there = fs::weakly_canonical(path, error);
    if (!error) target_ = there;
  }
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) raise_file_error("cannot write", path, EISDIR);
  written_ = fs::exists(status) && !fs::is_regular_file(status) ? target_ : target_ + ".tmp-" + random_name();
}

Replacement::~Replacement() {
  if (!done_ && written_ != target_) ::unlink(written_.c_str());
}

void Replacement::commit() {
  if (written_ != target_ && std::rename(written_.c_str(), target_.c_str()) != 0)
    raise_file_error("cannot replace", target_, errno);
  done_ = true;
}

std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t n = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  std::string out;
  for (unsigned char b : bytes) out += "abcdefghijklmnopqrstuvwxyz012345"[b % 32];
  return out;
}

}  // namespace tutti::io::detail
