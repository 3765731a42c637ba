// The folders of checkpoints: step_000100 is complete, step_000100.tmp-RANDOM is not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file.hpp"

namespace tutti::checkpoint::detail {

/// `FOLDER/step_000100`.
std::string step_path(const std::string& folder, std::int64_t step);
/// The complete ones, in order; none when the folder is not there. FileError.
std::vector<std::int64_t> complete_steps(const std::string& folder);

/// A checkpoint that is being written. Without commit() all of it is removed.
class StepFolder {
 public:
  /// Makes `folder` too where it is not there. FileError.
  StepFolder(const std::string& folder, std::int64_t step);
  ~StepFolder();
  StepFolder(const StepFolder&) = delete;
  const std::string& path() const { return path_; }
  /// Everything in it is on the disk: from now on it is the checkpoint of that step.
  void commit();

 private:
  std::string folder_, target_, path_;
  io::detail::Descriptor lock_;
  bool done_ = false;
};

/// Removes complete checkpoints but the `keep` newest (0: none are removed), and what writers that ended before their
/// commit left behind.
void tidy(const std::string& folder, int keep);

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
