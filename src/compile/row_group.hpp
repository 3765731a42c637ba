// Steps that can be done together, a few rows at a time.
#pragma once

#include <vector>

#include "compile/plan.hpp"

namespace tutti::compile {

/// A list of steps parted in members, of which each reads, of what the others make, only its own rows; those that need
/// all rows of what a member makes, and all that needs these; and the rest, which comes first. Products that add up
/// over rows (gradients of weights) are members whose results are there after the stage.
struct RowGroup {
  std::int64_t rows = 0, chunk = 0;
  std::vector<int> before, members, after;
  std::vector<int> added;   // of the members: products over all rows, which add up chunk by chunk
  std::int64_t groups = 0;  // of chunks, where there are such
  std::int64_t handed = 0;  // bytes that members read of what others made
};

/// What each step of a plan touches.
class Touches {
 public:
  explicit Touches(const Plan& plan);
  int steps() const { return static_cast<int>(of_.size()); }
  const std::vector<int>& reads(int step) const { return of_[step].first; }
  const std::vector<int>& writes(int step) const { return of_[step].second; }
  template <class F> void each(int step, const F& f) const {
    for (int m : reads(step)) f(m);
    for (int m : writes(step)) f(m);
  }

 private:
  std::vector<std::pair<std::vector<int>, std::vector<int>>> of_;  // storages
};

/// Lines of a product's left matrix in a chunk, about: with fewer the right one is read in vain.
constexpr std::int64_t kChunkLines = 128;
/// At most so many groups of chunks: as many tasks there are, and matrices of each product that adds up over rows.
constexpr std::int64_t kMostGroups = 8;

/// Of `steps`, which are ascending, those that can go by so many rows. `adding`: products over all rows too.
RowGroup row_group(const Plan& plan, const Touches& touches, const std::vector<int>& steps, std::int64_t rows,
                   bool adding);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
