#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct SvdForm {
  bool vectors, full;  // full: u and vh are square
  friend bool operator==(const SvdForm&, const SvdForm&) = default;
};

/// One operand; results: the singular values and, with vectors, u and vh.
extern const Home svd;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
