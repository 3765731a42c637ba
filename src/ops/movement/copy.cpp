// The same array in a buffer of its own. Source: jax.numpy.copy.
#include "ops/movement/copy.hpp"
#include "lane/vector_ir.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {

Op identity_op(std::string name) {
  Op op;
  op.name = std::move(name);
  op.infer = [](const Call& c) { return std::vector{type(c.operands[0].dtype, c.operands[0].shape)}; };
  op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    if (in[0].type.nbytes() && in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, in[0].type.nbytes());
  };
  op.factors = [](const Call& c, const std::vector<Type>& results) {
    return same_dims(c, results, std::vector<bool>(results[0].ndim(), false));
  };
  op.linear = {{0}};
  op.transpose = [](const Call&, const std::vector<Array>& cts, const std::vector<Array>&, const std::vector<bool>&) {
    return std::vector{cts[0]};
  };
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis&) {
    return Batched{{bind1(c.op, {}, {operands[0]})}, {true}};
  };
  op.movement = true;
  return op;
}

constinit const Home copy = [] {
  Op op = identity_op("copy");
  op.pointwise = [](VectorIR&, const Call&, std::span<const Reg> in) { return in[0]; };
  op.flops = [](const Call&, const std::vector<Type>&) { return 0.0; };
  op.samples = {
      {.params = {}, .operands = {type(float32, {2, 3})}},
      {.params = {}, .operands = {type(int32, {})}},
      {.params = {}, .operands = {type(bfloat16, {0, 2})}},
      {.params = {}, .operands = {type(prng_key, {2})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti {

Array copy(const In& x) { return x.array.copy(x.loc); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
