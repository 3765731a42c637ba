// The strict layer under the NumPy-like functions: no promotion, no implicit broadcasting; every op of the IR has its
// function here. Source: jax.lax.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::lax {

using Dims = std::vector<std::int64_t>;

// --- movement (src/ops/movement*.cpp, indexing*.cpp)
/// Operand dim i becomes result dim `dims[i]`; the others are new. An operand extent of 1 may become any extent.
Array broadcast_in_dim(const In& x, const Shape& shape, const Dims& dims);
/// New leading dims.
Array broadcast(const In& x, const Shape& leading);
Array reshape(const In& x, const Shape& shape);
Array transpose(const In& x, const Dims& permutation);
Array rev(const In& x, const Dims& dims);
Array slice(const In& x, const Dims& start, const Dims& limit, const Dims& strides = {});
/// Per dim (low, high, interior) padding; low and high may be negative.
struct PadDim {
  std::int64_t low = 0, high = 0, interior = 0;
  friend bool operator==(const PadDim&, const PadDim&) = default;
};
Array pad(const In& x, const In& value, const std::vector<PadDim>& config);
Array concatenate(const std::vector<Array>& xs, int dim);
Array iota(DType dtype, const Shape& shape, int dim);
/// Starts are scalar integer arrays or numbers, clamped so that the slice fits.
Array dynamic_slice(const In& x, const std::vector<Array>& starts, const Shape& sizes);
Array dynamic_update_slice(const In& x, const In& update, const std::vector<Array>& starts);
enum class GatherMode { clip, fill, promise_in_bounds };
constexpr Choices choices_of(GatherMode) { return {"gather", "mode", "clip fill|drop promise_in_bounds"}; }
struct GatherDims {
  Dims offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims;
  friend bool operator==(const GatherDims&, const GatherDims&) = default;
};
Array gather(const In& x, const In& start_indices, const GatherDims& dims, const Shape& slice_sizes,
             OneOf<GatherMode> mode = GatherMode::fill);
struct ScatterDims {
  Dims update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims,
      scatter_indices_batching_dims;
  friend bool operator==(const ScatterDims&, const ScatterDims&) = default;
};
enum class ScatterKind { set, add, mul, min, max };
constexpr Choices choices_of(ScatterKind) { return {"scatter", "kind", "set add mul|multiply min max"}; }
Array scatter(const In& x, const In& indices, const In& updates, const ScatterDims& dims, OneOf<ScatterKind> kind,
              OneOf<GatherMode> mode = GatherMode::fill);
inline Array scatter_add(const In& x, const In& indices, const In& updates, const ScatterDims& dims) {
  return scatter(x, indices, updates, dims, ScatterKind::add);
}

// --- contraction (src/ops/contraction/dot_general.cpp)
struct DotDims {
  Dims lhs_contract, rhs_contract, lhs_batch, rhs_batch;
  friend bool operator==(const DotDims&, const DotDims&) = default;
};
/// Result dims: batch, lhs free, rhs free. bf16 and f16 accumulate in float32; the result has the operands' dtype
/// unless `preferred`.
Array dot_general(const In& lhs, const In& rhs, const DotDims& dims, std::optional<DType> preferred = {});

// --- elementwise (src/ops/pointwise*.cpp, src/ops/<name>.cpp): operands of equal shape and dtype
Array convert_element_type(const In& x, DType dtype, bool weak = false);
Array bitcast_convert_type(const In& x, DType dtype);
/// `predicate` is bool of the cases' shape, or of shape ().
Array select(const In& predicate, const In& if_true, const In& if_false);
Array add(const In& x, const In& y);
Array sub(const In& x, const In& y);
Array mul(const In& x, const In& y);
Array div(const In& x, const In& y);
Array rem(const In& x, const In& y);
Array max(const In& x, const In& y);
Array min(const In& x, const In& y);
Array pow(const In& x, const In& y);
Array atan2(const In& x, const In& y);
Array neg(const In& x);
Array conj(const In& x);  // complex, also of float32 and float64
Array integer_pow(const In& x, Dim exponent);
Array rsqrt(const In& x);
Array erf(const In& x);
Array erfc(const In& x);
Array erf_inv(const In& x);
Array lgamma(const In& x);
Array digamma(const In& x);
Array logistic(const In& x);
Array fma(const In& a, const In& b, const In& c);
Array eq(const In& x, const In& y);
Array ne(const In& x, const In& y);
Array lt(const In& x, const In& y);
Array le(const In& x, const In& y);
Array gt(const In& x, const In& y);
Array ge(const In& x, const In& y);
Array bitwise_and(const In& x, const In& y);
Array bitwise_or(const In& x, const In& y);
Array bitwise_xor(const In& x, const In& y);
Array bitwise_not(const In& x);
Array population_count(const In& x);
/// Leading zero bits.
Array clz(const In& x);
Array shift_left(const In& x, const In& y);
Array shift_right_logical(const In& x, const In& y);
Array shift_right_arithmetic(const In& x, const In& y);

// --- reductions (src/ops/reduction/reduce.cpp): axes sorted, dropped
Array reduce_sum(const In& x, const Dims& axes);
Array reduce_max(const In& x, const Dims& axes);
Array reduce_min(const In& x, const Dims& axes);
Array reduce_prod(const In& x, const Dims& axes);
Array reduce_any(const In& x, const Dims& axes);  // bool
Array reduce_all(const In& x, const Dims& axes);
Array argmax(const In& x, int axis, DType index = int32);
Array argmin(const In& x, int axis, DType index = int32);
Array cumsum(const In& x, int axis, bool reverse = false);

Array stop_gradient(const In& x);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
