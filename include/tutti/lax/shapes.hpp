// lax functions made of others: shapes, products in groups, parts of words. Source: jax.lax.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::detail {
Array barrier(const Array& x);
}

namespace tutti::lax {

/// `x` with leading dims of extent 1, so that it has `rank` dims. ShapeError when it has more.
Array broadcast_to_rank(const In& x, int rank);
/// `x` broadcast to the shape of `like`, and placed as `like` is.
Array broadcast_like(const In& x, const In& like);
/// Dims from `start` to before `stop` (unless given all) as one.
Array collapse(const In& x, int start, std::optional<int> stop = {});
/// x[i[0], i[1], ...] along `axes`, for vectors of indices that count round: [n, other dims of x].
Array index_take(const In& x, const std::vector<Array>& indices, const std::vector<int>& axes);
/// The upper half of the bits of the product of two integers of one dtype.
Array mulhi(const In& x, const In& y);

struct ApproxOptions {
  int reduction_dimension = -1;
  double recall_target = 0.95;  // reached in any case: the result is exact
  std::int64_t reduction_input_size_override = -1;
  bool aggregate_to_topk = true;
};
/// The k largest (least) along a dim with their positions: top_k, which is exact. Floating arrays.
TopK approx_max_k(const In& x, std::int64_t k, const ApproxOptions& options = {});
TopK approx_min_k(const In& x, std::int64_t k, const ApproxOptions& options = {});

/// Rows of lhs[m, k], in groups of `group_sizes`[g] that follow each other, each times its group's matrix of
/// rhs[g, k, n]: [m, n]. Rows behind the last group are 0.
Array ragged_dot(const In& lhs, const In& rhs, const In& group_sizes, std::optional<DType> preferred = {});

/// Dims that are multiplied, the dim of lhs that falls into groups that follow each other, and which dims of rhs are a
/// group's own.
struct RaggedDotDims {
  DotDims dot{};
  std::int64_t lhs_ragged = 0;
  Dims rhs_groups{};
};
/// The product of each group: where `lhs_ragged` is a free dim, its rows times its group's matrix; where it is summed
/// over, a sum per group, in a new leading dim; where it is a batch dim, dot_general. group_sizes: [g].
Array ragged_dot_general(const In& lhs, const In& rhs, const In& group_sizes, const RaggedDotDims& dims,
                         std::optional<DType> preferred = {});

struct ScaledDotOptions {
  Array lhs_scale{}, rhs_scale{};  // each factor for as many elements as fit: extents divide those of the operand
  DotDims dims{{1}, {0}, {}, {}};
  std::optional<DType> preferred_element_type{};
};
/// (lhs * lhs_scale) times (rhs * rhs_scale).
Array scaled_dot(const In& lhs, const In& rhs, const ScaledDotOptions& options = {});

/// func of the elements of x at these places, in their place: each window of `update_shape` (as scatter's updates
/// have it); indices that come twice count once more each time.
Array scatter_apply(const In& x, const In& indices, const std::function<Array(const Array&)>& func,
                    const ScatterDims& dims, const Shape& update_shape);

/// conv_general_dilated in "NCHW" and "OIHW" (or fewer or more spatial dims).
inline Array conv_with_general_padding(const In& lhs, const In& rhs, const Dims& window_strides, const Padding& padding,
                                       const Dims& lhs_dilation = {}, const Dims& rhs_dilation = {}) {
  return conv_general_dilated(lhs, rhs,
                              {.window_strides = window_strides,
                               .padding = padding,
                               .lhs_dilation = lhs_dilation,
                               .rhs_dilation = rhs_dilation});
}

/// The same arrays, which no pass looks through: what they are made of is neither simplified nor computed anew.
template <class T> T optimization_barrier(const T& tree) {
  return tree::map([](const Array& x) { return tutti::detail::barrier(x); }, tree);
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
