// Typed random keys and their two words: uint32[..., 2] and back, the same bytes. Source: jax.random.wrap_key_data,
// key_data.
#include "ops/movement/random_keys.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::ops {
namespace {

Factors factors_random_keys(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  int n = std::min(c.operands[0].ndim(), results[0].ndim());
  for (int d = 0; d < n; ++d) b.share(0, d, d, results[0].shape[d]);
  if (c.operands[0].ndim() > n) b.fixed_operand(0, n, 2);
  if (results[0].ndim() > n) b.fixed_result(n, 2);
  return b.f;
}

Op home(std::string name) {
  Op op;
  op.name = std::move(name);
  op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    if (in[0].type.nbytes() && in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, in[0].type.nbytes());
  };
  op.factors = factors_random_keys;
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis&) {
    return Batched{{bind1(c.op, {}, {operands[0]})}, {true}};
  };
  op.not_differentiable = "keys are not numbers";
  return op;
}

}  // namespace

constinit const Home random_wrap = [] {
  Op op = home("random_wrap");
  op.infer = [](const Call& c) {
    const Type& x = c.operands[0];
    if (x.dtype != uint32 || x.ndim() == 0 || x.shape.back() != 2)
      raise<TypeError>(c.op.name, "the words are " + x.str(), "A key is made of uint32[..., 2].");
    Shape shape = x.shape;
    shape.erase(x.ndim() - 1);
    return std::vector{type(prng_key, shape)};
  };
  op.samples = {{.params = {}, .operands = {type(uint32, {2})}},
                {.params = {}, .operands = {type(uint32, {3, 2})}},
                {.params = {}, .operands = {type(uint32, {0, 2})}}};
  return op;
};

constinit const Home random_unwrap = [] {
  Op op = home("random_unwrap");
  op.infer = [](const Call& c) {
    const Type& x = c.operands[0];
    if (!x.dtype.is_key()) raise<TypeError>(c.op.name, x.str() + " is not a key", "random::key(seed) makes one.");
    Shape shape = x.shape;
    shape.push_back(2);
    return std::vector{type(uint32, shape)};
  };
  op.view = [](const Call&, const Type& result) {
    View words{0, std::vector<std::int64_t>(static_cast<std::size_t>(result.ndim()), 1)};
    for (int d = result.ndim() - 1; d-- > 0;) words.strides[d] = words.strides[d + 1] * result.shape[d + 1];
    return std::optional(words);
  };
  op.samples = {{.params = {}, .operands = {type(prng_key, {})}},
                {.params = {}, .operands = {type(prng_key, {3})}},
                {.params = {}, .operands = {type(prng_key, {0})}}};
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array random_wrap(const In& words) {
  CallScope scope(words.loc);
  return bind1(ops::random_wrap, {}, {words.array});
}
Array random_unwrap(const In& keys) {
  CallScope scope(keys.loc);
  return bind1(ops::random_unwrap, {}, {keys.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
