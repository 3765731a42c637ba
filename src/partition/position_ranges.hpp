// What is known of numbers that say where an element lies in the whole: between which limits they are on any device,
// and so what comparisons of them come to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/program.hpp"
#include "partition/boxes.hpp"

namespace tutti {

/// Least and largest value; of truth values 0 and 1.
struct NumberRange {
  std::int64_t least, most;
  bool is_one() const { return least == most; }
};

class PositionRanges {
 public:
  explicit PositionRanges(const Program& program);
  /// Of the elements in the box on all devices; nothing where that is not known.
  std::optional<NumberRange> of(const Atom& a, const IndexBox& box) const;
  /// Whether it is made of positions and numbers alone, by a few operations on single elements.
  bool is_of_positions(const Atom& a) const { return a.is_literal() || asked_[static_cast<std::size_t>(a.id)] > 0; }

 private:
  std::optional<NumberRange> each(const Eqn& e, const IndexBox& box) const;

  const Program& p_;
  std::vector<int> producer_;  // by value
  std::vector<int> asked_;     // by value: how many are asked for its range; 0: not made so, or of too many
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
