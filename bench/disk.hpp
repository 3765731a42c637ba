// What the cases of files need: a folder, dd, an empty page cache, and a gibibyte of arrays.
#pragma once

#include <string>
#include <vector>

#include "case.hpp"

namespace bench {

/// A name of its own in the folder for temporary files (TMPDIR).
std::string new_folder();

/// A folder that goes with this object.
class Disk {
 public:
  explicit Disk(std::string path);
  ~Disk();
  Disk(const Disk&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// dd with 1 MiB at a time; runtime_error when it fails.
void dd(const std::string& arguments);
/// From here on the files below `folder` are read from the disk.
void forget_all(const std::string& folder);
/// 16 float32 arrays of 64 MiB, split over both axes.
std::vector<Array> gibibyte(const Setup& s);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
