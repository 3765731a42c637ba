// Where the runs of a gather or a scatter lie in the operand: what is of a window in one piece there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/movement/gather.hpp"

namespace tutti::cpu {

class RunPlaces {
 public:
  static constexpr std::int64_t kAtOnce = 512;  // runs whose places are found together

  /// Of `windows` (a gather's result, a scatter's updates) of `sizes`, out of an array of shape `from`.
  RunPlaces(lax::GatherDims dims, lax::GatherMode mode, Shape sizes, Shape from, Type indices, const Shape& windows);

  std::int64_t count() const { return count_; }
  /// Elements of one run.
  std::int64_t length() const { return length_; }
  /// Calls f(place, run) for the runs begin to end-1 that are inside, in their order.
  template <class F> void for_each(void* indices, std::int64_t begin, std::int64_t end, F&& f) const {
    if (numbered_ > 0) {
      const auto* at = static_cast<const std::int32_t*>(indices);
      for (std::int64_t i = begin; i < end; ++i)
        if (static_cast<std::uint32_t>(at[i]) < numbered_) f(std::int64_t{at[i]}, i);
      return;
    }
    std::int64_t at[kAtOnce];
    for (std::int64_t first = begin; first < end; first += kAtOnce) {
      const std::int64_t n = std::min(kAtOnce, end - first);
      find(indices, first, first + n, at);
      for (std::int64_t i = 0; i < n; ++i)
        if (at[i] >= 0) f(at[i], first + i);
    }
  }
  /// Writes the positions of runs begin to end-1 in the row-major operand: -1 where the window is out of range and the
  /// mode is `fill`. `indices`: the data.
  void find(void* indices, std::int64_t begin, std::int64_t end, std::int64_t* places) const;

 private:
  template <class I> void find_direct(const I* rows, std::int64_t begin, std::int64_t end, std::int64_t* places) const;

  lax::GatherDims dims_;
  lax::GatherMode mode_;
  Shape sizes_, from_;
  Type indices_;
  int ndim_;
  Shape outer_;  // of the windows' array: what is within a run has extent 1
  std::int64_t length_ = 1, count_ = 0;
  // Where each int32 index is the place of its run, if it is below this number, and outside else; 0: not so.
  std::int64_t numbered_ = 0;
  bool direct_ = false;  // run i is that of index vector i
};

}  // namespace tutti::cpu
