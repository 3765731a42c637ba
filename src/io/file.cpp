#include "io/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/pieces.hpp"
#include "io/quoted.hpp"

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

void check_path(const std::string& path) {
  if (path.find('\0') != path.npos)
    raise<ValueError>(call_name("io"), "the path " + quoted_name(path) + " has a NUL byte in it",
                      "No file has such a name.");
}

Descriptor::Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& o) noexcept {
  std::swap(fd_, o.fd_);
  return *this;
}
Descriptor::~Descriptor() { close(); }
bool leads_to(const std::string& path, const Descriptor& open) {
  struct stat there {
  }, here{};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(open.get(), &here) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}
int Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 || ::close(fd) == 0 ? 0 : errno;
}

InputFile::InputFile(std::string path) : InputFile(Descriptor(AT_FDCWD), path, path) {}

InputFile::InputFile(const Descriptor& folder, const std::string& name, std::string path) : path_(std::move(path)) {
  check_path(path_);
  // Opening a pipe would wait for a writer.
  fd_ = Descriptor(::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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

InputFolder::InputFolder(std::string path) : path_(std::move(path)) {
  check_path(path_);
  fd_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd_.get() < 0) raise_file_error("cannot open", path_, errno);
}

bool InputFolder::replaced() const { return !leads_to(path_, fd_); }

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  check_path(path_);
  fd_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666));
  struct stat status {};
  if (fd_.get() < 0 && errno == ENXIO && ::stat(path_.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))
    raise<FileError>(call_name("io"), "cannot write " + path_ + ": no process reads from this pipe",
                     "Start the reader first.");
  if (fd_.get() < 0 || ::fstat(fd_.get(), &status) != 0) raise_file_error("cannot write", path_, errno);
  regular_ = S_ISREG(status.st_mode);
  if (!regular_) ::fcntl(fd_.get(), F_SETFL, 0);  // a reader who is slow is waited for
}

// One call of write(). A pipe whose reader has gone would end the program by a signal: it is an error here.
std::size_t OutputFile::write_some(std::span<const std::byte> bytes) {
  sigset_t broken_pipe, before, pending;
  if (!regular_) {
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    ::sigpending(&pending);
  }
  const ssize_t n = ::write(fd_.get(), bytes.data(), std::min<std::size_t>(bytes.size(), 1 << 30));
  const int error = n < 0 ? errno : 0;
  if (!regular_) {
    const timespec at_once{};  // the signal comes with a part that was written, too
    if (!sigismember(&pending, SIGPIPE)) ::sigtimedwait(&broken_pipe, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  if (error != 0 && error != EINTR) raise_file_error("cannot write", path_, error);
  return error ? 0 : static_cast<std::size_t>(n);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t n = write_some(bytes);
    written_ += n;
    bytes = bytes.subspan(n);
  }
  // The disk works while the next bytes are made: nothing is left to do at the end but the last few.
  constexpr std::uint64_t ahead = 16 << 20;
  if (!regular_ || written_ - started_ < ahead) return;
  ::sync_file_range(fd_.get(), static_cast<off_t>(started_), static_cast<off_t>(written_ - started_),
                    SYNC_FILE_RANGE_WRITE);  // a hint: some file systems refuse it
  started_ = written_;
}

void OutputFile::sync() {
  if (::fsync(fd_.get()) != 0 && errno != EINVAL && errno != ENOTSUP)  // EINVAL: a device or a pipe
    raise_file_error("cannot write", path_, errno);
}

void OutputFile::close() {
  if (const int error = fd_.close()) raise_file_error("cannot write", path_, error);
}

namespace {

constexpr int kMostLinks = 40;             // that the system follows
constexpr std::size_t kLongestName = 240;  // of a file; most systems allow 255, and libzip appends to it

// The file that a chain of links leads to, which may not be there yet.
std::string end_of_links(std::string path) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    if (links == kMostLinks) raise_file_error("cannot write", path, ELOOP);
    const fs::path next = fs::read_symlink(path, error);
    if (error) raise_file_error("cannot read the link", path, error.value());
    path = (fs::path(path).parent_path() / next).string();
  }
  return path;
}

// A name that nobody has in the folder of `target`.
std::string name_beside(const std::string& target) {
  const std::string ending = ".tmp-" + random_name();
  const std::size_t name = target.rfind('/') + 1;  // npos + 1: 0
  return target.substr(0, name + std::min(target.size() - name, kLongestName - ending.size())) + ending;
}

}  // namespace

Replacement::Replacement(const std::string& path) : target_(path), written_(path) {
  check_path(path);
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (path.empty() || (!there && errno != ENOENT))
    raise_file_error("cannot write", path, path.empty() ? ENOENT : errno);
  if (there && S_ISDIR(status.st_mode)) raise_file_error("cannot write", path, EISDIR);
  if (there && !S_ISREG(status.st_mode)) return;  // a device or a pipe
  if (there && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    raise_file_error("cannot write", path, errno);
  if (there) before_ = status;
  target_ = end_of_links(path);
  written_ = name_beside(target_);
  const mode_t mode = there ? 0600 : 0666;
  if (Descriptor(::open(written_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)).get() < 0)
    raise_file_error("cannot write", path, errno);
}

Replacement::~Replacement() {
  if (!done_ && written_ != target_) ::unlink(written_.c_str());
}

// A writer who may not give the file to its owner keeps it; another group is not allowed what the old one was.
void Replacement::keep_owner_and_mode() {
  const Descriptor fd(::open(written_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat now {};
  if (fd.get() < 0 || ::fstat(fd.get(), &now) != 0) raise_file_error("cannot replace", target_, errno);
  const bool group = now.st_gid == before_->st_gid || ::fchown(fd.get(), -1, before_->st_gid) == 0;
  const bool owner = now.st_uid == before_->st_uid || ::fchown(fd.get(), before_->st_uid, -1) == 0;
  (void)owner;
  mode_t mode = before_->st_mode & 0777;
  if (!group) mode &= ~static_cast<mode_t>(070) | (mode & 7) << 3;
  if (::fchmod(fd.get(), mode) != 0 && errno != EPERM && errno != ENOTSUP)  // a file system without modes
    raise_file_error("cannot replace", target_, errno);
}

void Replacement::commit() {
  if (before_) keep_owner_and_mode();
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

// SPDX-License-Identifier: Apache-2.0
