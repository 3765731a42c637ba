// A convolution as sums over strided arrays: one shape for all layouts, strides, dilations and groups, forward and both
// gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/contraction/convolution.hpp"

namespace tutti::cpu {

/// A dim of the left operand. Row r and term t of a sum meet it at `base` + r * row_step + t * term_step; there are
/// zeros beyond its extent. Strides are in elements.
struct ConvDim {
  std::int64_t extent = 1, stride = 0, base = 0;
  std::int64_t rows = 1, row_step = 1, row_out = 0;       // row_out: stride in the result
  std::int64_t terms = 1, term_step = 1, term_right = 0;  // term_right: stride in the right operand
};

/// A dim of which all that have it hold the same element.
struct ConvShared {
  std::int64_t count = 1, left = 0, right = 0, out = 0;  // strides, 0 where it has it not
};

/// Every result is a sum over all terms. Of a convolution whose input has zeros between its elements there are several:
/// of results that meet elements at the same terms.
struct ConvSums {
  std::vector<ConvDim> dims;        // of examples, of in features, spatial ones
  ConvShared outs, groups;          // out features, groups
  std::int64_t right = 0, out = 0;  // where they begin
};

std::vector<ConvSums> conv_sums(const ops::Convolution& form, const Shape& left, const Shape& right, const Shape& out);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
