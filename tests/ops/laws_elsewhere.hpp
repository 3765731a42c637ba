// Samples whose engine and eval are not compared number by number within Sample::ulp, as laws of their own hold them:
// of factors the phases are free, and their errors grow with the condition of a random matrix (matrix_kernels_test.cpp,
// form_kernels_test.cpp); transforms and functions of complex numbers are made of many roundings, and a search
// wants its vectors in order (kernels_test.cpp).
#pragma once

#include <set>
#include <string>

#include "ir/op.hpp"

namespace tutti {

inline bool has_law_elsewhere(const Op& op, const Sample& sample) {
  static const std::set<std::string> equations{
      "cholesky", "det", "direct_solve",     "eig",        "eigh", "fft", "hessenberg", "lu", "qr", "schur", "search",
      "slogdet",  "svd", "triangular_solve", "tridiagonal"};
  const bool is_complex_function = op.pointwise && !sample.operands.empty() && sample.operands[0].dtype.is_complex();
  return equations.contains(op.name) || is_complex_function;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
