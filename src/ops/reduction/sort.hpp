#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Sort {  // operands sorted together by the first `num_keys` of them, stable, ascending, NaN last
  int dim = 0;
  int num_keys = 1;
  std::int64_t keep = 0;    // results are the first `keep` elements, the last -`keep`; 0: all
  bool descending = false;  // NaN first; equal elements stay in their order here too
  friend bool operator==(const Sort&, const Sort&) = default;
};

/// One result per operand, of which there may be any number.
extern const Home sort;

}  // namespace tutti::ops
