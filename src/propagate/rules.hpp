// What the Eqns of a program, and the ends of its loops and branches, say about the axes of values.
#pragma once

#include <vector>

#include "ir/op.hpp"
#include "propagate/scopes.hpp"

namespace tutti {

/// Dims of tensors by factors; it never changes.
struct Rule {
  struct Tensor {
    int value;  // its number
    Factors::Dims dims;
    bool is_result;
  };
  std::vector<Factors::Factor> factors;
  std::vector<Tensor> tensors;
  bool first = false;        // applies from the first round on
  bool elementwise = false;  // of two lists of axes the one that cuts more wins
  bool broadcast = false;
};

/// In program order, bodies where they stand. Operands and results of a loop are tied to the inputs and outputs of its
/// bodies: what goes in, is carried and comes out has one layout; slices have that of the stack without its dim 0,
/// which no axis crosses.
std::vector<Rule> rules_of(const Scope& scope, const Placements& placements);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
