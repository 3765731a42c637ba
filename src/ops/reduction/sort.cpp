// Arrays sorted together along a dim, by the first of them, then the second, ...: stable, ascending, NaN last. Source:
// jax.lax.sort.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/half.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/sort.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::ops {
namespace {

// Total order of floats as in JAX: -0 equals 0, all NaNs are equal and last.
template <class T> int order(const void* data, std::int64_t i, std::int64_t j) {
  T a = static_cast<const T*>(data)[i], b = static_cast<const T*>(data)[j];
  if constexpr (std::same_as<T, BFloat16> || std::same_as<T, Float16>) {
    float x = a, y = b;
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) - std::isnan(y);
    return (x > y) - (x < y);
  } else {
    if constexpr (std::floating_point<T>)
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
    return (a > b) - (a < b);
  }
}

using Order = int (*)(const void*, std::int64_t, std::int64_t);
// nullptr for what has no order: complex numbers and keys.
Order order_of(DType dtype) {
  if (dtype.is_key()) return nullptr;
  return visit_dtype(dtype, []<class T>(Stored<T>) -> Order {
    if constexpr (std::same_as<T, std::complex<float>>)
      return nullptr;
    else
      return order<T>;
  });
}

std::vector<Type> infer(const Call& c) {
  const auto& p = c.get<Sort>();
  if (c.operands.empty()) raise<ShapeError>(c.op.name, "no arrays", "Give at least one.");
  const Type& x = c.operands[0];
  check_dims(c.op.name, "dim", {p.dim}, x.ndim());
  if (p.num_keys < 1 || p.num_keys > static_cast<int>(c.operands.size()))
    raise<ShapeError>(c.op.name,
                      std::to_string(p.num_keys) + " keys of " + std::to_string(c.operands.size()) + " arrays",
                      "Sort by one array or more.");
  std::vector<Type> out;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const Type& t = c.operands[i];
    if (t.shape != x.shape)
      raise<ShapeError>(c.op.name, "the arrays are " + x.str() + " and " + t.str(),
                        "Arrays sorted together have one shape.");
    if (static_cast<int>(i) < p.num_keys && !order_of(t.dtype))
      raise<TypeError>(c.op.name, t.str() + " has no order", "Sort by integers, floats or bools.");
    out.push_back(type(t.dtype, t.shape));
  }
  return out;
}

void eval(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Sort>();
  Shape rows = in[0].type.shape;
  std::int64_t n = rows[p.dim];
  rows[p.dim] = n ? 1 : 0;
  Dims strides = row_major_strides(in[0].type.shape);
  std::int64_t step = strides[p.dim];
  std::vector<std::int64_t> from(n);
  for_each_index(rows, [&](const Dims& index, std::int64_t) {
    std::int64_t first = 0;
    for (std::size_t d = 0; d < index.size(); ++d) first += index[d] * strides[d];
    for (std::int64_t i = 0; i < n; ++i) from[i] = first + i * step;
    std::stable_sort(from.begin(), from.end(), [&](std::int64_t a, std::int64_t b) {
      for (int k = 0; k < p.num_keys; ++k)
        if (int o = order_of(in[k].type.dtype)(in[k].data, a, b)) return o < 0;
      return false;
    });
    for (std::size_t k = 0; k < in.size(); ++k) {
      std::int64_t size = in[k].type.dtype.size();
      for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(out[k].as<char>() + (first + i * step) * size, in[k].as<char>() + from[i] * size, size);
    }
  });
}

Factors factors(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  for (int d = 0; d < c.operands[0].ndim(); ++d) {
    int factor =
        b.add(c.operands[0].shape[d], d == c.get<Sort>().dim ? Factors::Kind::replicated : Factors::Kind::parallel);
    for (auto& dims : b.f.operands) dims[d] = {factor};
    for (auto& dims : b.f.results) dims[d] = {factor};
  }
  return b.f;
}

// Tangents move as their values do: sort positions along, then pick.
std::vector<Array> jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>&,
                       const std::vector<Array>& tangents) {
  const auto& p = c.get<Sort>();
  const Shape& shape = primals[0].shape();
  if (shape.num_elements() == 0) return tangents;
  // By the last key first: sorting is stable, so the first key decides at the end.
  Array at = bind1(iota, Iota{shape[p.dim] > INT32_MAX ? int64 : int32, shape, p.dim}, {});
  for (int k = p.num_keys; k-- > 0;) at = lax::sort({take_along_axis(primals[k], at, p.dim), at}, p.dim, 1).back();
  std::vector<Array> out;
  for (const Array& t : tangents) out.push_back(t.has_value() ? take_along_axis(t, at, p.dim) : Array());
  return out;
}

Batched batch(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped, const BatchAxis& axis) {
  Sort p = c.get<Sort>();
  ++p.dim;
  std::vector<Array> all;
  for (std::size_t i = 0; i < xs.size(); ++i) all.push_back(batched(xs[i], mapped[i], axis.size));
  return {tutti::bind(c.op, p, all), std::vector<bool>(xs.size(), true)};
}

std::vector<Sample> samples() {
  std::vector<Sample> out;
  for (int operands : {1, 2, 3, 5}) {
    auto same = [&](DType key, Shape shape) {
      std::vector<Type> types(operands, type(float32, shape));
      types[0].dtype = key;
      return types;
    };
    out.push_back({.params = Sort{0, 1}, .operands = same(float32, {5})});
    out.push_back({.params = Sort{1, operands}, .operands = same(float32, {3, 4})});
    out.push_back({.params = Sort{0, 1}, .operands = same(int32, {4, 2})});
    out.push_back({.params = Sort{0, 1}, .operands = same(bfloat16, {1})});
    out.push_back({.params = Sort{1, 1}, .operands = same(float32, {2, 0})});
  }
  return out;
}

}  // namespace

constinit const Home sort = [] {
  Op op;
  op.name = "sort";
  op.infer = infer;
  op.eval = eval;
  op.factors = factors;
  op.jvp = jvp;
  op.batch = batch;
  op.samples = samples();
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

std::vector<Array> sort(const std::vector<Array>& xs, int dim, int num_keys) {
  return tutti::bind(ops::sort, ops::Sort{dim, num_keys}, xs);
}
Array sort(const In& x, int dim) {
  CallScope scope(x.loc);
  return bind1(ops::sort, ops::Sort{dim, 1}, {x.array});
}

}  // namespace tutti::lax
