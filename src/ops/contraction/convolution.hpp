#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/across.hpp"
#include "ir/home.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

/// result[n, q, o] = sum over t, i of lhs[n, q * strides + t * rhs_dilation - padding, i] * rhs[t, i, o], where lhs has
/// zeros between and around its elements.
struct Convolution {
  lax::Dims lhs, rhs, out;  // where batch and feature (of rhs: out and in feature), then the spatial dims are
  lax::Dims strides;
  std::vector<std::pair<std::int64_t, std::int64_t>> padding;
  lax::Dims lhs_dilation, rhs_dilation;
  std::int64_t groups = 1, batch_groups = 1;  // of features; of examples, with out features of their own
  friend bool operator==(const Convolution&, const Convolution&) = default;
};

extern const Home convolution;

/// The extent of `n` elements with `dilation` - 1 others between them.
inline std::int64_t dilated(std::int64_t n, std::int64_t dilation) {
  return n == 0 ? 0 : extent::add(extent::mul(n - 1, dilation), 1);
}

/// On blocks of a spatial dim: each device gets the elements at its borders from its neighbours.
Across convolution_across();
/// Whether the convolution is computed so along its spatial dim `d`: windows of neighbours that meet as many elements
/// as there are (which of result and kernel is cut too: the one that is as long).
bool is_cut_with_result(const Convolution& form, const Shape& lhs, const Shape& out, std::size_t d);
bool is_cut_with_kernel(const Convolution& form, const Shape& lhs, const Shape& rhs, std::size_t d);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
