// One dim turned round by some elements. One operation rather than two slices and a concatenation, so that the dim
// keeps its cut even where a slice would be shorter than the mesh. Source: jax.numpy.roll.
#include "ops/movement/roll.hpp"
#include "ir/across.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

void eval_roll(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Roll>();
  const Shape& shape = out[0].type.shape;
  std::int64_t outer = 1, row = out[0].type.dtype.size(), n = shape[p.dim];
  for (int d = 0; d < p.dim; ++d) outer *= shape[d];
  for (int d = p.dim + 1; d < shape.ndim(); ++d) row *= shape[d];
  std::size_t head = static_cast<std::size_t>(p.shift * row), rest = static_cast<std::size_t>((n - p.shift) * row);
  for (std::int64_t o = 0; n > 0 && o < outer; ++o) {
    const char* from = in[0].as<char>() + o * n * row;
    char* to = out[0].as<char>() + o * n * row;
    std::memcpy(to, from + rest, head);
    std::memcpy(to + head, from, rest);
  }
}

std::vector<Piece> pieces_of_roll(const Call& c, const Type& result) {
  const auto& p = c.get<Roll>();
  const auto dim = static_cast<std::size_t>(p.dim);
  const std::vector<std::int64_t> zero(result.shape.size(), 0);
  Piece head{0, zero, result.shape.dims(), zero}, rest = head;
  head.extents[dim] = rest.start[dim] = p.shift;
  head.from[dim] = rest.extents[dim] = result.shape[p.dim] - p.shift;
  return {head, rest};
}

// The last elements of the block before, or of one further away, then the first ones of the block behind that.
Across across_blocks_of_roll() {
  auto split = [](const Call& c) {
    const std::int64_t block = c.operands[0].shape[c.get<Roll>().dim];
    return std::pair(c.get<Roll>().shift / block, c.get<Roll>().shift % block);  // whole blocks, and the rest
  };
  Across out;
  out.run = [=](const Call& c, const std::vector<Array>& blocks, const Line& line) {
    const auto [whole, rest] = split(c);
    const std::int64_t block = c.operands[0].shape[line.dim];
    auto part = [&](std::int64_t from, std::int64_t to) {
      Dims start(static_cast<std::size_t>(c.operands[0].ndim()), 0);
      Dims limit(c.operands[0].shape.begin(), c.operands[0].shape.end());
      start[line.dim] = from;
      limit[line.dim] = to;
      return lax::slice(blocks[0], start, limit);
    };
    if (rest == 0) return std::vector{line.shifted(blocks[0], whole)};
    return std::vector{lax::concatenate(
        {line.shifted(part(block - rest, block), whole + 1), line.shifted(part(0, block - rest), whole)}, line.dim)};
  };
  out.received = [=](const Call& c, int, std::int64_t blocks) {
    const auto [whole, rest] = split(c);
    const std::int64_t block = c.operands[0].shape[c.get<Roll>().dim];
    double elements = 0;
    if (whole % blocks != 0) elements += static_cast<double>(block - rest);
    if ((whole + 1) % blocks != 0) elements += static_cast<double>(rest);
    return elements / static_cast<double>(block) * static_cast<double>(c.operands[0].nbytes());
  };
  return out;
}

}  // namespace

constinit const Home roll = [] {
  Op op;
  op.name = "roll";
  op.infer = [](const Call& c) {
    const auto& p = c.get<Roll>();
    check_dims(c.op.name, "dims", {p.dim}, c.operands[0].ndim());
    std::int64_t n = c.operands[0].shape[p.dim];
    if (p.shift < 0 || p.shift > n)
      raise<ValueError>(c.op.name, "the shift is " + std::to_string(p.shift) + " of a dim of " + std::to_string(n),
                        "Give a shift from 0 to the extent.");
    return std::vector{type(c.operands[0].dtype, c.operands[0].shape)};
  };
  op.eval = eval_roll;
  op.factors = [](const Call& c, const std::vector<Type>& results) {
    Factors f = same_dims(c, results, std::vector<bool>(results[0].ndim(), false));
    for (int factor : f.operands[0][c.get<Roll>().dim]) f.factors[factor].kind = Factors::Kind::replicated;
    return f;
  };
  op.across = std::make_shared<Across>(across_blocks_of_roll());
  op.linear = {{0}};
  op.transpose = [](const Call& c, const std::vector<Array>& cts, const std::vector<Array>&, const std::vector<bool>&) {
    const auto& p = c.get<Roll>();
    return std::vector{bind1(roll, Roll{p.dim, cts[0].shape()[p.dim] - p.shift}, {cts[0]})};
  };
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis&) {
    const auto& p = c.get<Roll>();
    return Batched{{bind1(roll, Roll{p.dim + 1, p.shift}, {operands[0]})}, {true}};
  };
  op.movement = true;
  op.pieces = pieces_of_roll;
  op.samples = {
      {.params = Roll{0, 2}, .operands = {type(float32, {5})}},
      {.params = Roll{1, 1}, .operands = {type(float32, {3, 4})}},
      {.params = Roll{1, 0}, .operands = {type(int32, {2, 3, 2})}},
      {.params = Roll{0, 1}, .operands = {type(bfloat16, {1, 3})}},
      {.params = Roll{1, 0}, .operands = {type(float32, {2, 0})}},
      {.params = Roll{0, 2}, .operands = {type(prng_key, {3})}},
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
