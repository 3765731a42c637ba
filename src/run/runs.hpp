// Runs of an array, byte by byte or as long as they lie together.
#pragma once

#include <algorithm>
#include <cstring>

#include "ir/collective.hpp"

namespace tutti::run {

inline bool is_dense(const Runs& r) { return r.rows == 1 || r.run == r.stride || r.run == 0; }

class RunWalk {
 public:
  explicit RunWalk(const Runs& part) : part_(part), left_(part.bytes()), row_(part.start), dense_(is_dense(part)) {}
  std::int64_t left() const { return left_; }
  /// Where the next byte lies, and how many lie together from there on.
  std::int64_t at() const { return row_ + in_row_; }
  std::int64_t together() const { return dense_ ? left_ : part_.run - in_row_; }
  /// Goes on, no further than those that lie together.
  void skip(std::int64_t n) {
    left_ -= n;
    in_row_ += n;
    if (dense_ || in_row_ < part_.run) return;
    row_ += part_.stride;
    in_row_ = 0;
  }

 private:
  Runs part_;
  std::int64_t left_, row_, in_row_ = 0;
  bool dense_;
};

/// From runs of one array to runs of another one, as many bytes.
inline void copy_runs(const Runs& from, const char* source, const Runs& to, char* target) {
  RunWalk a(from), b(to);
  while (a.left() > 0) {
    const std::int64_t n = std::min(a.together(), b.together());
    std::memcpy(target + b.at(), source + a.at(), static_cast<std::size_t>(n));
    a.skip(n);
    b.skip(n);
  }
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
