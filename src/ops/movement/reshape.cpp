// The same elements in row-major order under another shape. Source: jax.lax.reshape.
#include <numeric>
#include <tuple>

#include "ops/movement/movement.hpp"
#include "ops/movement/reshape.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_reshape(const Call& c) {
  const auto& p = c.get<Reshape>();
  const Type& x = c.operands[0];
  for (std::int64_t d : p.shape)
    if (d < 0)
      raise<ShapeError>(c.op.name, "the shape " + p.shape.str() + " for " + x.str() + " has a negative extent",
                        "Only tutti::reshape infers one extent from -1.");
  if (p.shape.num_elements() != x.num_elements())
    raise<ShapeError>(c.op.name,
                      x.str() + " has " + std::to_string(x.num_elements()) + " elements, the shape " + p.shape.str() +
                          " " + std::to_string(p.shape.num_elements()),
                      "A reshape keeps the number of elements.");
  return {type(x.dtype, p.shape)};
}

// What is left of a dim, on either side, and cannot be split.
void fix(FactorBuilder& b, Factors::Dims& side, int d, std::int64_t rest) {
  if (rest > 1 || rest == 0) side[d].push_back(b.add(rest, Factors::Kind::replicated));
}

// Without elements there are no products to go by: equal leading dims correspond.
Factors factors_of_nothing(FactorBuilder b, const Shape& from, const Shape& to) {
  int i = 0;
  for (; i < from.ndim() && i < to.ndim() && from[i] == to[i]; ++i) b.share(0, i, i, from[i]);
  for (int d = i; d < from.ndim(); ++d) fix(b, b.f.operands[0], d, from[d]);
  for (int d = i; d < to.ndim(); ++d) fix(b, b.f.results[0], d, to[d]);
  return b.f;
}

// The group that begins at these dims; the dims behind it.
std::pair<int, int> group(FactorBuilder& b, const Shape& from, int i, const Shape& to, int j) {
  Factors::Dims &operand = b.f.operands[0], &result = b.f.results[0];
  std::int64_t a = from[i], r = to[j];  // what is left of the present dims
  std::int64_t left = a, right = r;     // products of the group so far
  for (bool stuck = false;;) {
    if (const std::int64_t g = stuck ? 1 : std::gcd(a, r); g > 1) {
      const int factor = b.add(g);
      operand[i].push_back(factor);
      result[j].push_back(factor);
      a /= g;
      r /= g;
    }
    if (a > 1 && r > 1) stuck = true;
    if (left == right) {
      fix(b, operand, i, a);
      fix(b, result, j, r);
      return {i + 1, j + 1};
    }
    if (left < right) {
      fix(b, operand, i++, a);
      a = from[i];
      left *= a;
    } else {
      fix(b, result, j++, r);
      r = to[j];
      right *= r;
    }
  }
}

// Both shapes are cut into their common refinement, group by group: a group is a shortest run of dims on either side
// with equal products. Within a group dims that divide one another share factors from the major end; what is left
// cannot be split.
Factors factors_reshape(const Call& c, const std::vector<Type>& results) {
  const Shape& from = c.operands[0].shape;
  const Shape& to = results[0].shape;
  FactorBuilder b(c, results);
  if (from.num_elements() == 0) return factors_of_nothing(b, from, to);
  for (int i = 0, j = 0; i < from.ndim() || j < to.ndim();) {
    const bool in_from = i < from.ndim(), in_to = j < to.ndim();
    if (in_from && in_to && from[i] == to[j]) {
      b.share(0, i, j, from[i]);
      ++i;
      ++j;
    } else if (in_from && from[i] == 1) {
      ++i;
    } else if (in_to && to[j] == 1) {
      ++j;
    } else {
      std::tie(i, j) = group(b, from, i, to, j);
    }
  }
  return b.f;
}

}  // namespace

constinit const Home reshape = [] {
  Op op;
  op.name = "reshape";
  op.infer = infer_reshape;
  op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    if (in[0].type.nbytes() && in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, in[0].type.nbytes());
  };
  op.factors = factors_reshape;
  op.linear = {{0}};
  op.transpose = [](const Call& c, const std::vector<Array>& cts, const std::vector<Array>&, const std::vector<bool>&) {
    return std::vector{lax::reshape(cts[0], c.operands[0].shape)};
  };
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis& axis) {
    return Batched{{lax::reshape(operands[0], with_front(axis.size, c.get<Reshape>().shape))}, {true}};
  };
  op.view = [](const Call&, const Type& result) { return std::optional(View{0, row_major_strides(result.shape)}); };
  op.movement = true;
  op.localize = [](const Params&, const LocalTypes& types) { return Params(Reshape{types.results[0]}); };
  op.samples = {
      {.params = Reshape{{24}}, .operands = {type(float32, {6, 4})}},
      {.params = Reshape{{6, 4}}, .operands = {type(float32, {24})}},
      {.params = Reshape{{4, 3, 2}}, .operands = {type(float32, {2, 12})}},
      {.params = Reshape{{8, 3}}, .operands = {type(float32, {6, 4})}},
      {.params = Reshape{{1, 6, 1}}, .operands = {type(bfloat16, {2, 3})}},
      {.params = Reshape{{}}, .operands = {type(int32, {1, 1})}},
      {.params = Reshape{{3, 0}}, .operands = {type(float32, {0, 5})}},
      {.params = Reshape{{4}}, .operands = {type(prng_key, {2, 2})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array reshape(const In& x, const Shape& shape) {
  CallScope scope(x.loc);
  return bind1(ops::reshape, ops::Reshape{shape}, {x.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
