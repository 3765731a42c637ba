#pragma once

#include <optional>

#include "ir/home.hpp"

namespace tutti::ops {

struct Sort {  // operands sorted together by the first `num_keys` of them, stable, ascending, NaN last
  int dim = 0;
  int num_keys = 1;
  std::int64_t keep = 0;    // results are the first `keep` elements, the last -`keep`; 0: all
  bool descending = false;  // NaN first; equal elements stay in their order here too
  // The positions along `dim` that the elements had are one more result, the last, in this dtype: what an iota sorted
  // along would become. The compiler puts it in place of one, after partition.
  std::optional<DType> positions = std::nullopt;
  bool elements = true;  // false: positions alone
  friend bool operator==(const Sort&, const Sort&) = default;
};

/// One result per operand, of which there may be any number, and the positions where they are asked for.
extern const Home sort;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
