// Forms into which orthogonal matrices bring a square one. One operand each; no derivatives.
#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// Results: the Hessenberg form, with the reflections below it, and their factors tau.
extern const Home hessenberg;

struct TridiagonalForm {
  bool lower;  // the triangle that is read, and that holds the reflections
  friend bool operator==(const TridiagonalForm&, const TridiagonalForm&) = default;
};
/// Of a Hermitian matrix; results: the matrix with the reflections, the diagonal, the one beside it, the factors tau.
extern const Home tridiagonal;

struct SchurForm {
  bool vectors;
  friend bool operator==(const SchurForm&, const SchurForm&) = default;
};
/// Results: the (quasi-)triangular matrix and, where wanted, the vectors.
extern const Home schur;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
