#include "checkpoint/step_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "checkpoint/manifest.hpp"

namespace tutti::checkpoint::detail {
namespace {
namespace fs = std::filesystem;
using io::detail::Descriptor;
using io::detail::raise_file_error;

constexpr std::string_view kPrefix = "step_", kUnfinished = ".tmp-";

// The step of a complete checkpoint's name.
std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::int64_t step = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
  return step;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error == std::errc::no_such_file_or_directory) return {};
  if (error) raise_file_error("cannot read", folder, error.value());
  std::vector<std::string> out;
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    if (error) break;
    out.push_back(entries->path().filename().string());
  }
  if (error) raise_file_error("cannot read", folder, error.value());
  return out;
}

// Brings names to the disk: those of the files in a folder.
void sync_folder(const std::string& path) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP))
    raise_file_error("cannot write", path, errno);
}

// A complete checkpoint stops being one before the first of its files goes. The errno when it cannot be moved.
int remove_step(const std::string& path) {
  const std::string aside = path + std::string(kUnfinished) + io::detail::random_name();
  if (std::rename(path.c_str(), aside.c_str()) != 0) return errno;
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  return 0;
}

}  // namespace

std::string step_path(const std::string& folder, std::int64_t step) {
  return fmt::format("{}/{}{:06}", folder, kPrefix, step);
}

std::vector<std::int64_t> complete_steps(const std::string& folder) {
  io::detail::check_path(folder);
  std::vector<std::int64_t> out;
  // A folder is not listed at one moment: a step that is removed meanwhile, and the newer one that was there before it
  // went, may both be missed.
  bool again = true;
  for (int left = 20; again && left > 0; --left) {
    out.clear();
    bool gone = false;
    for (const std::string& name : names_in(folder)) {
      const auto step = step_of(name);
      const std::string path = folder + "/" + name;
      if (!step || step_path(folder, *step) != path) continue;
      std::error_code ignored;
      if (fs::is_regular_file(path + "/" + kManifestName, ignored))
        out.push_back(*step);
      else
        gone = gone || !fs::exists(path, ignored);
    }
    again = gone || out.empty();
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

// Locks a folder that was just made. False when a tidy of another process came between the two: it goes, or is gone.
bool lock_new(const Descriptor& fd, const std::string& path) {
  if (fd.get() < 0) return errno != ENOENT;  // others than its maker may not tidy it either
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return io::detail::leads_to(path, fd);
}

}  // namespace

StepFolder::StepFolder(const std::string& folder, std::int64_t step)
    : folder_(folder), target_(step_path(folder, step)) {
  io::detail::check_path(folder);
  std::error_code error;
  if (fs::create_directories(folder, error)) {
    const fs::path parent = fs::absolute(folder, error).lexically_normal().parent_path();
    if (!error) sync_folder(parent.empty() ? "/" : parent.string());
  }
  if (error) raise_file_error("cannot make the folder", folder, error.value());
  // The lock is held as long as this process writes: whoever can take it knows that the writer is gone (tidy).
  do {
    path_ = target_ + std::string(kUnfinished) + io::detail::random_name();
    if (::mkdir(path_.c_str(), 0777) != 0) raise_file_error("cannot make the folder", path_, errno);
    lock_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  } while (!lock_new(lock_, path_));
}

StepFolder::~StepFolder() {
  std::error_code ignored;
  if (!done_ && !path_.empty()) fs::remove_all(path_, ignored);
}

void StepFolder::commit() {
  sync_folder(path_);
  // Others may replace or remove the checkpoint of that step meanwhile: then it is tried again.
  while (std::rename(path_.c_str(), target_.c_str()) != 0) {
    if (errno != EEXIST && errno != ENOTEMPTY) raise_file_error("cannot rename to", target_, errno);
    // There is a checkpoint of that step: the two change places at once, and the old one goes.
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
      std::error_code ignored;
      fs::remove_all(path_, ignored);
      break;
    }
    // Not every file system can: for a moment there is none of that step, and those before it stand.
    if (errno == ENOENT) continue;
    if (const int error = remove_step(target_); error != 0 && error != ENOENT)
      raise_file_error("cannot replace", target_, error);
  }
  done_ = true;
  lock_.close();
  sync_folder(folder_);
}

void tidy(const std::string& folder, int keep) {
  std::vector<std::int64_t> steps = complete_steps(folder);
  if (keep > 0)
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < steps.size(); ++i)
      remove_step(step_path(folder, steps[i]));
  for (const std::string& name : names_in(folder)) {
    const std::size_t mark = name.find(kUnfinished);
    if (mark == name.npos || !step_of(std::string_view(name).substr(0, mark))) continue;
    const std::string path = folder + "/" + name;
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::error_code ignored;
    if (fd.get() >= 0 && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
  }
}

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
