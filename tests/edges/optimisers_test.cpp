// Optimisers over float16 parameters, where Optax gives infinities and NaN: the squares of gradients below 2.4e-4 and
// the usual epsilons are 0 there, those above 256 infinite.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// The updates of float16 parameters are those of float32 ones, rounded.
template <class O> void expect_as_float32(const char* name, const O& optimiser, double tolerance = 0.02) {
  SCOPED_TRACE(name);
  const Array p = array({1.f, 0.5f, -2.f, 3.f, 0.25f}), g = array({1e-5f, 0.f, -6e-8f, 1e-3f, 300.f});
  const Array half = p.astype(float16), small = g.astype(float16);
  auto wide = optimiser.init(small.astype(float32));
  auto narrow = optimiser.init(half);
  for (int step = 0; step < 4; ++step) {
    const auto [u, next] = optimiser.update(small.astype(float32), wide, half.astype(float32));
    const auto [v, after] = optimiser.update(small, narrow, half);
    wide = next;
    narrow = after;
    EXPECT_EQ(v.dtype(), float16);
    const Array rounded = u.astype(float16).astype(float32), got = v.astype(float32);
    EXPECT_TRUE(bool(all(isfinite(got)))) << got;
    EXPECT_TRUE(bool(allclose(got, rounded, tolerance, 2e-6))) << step << got << rounded;
  }
}

TEST(HalfFloats, TinyGradientsOfOptimisers) {
  expect_as_float32("adam", optim::adam(1e-3));
  expect_as_float32("adam, nesterov", optim::nadam(1e-3));
  expect_as_float32("adamw", optim::adamw(1e-3));
  expect_as_float32("amsgrad", optim::amsgrad(1e-3));
  expect_as_float32("radam", optim::radam(1e-3));
  expect_as_float32("adan", optim::adan(1e-3));
  expect_as_float32("yogi", optim::yogi(1e-3));
  expect_as_float32("adamax", optim::adamax(1e-3));
  expect_as_float32("rmsprop", optim::rmsprop(1e-3));
  expect_as_float32("rmsprop, centered", optim::rmsprop(1e-3, {.centered = true}));
  expect_as_float32("rmsprop, momentum", optim::rmsprop(1e-3, {.momentum = 0.9}));
  expect_as_float32("adagrad", optim::adagrad(1e-3));
  expect_as_float32("adadelta", optim::adadelta(1e-3));
  expect_as_float32("novograd", optim::novograd(1e-3));
  expect_as_float32("lion", optim::lion(1e-3));
  expect_as_float32("lamb", optim::lamb(1e-3));
  expect_as_float32("lars", optim::lars(1e-3));
  expect_as_float32("adafactor", optim::adafactor(1e-3));
  expect_as_float32("fromage", optim::fromage(1e-3));
  expect_as_float32("rprop", optim::rprop(1e-3));
}

// A sibling: sums of squares in what clips and scales.
TEST(HalfFloats, TinyGradientsOfParts) {
  const Array p = full({300}, 1e-4f, float16), g = full({300}, 1e-5f, float16);
  auto update = [&](const auto& part) { return part.update(g, part.init(p), p).first.astype(float32); };
  EXPECT_TRUE(bool(allclose(update(optim::clip_by_block_rms(1.)), g.astype(float32))));
  EXPECT_TRUE(bool(allclose(update(optim::normalize_by_update_norm(1., 1e-8)), 1 / std::sqrt(300.), 1e-2)));
  EXPECT_TRUE(bool(allclose(update(optim::scale_by_trust_ratio({})), p.astype(float32), 1e-2)));
  EXPECT_TRUE(bool(allclose(update(optim::clip_by_global_norm(1.)), g.astype(float32))));
  EXPECT_TRUE(bool(all(isfinite(update(optim::adaptive_grad_clip(0.1, 1e-8))))));
  EXPECT_EQ(optim::adam(1e-3).init(p).nu.dtype(), float32);
  EXPECT_EQ(optim::adam(1e-3, {.mu_dtype = float16}).init(p).mu.dtype(), float16);
  EXPECT_EQ(optim::adam(1e-3).init(p.astype(bfloat16)).nu.dtype(), bfloat16);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
