#include "disk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace bench {
namespace fs = std::filesystem;

std::string new_folder() {
  static int next = 0;
  return fs::temp_directory_path() / fmt::format("tutti_bench_{}_{}", ::getpid(), next++);
}

Disk::Disk(std::string path) : path_(std::move(path)) { fs::create_directories(path_); }
Disk::~Disk() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void dd(const std::string& arguments) {
  if (std::system(("dd bs=1M status=none " + arguments).c_str()) != 0) throw std::runtime_error("dd failed");
}

void forget_all(const std::string& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const int fd = ::open(entry.path().c_str(), O_RDONLY);
    if (fd < 0) throw std::runtime_error("cannot open " + entry.path().string());
    ::fdatasync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
  }
}

std::vector<Array> gibibyte(const Setup& s) {
  std::vector<Array> out;
  for (int i = 0; i < 16; ++i)
    out.push_back(device_put(random::normal(random::key(i), {4096, 4096}), s.at(P("x", "y"))));
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
