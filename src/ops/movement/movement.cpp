#include "ops/movement/movement.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "base/half.hpp"
#include "tutti/base/extent.hpp"

namespace tutti::ops {

std::string text(const Dims& dims) { return Shape(dims).str(); }

void check_dims(std::string_view op, const std::string& what, const Dims& dims, int ndim) {
  std::vector<bool> seen(static_cast<std::size_t>(ndim), false);
  for (std::int64_t d : dims) {
    if (d < 0 || d >= ndim)
      raise<ShapeError>(op,
                        what + " " + text(dims) + " names dim " + std::to_string(d) + ", but there are " +
                            std::to_string(ndim) + " dims",
                        ndim ? "Dims are 0 to " + std::to_string(ndim - 1) + " here." : "A scalar has no dims.");
    if (seen[static_cast<std::size_t>(d)])
      raise<ShapeError>(op, what + " " + text(dims) + " names dim " + std::to_string(d) + " twice",
                        "Name each dim once.");
    seen[static_cast<std::size_t>(d)] = true;
  }
}

bool contains(const Dims& dims, std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

Dims shifted(const Dims& dims, int by, bool front) {
  Dims out;
  if (front) out.push_back(0);
  for (std::int64_t d : dims) out.push_back(d + by);
  return out;
}

Dims range(std::int64_t from, std::int64_t to) {
  Dims out;
  for (std::int64_t i = from; i < to; ++i) out.push_back(i);
  return out;
}

Shape with_front(std::int64_t n, const Shape& shape) {
  Shape out = shape;
  out.insert(0, n);
  return out;
}

Dims row_major_strides(const Shape& shape) {
  Dims out(shape.size(), 1);
  for (int d = shape.ndim() - 2; d >= 0; --d) out[d] = extent::mul(out[d + 1], shape[d + 1]);
  return out;
}

Array literal(DType dtype, double value) { return array_from_scalar(Scalar(value).to(dtype), false); }
std::optional<Scalar> literal_value(const Array& x) { return x.node()->literal; }
Array zeros(DType dtype, const Shape& shape) { return lax::broadcast_in_dim(literal(dtype, 0), shape, {}); }
Array zeros(const Type& like) { return zeros(like.dtype, like.shape); }
Array batched(const Array& x, bool mapped, std::int64_t n) { return mapped ? x : lax::broadcast(x, Shape{n}); }

Array to_front(const Array& x, int from) {
  if (from == 0) return x;
  Dims permutation{from};
  for (int d = 0; d < x.ndim(); ++d)
    if (d != from) permutation.push_back(d);
  return lax::transpose(x, permutation);
}

std::int64_t integer_at(const HostView& v, std::int64_t i) {
  return visit_dtype(v.type.dtype, [&]<class T>(Stored<T>) -> std::int64_t {
    if constexpr (std::same_as<T, std::uint64_t>)  // beyond int64 every index is out of range alike
      return static_cast<std::int64_t>(std::min<std::uint64_t>(v.as<T>()[i], INT64_MAX));
    else if constexpr (std::integral<T> || is_small_integer<T>)
      return v.as<T>()[i];
    else
      throw InternalError("an index of dtype " + std::string(v.type.dtype.name()));
  });
}

void read_view(const View& view, const HostView& in, const HostView& out) {
  move_elements(in, out, [&](const Dims& index) {
    std::int64_t at = view.offset;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * view.strides[d];
    return at;
  });
}

FactorBuilder::FactorBuilder(const Call& call, const std::vector<Type>& results) {
  for (const Type& t : call.operands) f.operands.emplace_back(t.ndim());
  for (const Type& t : results) f.results.emplace_back(t.ndim());
}

int FactorBuilder::add(std::int64_t size, Factors::Kind kind) {
  f.factors.push_back({size, kind});
  return static_cast<int>(f.factors.size()) - 1;
}

int FactorBuilder::share(int operand, int dim, int result_dim, std::int64_t size) {
  int factor = add(size);
  f.operands[operand][dim] = {factor};
  f.results[0][result_dim] = {factor};
  return factor;
}

Factors same_dims(const Call& call, const std::vector<Type>& results, const std::vector<bool>& changed) {
  FactorBuilder b(call, results);
  for (int d = 0; d < results[0].ndim(); ++d) {
    if (!changed[d]) {
      b.share(0, d, d, results[0].shape[d]);
    } else {
      b.f.factors[b.share(0, d, d, call.operands[0].shape[d])].kind = Factors::Kind::replicated;
    }
  }
  return b.f;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
