// Operations that move, repeat or select elements, and the contraction: their parameters, and what their homes share.
// Partitioner and engines read parameters from here; the homes are src/ops/<name>.cpp.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

using lax::Dims;

struct BroadcastInDim {
  Shape shape;
  Dims dims;  // result dim of each operand dim, increasing
  friend bool operator==(const BroadcastInDim&, const BroadcastInDim&) = default;
};
struct Reshape {
  Shape shape;
  friend bool operator==(const Reshape&, const Reshape&) = default;
};
struct Transpose {
  Dims permutation;  // result dim i is operand dim permutation[i]
  friend bool operator==(const Transpose&, const Transpose&) = default;
};
struct Rev {
  Dims dims;
  friend bool operator==(const Rev&, const Rev&) = default;
};
struct Roll {
  int dim = 0;
  std::int64_t shift = 0;  // result element i is operand element i - shift, modulo the extent; 0 to the extent
  friend bool operator==(const Roll&, const Roll&) = default;
};
struct SliceParams {
  Dims start, limit, strides;  // one each per dim; strides positive
  friend bool operator==(const SliceParams&, const SliceParams&) = default;
};
struct Pad {
  std::vector<lax::PadDim> config;
  friend bool operator==(const Pad&, const Pad&) = default;
};
struct Concatenate {
  int dim = 0;
  friend bool operator==(const Concatenate&, const Concatenate&) = default;
};
struct Iota {
  DType dtype;
  Shape shape;
  int dim = 0;
  friend bool operator==(const Iota&, const Iota&) = default;
};
struct DynamicSlice {  // operands: x, one scalar start per dim
  Shape sizes;
  friend bool operator==(const DynamicSlice&, const DynamicSlice&) = default;
};
struct Gather {  // operands: x, indices (last dim: the index vector)
  lax::GatherDims dims;
  Shape sizes;
  lax::GatherMode mode = lax::GatherMode::fill;
  bool zero_fill = false;  // fill with zeros instead of NaN and the like
  friend bool operator==(const Gather&, const Gather&) = default;
};
struct Scatter {  // operands: x, indices, updates
  lax::ScatterDims dims;
  lax::GatherMode mode = lax::GatherMode::fill;
  friend bool operator==(const Scatter&, const Scatter&) = default;
};
struct DotGeneral {
  lax::DotDims dims;
  std::optional<DType> preferred;
  friend bool operator==(const DotGeneral&, const DotGeneral&) = default;
};
struct Sort {  // operands sorted together by the first `num_keys` of them, stable, ascending, NaN last
  int dim = 0;
  int num_keys = 1;
  friend bool operator==(const Sort&, const Sort&) = default;
};

extern const Op broadcast_in_dim, reshape, transpose, rev, roll, slice, pad, concatenate, iota, dynamic_slice,
    dynamic_update_slice, gather, scatter, scatter_add, scatter_mul, scatter_min, scatter_max, dot_general, copy,
    random_wrap, random_unwrap;
/// Sort of 1, 2, ... operands; one Op per count, because an Op's number of results is fixed.
const Op& sort_op(int operands);
const Op& scatter_op(lax::ScatterKind kind);

/// The homes of this family, for op_list.cpp.
std::vector<const Op*> movement_ops();

// --- shared by the homes

std::string text(const Dims& dims);
/// Checks that `dims` are distinct and in [0, ndim); ShapeError.
void check_dims(std::string_view op, const std::string& what, const Dims& dims, int ndim);
bool contains(const Dims& dims, std::int64_t d);
/// `dims` with `by` added to each; with `front`, preceded by 0.
Dims shifted(const Dims& dims, int by = 1, bool front = false);
/// from, from + 1, ..., to - 1.
Dims range(std::int64_t from, std::int64_t to);
Shape with_front(std::int64_t n, const Shape& shape);
Dims row_major_strides(const Shape& shape);
inline Type type(DType dtype, Shape shape, bool weak = false) { return {dtype, std::move(shape), weak, {}}; }

/// The scalar `value` of `dtype`, a literal in Programs.
Array literal(DType dtype, double value);
/// The number that `x` is a literal of, if it is one.
std::optional<Scalar> literal_value(const Array& x);
Array zeros(DType dtype, const Shape& shape);
Array zeros(const Type& like);
/// `x` with a leading dim of `n`: broadcast when it is not mapped.
Array batched(const Array& x, bool mapped, std::int64_t n);
/// x with dim `from` moved to the front.
Array to_front(const Array& x, int from);

/// Calls f(index, flat) for every element of `shape`, row-major.
template <class F> void for_each_index(const Shape& shape, F f) {
  std::int64_t n = shape.num_elements();
  Dims index(shape.size(), 0);
  for (std::int64_t flat = 0; flat < n; ++flat) {
    f(static_cast<const Dims&>(index), flat);
    for (int d = shape.ndim() - 1; d >= 0 && ++index[d] == shape[d]; --d) index[d] = 0;
  }
}
/// out[flat] = in[at(index)] for every element of `out`; a negative position leaves it alone.
template <class F> void move_elements(const HostView& in, const HostView& out, F at) {
  std::int64_t size = in.type.dtype.size();
  for_each_index(out.type.shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t from = at(index);
    if (from >= 0) std::memcpy(out.as<char>() + flat * size, in.as<char>() + from * size, size);
  });
}
/// An integer of any dtype at position `i`.
std::int64_t integer_at(const HostView& view, std::int64_t i);
/// Reads a strided operand as `view` says.
void read_view(const View& view, const HostView& in, const HostView& out);

/// An op whose result is its operand: a start for those that differ from each other in what other stages make of them.
Op identity_op(std::string name);

/// Factors built dim by dim.
struct FactorBuilder {
  Factors f;
  FactorBuilder(const Call& call, const std::vector<Type>& results);
  int add(std::int64_t size, Factors::Kind kind = Factors::Kind::parallel);
  /// A new factor of its own for a dim that cannot be split.
  void fixed_operand(int operand, int dim, std::int64_t size) {
    f.operands[operand][dim] = {add(size, Factors::Kind::replicated)};
  }
  void fixed_result(int dim, std::int64_t size, int result = 0) {
    f.results[result][dim] = {add(size, Factors::Kind::replicated)};
  }
  /// One parallel factor shared by operand dim and result dim.
  int share(int operand, int dim, int result_dim, std::int64_t size);
};
/// Operand 0 and result 0 share a factor in every dim; that of a `changed` dim cannot be split, and its size is the
/// operand's. Placement flows along it all the same: the dims hold the same elements, elsewhere.
Factors same_dims(const Call& call, const std::vector<Type>& results, const std::vector<bool>& changed);

}  // namespace tutti::ops
