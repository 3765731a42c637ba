#include "numpy/promotion.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <string>

#include "array/node.hpp"
#include "ir/op.hpp"
#include "tree/absent.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using K = DType::Kind;

// The lattice's nodes: strong dtypes by their kind, then the weak ones.
constexpr int weak_int = 20, weak_float = 21, weak_complex = 22, nodes = 23;
constexpr int node(K k) { return static_cast<int>(k); }

// Bit j of above[i]: type i may become type j.
consteval std::array<std::uint32_t, nodes> reachable() {
  std::array<std::uint32_t, nodes> above{};
  auto edge = [&](int from, int to) { above[from] |= 1u << to; };
  edge(node(K::bool_), weak_int);
  edge(weak_int, node(K::int4));  // 4-bit integers and 8-bit floats become nothing else unasked
  edge(weak_int, node(K::uint4));
  edge(weak_int, node(K::int8));
  edge(weak_int, node(K::uint8));
  edge(node(K::int8), node(K::int16));
  edge(node(K::int16), node(K::int32));
  edge(node(K::int32), node(K::int64));
  edge(node(K::uint8), node(K::int16));
  edge(node(K::uint8), node(K::uint16));
  edge(node(K::uint16), node(K::int32));
  edge(node(K::uint16), node(K::uint32));
  edge(node(K::uint32), node(K::int64));
  edge(node(K::uint32), node(K::uint64));
  edge(node(K::int64), weak_float);
  edge(node(K::uint64), weak_float);
  edge(weak_float, node(K::float8_e4m3fn));
  edge(weak_float, node(K::float8_e5m2));
  edge(weak_float, node(K::bfloat16));
  edge(weak_float, node(K::float16));
  edge(weak_float, weak_complex);
  edge(node(K::bfloat16), node(K::float32));
  edge(node(K::float16), node(K::float32));
  edge(node(K::float32), node(K::float64));
  edge(node(K::float32), node(K::complex64));
  edge(weak_complex, node(K::complex64));
  edge(node(K::float64), node(K::complex128));
  edge(node(K::complex64), node(K::complex128));
  for (int i = 0; i < nodes; ++i) above[i] |= 1u << i;
  for (int round = 0; round < nodes; ++round)
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j)
        if (above[i] >> j & 1) above[i] |= above[j];
  return above;
}
constexpr auto above = reachable();

int node_of(const Type& t) {
  if (!t.weak || t.dtype.is_bool()) return node(t.dtype.kind());
  return t.dtype.is_integer() ? weak_int : t.dtype.is_floating() ? weak_float : weak_complex;
}

}  // namespace

Promotion promote(const std::vector<Array>& xs) {
  std::uint32_t common = ~0u;
  for (const Array& x : xs) {
    if (x.dtype().is_key())
      raise<TypeError>(call_name("arithmetic"),
                       "random keys take part in no arithmetic: an operand is " + x.type().str(),
                       "Use random::key_data to see their words.");
    common &= above[node_of(x.type())];
  }
  // The least of the common upper bounds is the one below all others.
  for (int i = 0; i < nodes; ++i)
    if (common >> i & 1 && (above[i] & common) == common) {
      if (i == weak_int) return {canonical(int64), true};
      if (i == weak_float) return {canonical(float64), true};
      if (i == weak_complex) return {canonical(complex128), true};
      return {canonical(DType(static_cast<K>(i))), false};
    }
  std::string types;
  for (const Array& x : xs) types += (types.empty() ? "" : ", ") + x.type().str();
  raise<TypeError>(call_name("arithmetic"), "there is no common type of " + types,
                   "Convert one of them with astype(): 8-bit floats and 4-bit integers become no other type unasked.");
}

Promotion inexact(Promotion p) { return {inexact(p.dtype), p.weak}; }
Promotion promote_inexact(const std::vector<Array>& xs) { return inexact(promote(xs)); }

const Array& given(const Array& x, const char* what) {
  refuse_absent(x);
  if (!x.has_value()) raise<ValueError>(what, "an operand is empty (no array here)", "Test has_value() first.");
  return x;
}
Array converted(Array x, Promotion p) {
  if (x.dtype() == p.dtype) return x;  // a weak operand decides nothing: the result is as strong as the strongest
  if (const auto& literal = x.node()->literal; literal && x.ndim() == 0)
    return array_from_scalar(literal->to(p.dtype), x.weak_type() || p.weak);
  return lax::convert_element_type(x, p.dtype, p.weak);
}

namespace {

template <class T, class ShapeOf, class TextOf>
Shape common_shape(const char* what, const std::vector<T>& xs, ShapeOf shape_of, TextOf text_of) {
  int ndim = 0;
  for (const T& x : xs) ndim = std::max(ndim, shape_of(x).ndim());
  Shape out(std::vector<std::int64_t>(static_cast<std::size_t>(ndim), 1));
  for (const T& x : xs) {
    const Shape& shape = shape_of(x);
    for (int d = 0; d < shape.ndim(); ++d) {
      std::int64_t extent = shape[d];
      std::int64_t& o = out[static_cast<std::size_t>(ndim - shape.ndim() + d)];
      if (extent == 1 || extent == o) continue;
      if (o != 1) {
        std::string all;
        for (std::size_t i = 0; i < xs.size(); ++i)
          all += (i == 0 ? "" : i + 1 == xs.size() ? " and " : ", ") + text_of(xs[i]);
        raise<ShapeError>(what,
                          "shapes do not broadcast: " + all + ": dim " + std::to_string(d - shape.ndim()) + " is " +
                              std::to_string(o) + " and " + std::to_string(extent),
                          "Extents, counted from the last dim, have to be equal or 1: use reshape() or expand_dims().");
      }
      o = extent;
    }
  }
  return out;
}

}  // namespace

Shape common_shape(const char* what, const std::vector<Shape>& shapes) {
  return common_shape(
      what, shapes, [](const Shape& s) -> const Shape& { return s; }, [](const Shape& s) { return s.str(); });
}
Shape common_shape(const char* what, const std::vector<Array>& xs) {
  return common_shape(
      what, xs, [](const Array& x) -> const Shape& { return x.shape(); },
      [](const Array& x) { return x.type().str(); });
}

Array spread_to(Array x, const Shape& shape) {
  if (x.shape() == shape) return x;
  lax::Dims dims(static_cast<std::size_t>(x.ndim()));
  std::iota(dims.begin(), dims.end(), shape.ndim() - x.ndim());
  return lax::broadcast_in_dim(x, shape, dims);
}
Array spread(Array x, const Shape& shape) { return x.ndim() == 0 ? x : spread_to(std::move(x), shape); }

void bring_together(const char* what, std::vector<Array>& xs, Promotion p) {
  Shape shape = common_shape(what, xs);
  for (Array& x : xs) x = spread(converted(std::move(x), p), shape);
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
