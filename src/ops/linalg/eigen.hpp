#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct EighForm {
  bool vectors, lower;
  friend bool operator==(const EighForm&, const EighForm&) = default;
};
/// One operand, of which one triangle is read; results: eigenvalues and, if wanted, vectors.
extern const Home eigh;

struct EigForm {
  bool left, right;
  friend bool operator==(const EigForm&, const EigForm&) = default;
};
/// One operand; results: eigenvalues and, where wanted, left and right vectors.
extern const Home eig;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
