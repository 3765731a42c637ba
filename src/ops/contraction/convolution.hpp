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

/// How many windows there are along spatial dim `d`.
std::int64_t windows_of(const Convolution& form, const Shape& lhs, const Shape& rhs, std::size_t d);
/// On blocks of spatial dims: each device gets what it reads of its neighbours' elements.
AcrossDims convolution_across();
/// What is cut where the input is along its spatial dim `d`: the kernel or the result, whichever reaches further.
bool is_cut_with_kernel(const Convolution& form, const Shape& lhs, const Shape& rhs, std::size_t d);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
