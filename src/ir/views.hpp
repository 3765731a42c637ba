// What slices, pads and concatenations are made of: along one dim a row of segments of other values, or a window on one
// other value. Seen through values that are made so themselves.
#pragma once

#include <optional>
#include <vector>

#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti {

/// Elements `at`, `at + 1` ... of a dim are those of `source` from `from` on; of a scalar all are the same.
struct Segment {
  std::int64_t at, length;
  Atom source;
  std::int64_t from;
};
/// What a value is along one dim; in all others it is as its sources are.
struct Along {
  int dim = -1;
  std::vector<Segment> segments;
};

/// A value whose element i is element i + start of `source`, dim by dim, where that lies in [low, high) of all dims;
/// else `fill`.
struct Window {
  struct Span {
    std::int64_t start, low, high;
  };
  ValueId source = -1;
  std::optional<Atom> fill;
  std::vector<Span> spans;
};

class Views {
 public:
  explicit Views(const Program& program);
  /// To be told the Eqns in order.
  void note(const Eqn& eqn);
  const Along& along(ValueId v) const { return along_[v]; }
  const std::optional<Window>& window(ValueId v) const { return windows_[v]; }

 private:
  std::vector<Piece> pieces(const Eqn& eqn) const;
  Along along(const Eqn& eqn, const std::vector<Piece>& pieces) const;
  std::optional<Window> window(const Eqn& eqn, const std::vector<Piece>& pieces) const;
  Along seen_through(const Along& what) const;
  std::optional<Window> seen_through(const Window& outer) const;

  const Program& p_;
  std::vector<Along> along_;  // by value
  std::vector<std::optional<Window>> windows_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
