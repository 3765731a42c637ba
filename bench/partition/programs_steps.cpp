// Neighbours along a dimension, and loops of steps.
#include "programs.hpp"

namespace bench {
namespace {

// Blocks for 8 stages, then zeros while the last ones go through.
Array feed_of(const Array& blocks) { return concatenate({blocks, zeros({7, blocks.shape(1), blocks.shape(2)})}); }
// All states after each step: every stage hands its block to the next one (`shift`), then multiplies by its weight.
template <class Shift> Array staged(const Arrays& in, const Shift& shift) {
  auto stage = [](const Array& h, const Array& w) { return tanh(matmul(h, w)); };
  auto step = [&](const Array& state, const Array& x) {
    const Array next = vmap(stage)(shift(state, x), in[0]);
    return std::pair{next, next};
  };
  return lax::scan(step, zeros({8, in[1].shape(1), in[1].shape(2)}), feed_of(in[1])).second;
}
Array handed_on(const Array& state, const Array& x) { return concatenate({expand_dims(x, 0), state(slice(-1))}); }

}  // namespace

Array convolution(const Arrays& in) {
  return lax::conv_general_dilated(in[0], in[1], {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
}
Array convolution_by_slices(const Arrays& in) {
  const std::int64_t h = in[0].shape(1), w = in[0].shape(2);
  const Array x = pad(in[0], {{0, 0}, {1, 1}, {1, 1}, {0, 0}});
  Array out = zeros({in[0].shape(0), h, w, in[1].shape(3)});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out = out + matmul(x(all, slice(i, i + h), slice(j, j + w)), in[1](i, j));
  return out;
}

Array roll_rows(const Arrays& in) { return roll(in[0], 3, 0); }
Array roll_by_concatenate(const Arrays& in) { return concatenate({in[0](slice(-3, none)), in[0](slice(-3))}); }
Array roll_by_take(const Arrays& in) {
  const int n = static_cast<int>(in[0].shape(0));
  return take(in[0], (arange(n) + (n - 3)) % n, 0);
}

Array pipeline(const Arrays& in) { return staged(in, handed_on); }
Array pipeline_roll(const Arrays& in) {
  return staged(in, [](const Array& state, const Array& x) { return roll(state, 1, 0).at(0).set(x); });
}
Array pipeline_pad(const Arrays& in) {
  const Array first = expand_dims(arange(8) == 0, {1, 2});
  return staged(in, [&](const Array& state, const Array& x) {
    return where(first, expand_dims(x, 0), pad(state, {{1, 0}, {0, 0}, {0, 0}})(slice(-1)));
  });
}
Array pipeline_constrained(const Arrays& in) {
  return staged(in, [](const Array& state, const Array& x) {
    return with_sharding_constraint(handed_on(state, x), NamedSharding(make_mesh({8}, {"p"}), P("p", none, none)));
  });
}

Array repeated_product(const Arrays& in) {
  auto step = [&](const Array& h, none_t) { return std::pair{tanh(matmul(h, in[1])), Arrays{}}; };
  return lax::scan(step, in[0], none, {.length = 32}).first;
}
Array repeated_product_fori(const Arrays& in) {
  return lax::fori_loop(
      0, 32, [&](const Array&, const Array& h) { return tanh(matmul(h, in[1])); }, in[0]);
}
Array repeated_product_unrolled(const Arrays& in) {
  Array h = in[0];
  for (int i = 0; i < 32; ++i) h = tanh(matmul(h, in[1]));
  return h;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
