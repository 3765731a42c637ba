#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Search {  // operands: vectors in order [batch..., n], what is looked for [batch..., anything]
  bool right = false;
  int batch = 0;  // so many dims come first in both
  friend bool operator==(const Search&, const Search&) = default;
};

/// How many elements stand before each of operand 1 where it is put in order: int32 (int64 where n does not fit),
/// behind equal ones with `right`. The order is that of sort.
extern const Home search;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
