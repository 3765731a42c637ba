// Places in sorted vectors. Source: jax.numpy.searchsorted.
#include "ops/reduction/search.hpp"

#include <algorithm>
#include <limits>

#include "array/literal.hpp"
#include "ir/across.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/ordered.hpp"

namespace tutti::ops {
namespace {

bool has_places(DType dtype) {
  return !dtype.is_key() &&
         visit_arithmetic_dtype(arithmetic_dtype(dtype), []<class T>(Stored<T>) { return Orderable<T>; });
}

std::vector<Type> infer_search(const Call& c) {
  const auto& p = c.get<Search>();
  const Type &sorted = c.operands[0], &x = c.operands[1];
  if (sorted.dtype != x.dtype)
    raise<TypeError>(c.op.name, "the vector is " + sorted.str() + ", what is looked for " + x.str(),
                     "They have one dtype.");
  if (!has_places(x.dtype))
    raise<TypeError>(c.op.name, x.str() + " has no order", "Look for integers, floats or bools.");
  if (sorted.ndim() != p.batch + 1 || x.ndim() < p.batch ||
      !std::equal(sorted.shape.begin(), sorted.shape.begin() + p.batch, x.shape.begin()))
    raise<ShapeError>(c.op.name, "the vectors are " + sorted.str() + ", what is looked for " + x.str(),
                      "There is one vector for each of the " + std::to_string(p.batch) + " first dims.");
  return {type(sorted.shape.back() <= INT32_MAX ? int32 : int64, x.shape)};
}

// Lower and upper bounds in the order of sort.
void eval_search(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const bool right = c.get<Search>().right;
  const std::int64_t n = in[0].type.shape.back(), vectors = n ? in[0].size() / n : 0;
  const std::int64_t each = vectors ? in[1].size() / vectors : 0;  // to look for in one vector
  visit_arithmetic_dtype(in[0].type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (Orderable<T>)
      for (std::int64_t i = 0; i < in[1].size(); ++i) {
        std::int64_t place = 0;
        if (n > 0) {
          const T* first = in[0].as<const T>() + i / each * n;
          const auto less = [](T x, T y) { return ordered(x) < ordered(y); };
          const T value = in[1].as<const T>()[i];
          place = (right ? std::upper_bound(first, first + n, value, less)
                         : std::lower_bound(first, first + n, value, less)) -
                  first;
        }
        if (out[0].type.dtype == int32)
          out[0].as<std::int32_t>()[i] = static_cast<std::int32_t>(place);
        else
          out[0].as<std::int64_t>()[i] = place;
      }
  });
}

Factors factors_search(const Call& c, const std::vector<Type>& results) {
  const int batch = c.get<Search>().batch;
  FactorBuilder b(c, results);
  for (int d = 0; d < c.operands[1].ndim(); ++d) {
    const int factor = b.share(1, d, d, c.operands[1].shape[d]);
    if (d < batch) b.f.operands[0][d] = {factor};
  }
  b.fixed_operand(0, batch, c.operands[0].shape.back());
  return b.f;
}

// Of a vector in blocks: what lies before a value in each of them adds up.
Across across_blocks_of_search() {
  Across out;
  out.padded = true;
  out.run = [](const Call& c, const std::vector<Array>& blocks, const Line& line) -> std::vector<Array> {
    const std::int64_t block = blocks[0].shape().back();
    const DType places = line.extent <= INT32_MAX ? int32 : int64;
    auto number = [&](std::int64_t n) { return array_from_scalar(Scalar(n).to(places), false); };
    auto all = [](const Array& x, const Shape& shape) { return lax::broadcast_in_dim(x, shape, {}); };
    auto wide = [&](const Array& x) {
      return x.dtype() == places ? x : bind1(convert_element_type, ConvertElementType{places, false}, {x});
    };
    auto count = [&](const Array& sorted) { return wide(bind1(c.op, c.params, {sorted, blocks[1]})); };
    if (block * line.blocks == line.extent) return {line.summed(count(blocks[0]))};
    // In the padding there is what comes last, and it does not count.
    const Array here = lax::sub(number(line.extent), lax::mul(wide(line.position()), number(block)));
    const Array is_there =
        lax::lt(lax::iota(places, blocks[0].shape(), blocks[0].ndim() - 1), all(here, blocks[0].shape()));
    const DType dtype = blocks[0].dtype();
    using Limits = std::numeric_limits<double>;
    const Scalar last = dtype.is_bool()
                            ? Scalar(true)
                            : Scalar(dtype.is_inexact() ? Limits::quiet_NaN() : Limits::infinity()).to(dtype);
    const Array filled = lax::select(is_there, blocks[0], all(array_from_scalar(last, false), blocks[0].shape()));
    const Array counted = count(filled);
    return {line.summed(lax::min(counted, all(lax::max(here, number(0)), counted.shape())))};
  };
  out.received = [](const Call& c, int, std::int64_t blocks) -> std::optional<double> {
    const auto results = static_cast<double>(c.operands[1].num_elements());
    return 2 * results * 4 * static_cast<double>(blocks - 1) / static_cast<double>(blocks);
  };
  return out;
}

Batched batch_search(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  Search p = c.get<Search>();
  if (!mapped[0] && p.batch == 0) return {{bind1(c.op, p, xs)}, {true}};  // more to look for in the same vector
  ++p.batch;
  return {{bind1(c.op, p, {batched(xs[0], mapped[0], axis.size), batched(xs[1], mapped[1], axis.size)})}, {true}};
}

}  // namespace

constinit const Home search = [] {
  Op op;
  op.name = "search";
  op.infer = infer_search;
  op.eval = eval_search;
  op.factors = factors_search;
  op.across = std::make_shared<Across>(across_blocks_of_search());
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = batch_search;
  op.flops = [](const Call& c, const std::vector<Type>& results) {
    double levels = 1;
    for (std::int64_t n = c.operands[0].shape.back(); n >= 16; n /= 16) ++levels;
    return 16 * levels * static_cast<double>(results[0].num_elements());
  };
  auto sample = [&](bool right, int dims, DType dtype, Shape sorted, Shape x) {
    op.samples.push_back({.params = Search{right, dims},
                          .operands = {type(dtype, std::move(sorted)), type(dtype, std::move(x))},
                          .differentiable = false});
  };
  for (bool right : {false, true}) {
    sample(right, 0, float32, {5}, {7});
    sample(right, 0, bfloat16, {40}, {3, 4});
    sample(right, 0, int32, {300}, {});
    sample(right, 0, bool_, {2}, {4});
    sample(right, 1, int8, {3, 20}, {3, 2, 2});
    sample(right, 2, float32, {2, 3, 4}, {2, 3});
    sample(right, 0, float32, {0}, {4});
    sample(right, 0, float32, {4}, {0});
  }
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
