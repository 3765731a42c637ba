// The elements of some dims in reverse order. Source: jax.lax.rev.
#include "ops/movement/rev.hpp"

#include "ir/across.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

View view_of_rev(const Call& c) {
  const Shape& shape = c.operands[0].shape;
  View v{0, row_major_strides(shape)};
  for (std::int64_t d : c.get<Rev>().dims) {
    v.offset += (shape[d] - 1) * v.strides[d];
    v.strides[d] = -v.strides[d];
  }
  if (shape.num_elements() == 0) v.offset = 0;
  return v;
}

// Every block turned round, and those of a line from its end on. Where the last blocks end in padding, that comes first
// and stays out: what follows moves up by so much.
Across across_blocks_of_rev() {
  struct Parts {
    std::int64_t whole, rest;  // blocks and elements of padding
  };
  auto parts = [](std::int64_t block, const Line& line) {
    const std::int64_t padding = block * line.blocks - line.extent;
    return Parts{padding / block, padding % block};
  };
  Across out;
  out.padded = true;
  out.run = [=](const Call& c, const std::vector<Array>& blocks, const Line& line) -> std::vector<Array> {
    const Array x = bind1(c.op, c.params, blocks);
    const std::int64_t block = x.shape()[line.dim];
    const auto [whole, rest] = parts(block, line);
    auto part = [&](std::int64_t from, std::int64_t to) {
      Dims start(x.shape().size(), 0), limit = x.shape().dims();
      start[line.dim] = from;
      limit[line.dim] = to;
      return lax::slice(x, start, limit);
    };
    const std::int64_t last = line.blocks - 1 - whole;
    if (rest == 0) return {line.mirrored(x, last)};
    return {
        lax::concatenate({line.mirrored(part(rest, block), last), line.mirrored(part(0, rest), last - 1)}, line.dim)};
  };
  // In a line of one block nothing is sent.
  out.received = [](const Call& c, int, std::int64_t blocks) {
    return blocks > 1 ? static_cast<double>(c.operands[0].nbytes()) : 0;
  };
  return out;
}

}  // namespace

constinit const Home rev = [] {
  Op op;
  op.name = "rev";
  op.infer = [](const Call& c) {
    check_dims(c.op.name, "dims", c.get<Rev>().dims, c.operands[0].ndim());
    return std::vector{type(c.operands[0].dtype, c.operands[0].shape)};
  };
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    read_view(view_of_rev(c), in[0], out[0]);
  };
  op.factors = [](const Call& c, const std::vector<Type>& results) {
    Factors f = same_dims(c, results, std::vector<bool>(results[0].ndim(), false));
    for (std::int64_t d : c.get<Rev>().dims) f.factors[f.operands[0][d][0]].kind = Factors::Kind::replicated;
    return f;
  };
  op.across = std::make_shared<Across>(across_blocks_of_rev());
  op.linear = {{0}};
  op.transpose = [](const Call& c, const std::vector<Array>& cts, const std::vector<Array>&, const std::vector<bool>&) {
    return std::vector{lax::rev(cts[0], c.get<Rev>().dims)};
  };
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis&) {
    return Batched{{lax::rev(operands[0], shifted(c.get<Rev>().dims))}, {true}};
  };
  op.view = [](const Call& c, const Type&) { return std::optional(view_of_rev(c)); };
  op.movement = true;
  op.samples = {
      {.params = Rev{{0}}, .operands = {type(float32, {5})}},
      {.params = Rev{{1}}, .operands = {type(float32, {3, 4})}},
      {.params = Rev{{0, 2}}, .operands = {type(int32, {2, 3, 2})}},
      {.params = Rev{{}}, .operands = {type(float32, {})}},
      {.params = Rev{{0}}, .operands = {type(bfloat16, {1, 3})}},
      {.params = Rev{{1}}, .operands = {type(float32, {2, 0})}},
      {.params = Rev{{0}}, .operands = {type(prng_key, {3})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array rev(const In& x, const Dims& dims) {
  CallScope scope(x.loc);
  return bind1(ops::rev, ops::Rev{dims}, {x.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
