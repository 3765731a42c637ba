// Arrays one after another along a dim. Source: jax.lax.concatenate.
#include "ops/movement/concatenate.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_concatenate(const Call& c) {
  int dim = c.get<Concatenate>().dim;
  if (c.operands.empty()) raise<ShapeError>(c.op.name, "no arrays", "Give at least one.");
  const Type& first = c.operands[0];
  check_dims(c.op.name, "dim", {dim}, first.ndim());
  Shape shape = first.shape;
  shape[dim] = 0;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const Type& x = c.operands[i];
    if (x.dtype != first.dtype)
      raise<TypeError>(c.op.name, "operand " + std::to_string(i) + " is " + x.str() + ", operand 0 " + first.str(),
                       "Convert them to one dtype.");
    bool fits = x.ndim() == first.ndim();
    for (int d = 0; fits && d < x.ndim(); ++d) fits = d == dim || x.shape[d] == first.shape[d];
    if (!fits)
      raise<ShapeError>(c.op.name, "operand " + std::to_string(i) + " is " + x.str() + ", operand 0 " + first.str(),
                        "All dims but dim " + std::to_string(dim) + " must be equal.");
    shape[dim] += x.shape[dim];
  }
  return {type(first.dtype, shape)};
}

void eval_concatenate(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  int dim = c.get<Concatenate>().dim;
  const Shape& shape = out[0].type.shape;
  std::int64_t outer = 1, row = out[0].type.dtype.size();
  for (int d = 0; d < dim; ++d) outer *= shape[d];
  for (int d = dim + 1; d < shape.ndim(); ++d) row *= shape[d];
  std::int64_t at = 0;
  for (const HostView& x : in) {
    std::int64_t bytes = x.type.shape[dim] * row;
    for (std::int64_t o = 0; bytes && o < outer; ++o)
      std::memcpy(out[0].as<char>() + o * shape[dim] * row + at, x.as<char>() + o * bytes, bytes);
    at += bytes;
  }
}

Factors factors_concatenate(const Call& c, const std::vector<Type>& results) {
  int dim = c.get<Concatenate>().dim;
  FactorBuilder b(c, results);
  for (int d = 0; d < results[0].ndim(); ++d) {
    // The joined dim cannot be split, but placement flows along it.
    int factor = b.add(results[0].shape[d], d == dim ? Factors::Kind::replicated : Factors::Kind::parallel);
    b.f.results[0][d] = {factor};
    for (auto& operand : b.f.operands) operand[d] = {factor};
  }
  return b.f;
}

std::vector<Array> transposed_concatenate(const Call& c, const std::vector<Array>& cts, const std::vector<Array>&,
                                          const std::vector<bool>& undefined) {
  int dim = c.get<Concatenate>().dim;
  std::vector<Array> out(c.operands.size());
  Dims start(cts[0].ndim(), 0), limit = cts[0].shape().dims();
  for (std::size_t i = 0; i < out.size(); ++i) {
    limit[dim] = start[dim] + c.operands[i].shape[dim];
    if (undefined[i]) out[i] = lax::slice(cts[0], start, limit);
    start[dim] = limit[dim];
  }
  return out;
}

std::vector<Piece> pieces_of_concatenate(const Call& c, const Type& result) {
  const auto dim = static_cast<std::size_t>(c.get<Concatenate>().dim);
  const std::vector<std::int64_t> zero(result.shape.size(), 0);
  std::vector<std::int64_t> start = zero;
  std::vector<Piece> out;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const std::vector<std::int64_t> extents = c.operands[k].shape.dims();
    out.push_back({static_cast<int>(k), start, extents, zero});
    start[dim] += extents[dim];
  }
  return out;
}

}  // namespace

constinit const Home concatenate = [] {
  Op op;
  op.name = "concatenate";
  op.infer = infer_concatenate;
  op.eval = eval_concatenate;
  op.factors = factors_concatenate;
  op.linear = {{Op::every}};
  op.transpose = transposed_concatenate;
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                const BatchAxis& axis) {
    std::vector<Array> xs;
    for (std::size_t i = 0; i < operands.size(); ++i) xs.push_back(batched(operands[i], mapped[i], axis.size));
    return Batched{{lax::concatenate(xs, c.get<Concatenate>().dim + 1)}, {true}};
  };
  op.movement = true;
  op.pieces = pieces_of_concatenate;
  op.samples = {
      {.params = Concatenate{0}, .operands = {type(float32, {2, 3}), type(float32, {1, 3})}},
      {.params = Concatenate{1}, .operands = {type(float32, {2, 3}), type(float32, {2, 2}), type(float32, {2, 0})}},
      {.params = Concatenate{0}, .operands = {type(int32, {4})}},
      {.params = Concatenate{0}, .operands = {type(bfloat16, {1}), type(bfloat16, {1})}},
      {.params = Concatenate{1}, .operands = {type(float32, {0, 2}), type(float32, {0, 1})}},
      {.params = Concatenate{0}, .operands = {type(prng_key, {2}), type(prng_key, {3})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array concatenate(const std::vector<Array>& xs, int dim) { return bind1(ops::concatenate, ops::Concatenate{dim}, xs); }

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
