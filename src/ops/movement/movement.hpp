// What the homes share that move, repeat or select elements: dims and shapes, zeros and literals, loops over elements,
// factors.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

using lax::Dims;

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

// SPDX-License-Identifier: Apache-2.0
