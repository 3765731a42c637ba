// Optimisers: what must hold for all of them, and the formulas that the documents use. Trajectories against Optax's
// stand in golden/nn.json.
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

struct Params {
  Array w{}, b{};
  int steps = 3;  // static
  Array table{};  // integers: left alone
  Array absent{};
};
Params make() {
  return {random::normal(random::key(0), {4, 3}), random::normal(random::key(1), {3}), 3, array({1, 2}), {}};
}
Params gradient(const Params& p) {
  return grad([](const Params& p) { return sum(square(sin(p.w))) + sum(exp(p.b)) + sum(p.table) * 0.; })(p);
}

// Three steps eagerly and in jit, from Params with a static member, integers and a missing array; structure and dtypes
// stay.
template <class Opt> void expect_optimiser(const char* name, const Opt& opt) {
  SCOPED_TRACE(name);
  Params p = make(), q = p;
  auto s = opt.init(p), t = s;
  auto step = jit([&](const Params& p, const decltype(s)& s) {
    auto [updates, next] = opt.update(gradient(p), s, p);
    return std::pair{optim::apply_updates(p, updates), next};
  });
  for (int i = 0; i < 3; ++i) {
    auto [updates, next] = opt.update(gradient(p), s, p);
    EXPECT_EQ(tree::structure(next), tree::structure(s));
    s = next;
    p = optim::apply_updates(p, updates);
    std::tie(q, t) = step(q, t);
  }
  EXPECT_EQ(step.cache_size(), 1u);
  EXPECT_EQ(tree::structure(p), tree::structure(make()));
  EXPECT_TRUE(bool(array_equal(p.table, make().table)));
  expect_trees_close(q, p);
  expect_trees_close(t, s, 2e-5);
  for (const Array& leaf : tree::leaves(p)) EXPECT_TRUE(bool(all(isfinite(leaf))));
}

TEST(Optimisers, StepEagerlyAndInJit) {
  using namespace optim;
  expect_optimiser("sgd", sgd(.1));
  expect_optimiser("momentum", sgd(.1, .9, true));
  expect_optimiser("adam with a schedule", adam(cosine_decay_schedule(1e-2, 10)));
  expect_optimiser("adamw", adamw(1e-2, {.weight_decay = .1, .mask = {{"b", false}, {"**", true}}}));
  expect_optimiser("nadam", nadam(1e-2));
  expect_optimiser("adamax", adamax(1e-2));
  expect_optimiser("adabelief", adabelief(1e-2));
  expect_optimiser("amsgrad", amsgrad(1e-2));
  expect_optimiser("radam", radam(1e-2));
  expect_optimiser("yogi", yogi(1e-2));
  expect_optimiser("novograd", novograd(1e-2));
  expect_optimiser("adan", adan(1e-2));
  expect_optimiser("lion", lion(1e-2));
  expect_optimiser("adagrad", adagrad(1e-2));
  expect_optimiser("adadelta", adadelta(1));
  expect_optimiser("rmsprop", rmsprop(1e-2, {.centered = true, .momentum = .9}));
  expect_optimiser("rprop", rprop(1e-2));
  expect_optimiser("lamb", lamb(1e-2));
  expect_optimiser("lars", lars(1e-2));
  expect_optimiser("fromage", fromage(1e-2));
  expect_optimiser("adafactor", adafactor(1e-2, {.min_dim_size_to_factor = 2, .momentum = .9}));
  expect_optimiser("sign_sgd", sign_sgd(1e-2));
  expect_optimiser("signum", signum(1e-2));
  expect_optimiser("optimistic", optimistic_gradient_descent(1e-2));
  expect_optimiser(
      "chain", chain(clip_by_global_norm(.5), scale_by_adam(), add_decayed_weights(.1), scale_by_learning_rate(1e-2)));
  expect_optimiser("masked", masked(adam(1e-2), {{"w", true}}));
  expect_optimiser("groups", multi_transform({{"b", "plain"}, {"**", "adaptive"}}, std::pair{"plain", sgd(.1)},
                                             std::pair{"adaptive", adam(1e-2)}));
  expect_optimiser("MultiSteps", MultiSteps(adam(1e-2), 2));
  expect_optimiser("apply_if_finite", apply_if_finite(adam(1e-2), 2));
  expect_optimiser("conditionally",
                   conditionally_transform(adam(1e-2), [](const Array& step) { return step % 2 == 0; }));
  struct Hyper {
    Array rate{};
  };
  expect_optimiser("inject", inject_hyperparams([](const Hyper& h) { return adam(h.rate); }, Hyper{array(1e-2)}));
}

TEST(Optax, adam) {
  Params p = make(), g = gradient(p);
  auto opt = optim::adam(.1, {.b1 = .8, .b2 = .9, .eps = 1e-3});
  auto state = opt.init(p);
  EXPECT_EQ(state.count.dtype(), int32);
  EXPECT_FALSE(state.mu.table.has_value());
  expect_close(state.mu.w, zeros({4, 3}));
  Params m = state.mu, v = state.nu;
  for (int t = 1; t <= 3; ++t) {
    auto [updates, next] = opt.update(g, state);  // parameters are not needed
    m.w = .2f * g.w + .8f * m.w;
    v.w = .1f * square(g.w) + .9f * v.w;
    expect_close(next.mu.w, m.w);
    expect_close(next.nu.w, v.w);
    EXPECT_EQ(int(next.count), t);
    expect_close(updates.w, -.1f * (m.w / (1 - std::pow(.8f, static_cast<float>(t)))) /
                                (sqrt(v.w / (1 - std::pow(.9f, static_cast<float>(t)))) + 1e-3f));
    EXPECT_FALSE(updates.absent.has_value());
    state = next;
  }
  // The first step is about -rate times the sign.
  expect_close(optim::adam(.1).update(g, optim::adam(.1).init(p)).first.w, -.1f * sign(g.w), 1e-4);
  // The count stays at the greatest int32.
  state.count = array(2147483647);
  EXPECT_EQ(int(opt.update(g, state).second.count), 2147483647);
  // Moments lie where the parameters lie.
  set_cpu_devices(8);
  Mesh mesh = make_mesh({2, 2}, {"x", "y"});
  Params placed = device_put(p, mesh, {{"w", P("x", none)}, {"**", P()}});
  EXPECT_TRUE(opt.init(placed).mu.w.sharding().is_equivalent_to(placed.w.sharding(), 2));
}

TEST(Optax, sgd_adamw_apply_updates) {
  Params p = make(), g = gradient(p);
  auto plain = optim::sgd(.5);
  expect_close(plain.update(g, plain.init(p)).first.w, -.5f * g.w);
  EXPECT_FALSE(plain.init(p).trace.w.has_value());  // no momentum, no state
  auto heavy = optim::sgd(.5, .9), ahead = optim::sgd(.5, .9, true);
  auto s1 = heavy.update(g, heavy.init(p)).second;
  expect_close(heavy.update(g, s1).first.w, -.5f * (1.9f * g.w));
  expect_close(ahead.update(g, ahead.init(p)).first.w, -.5f * (1.9f * g.w));
  auto falling = optim::sgd([](const Array& step) { return 1. / (1 + step); });
  auto s2 = falling.update(g, falling.init(p)).second;
  expect_close(falling.update(g, s2).first.w, -.5f * g.w);

  auto decayed = optim::adamw(.1, {.weight_decay = .01, .mask = {{"w", true}, {"**", false}}});
  auto adam = optim::adam(.1);
  auto [u, s] = decayed.update(g, decayed.init(p), p);
  auto [ua, sa] = adam.update(g, adam.init(p), p);
  expect_close(u.w, ua.w - .1f * .01f * p.w);
  expect_close(u.b, ua.b);
  EXPECT_THROW(decayed.update(g, decayed.init(p)), ValueError);

  Params half = tree::map([](const Array& a) { return a.dtype().is_floating() ? a.astype(bfloat16) : a; }, p);
  EXPECT_EQ(optim::apply_updates(half, u).w.dtype(), bfloat16);  // the parameter's dtype stays
}

TEST(Combine, ChainsAndMasks) {
  Params p = make(), g = gradient(p);
  auto opt = optim::chain(optim::clip_by_global_norm(1.), optim::adam(.1));
  auto state = opt.init(p);
  auto [u, next] = opt.update(g, state, p);
  EXPECT_EQ(int(std::get<1>(next).count), 1);
  Params clipped = optim::clip_by_global_norm(1.).update(g, optim::EmptyState<Params>{}).first;
  EXPECT_NEAR(float(optim::global_norm(clipped)), 1, 1e-5);
  expect_close(std::get<1>(next).mu.w, .1f * clipped.w);
  // A mask leaves other updates alone and keeps no state for them.
  auto masked = optim::masked(optim::adam(.1), {{"b", true}});
  auto [um, sm] = masked.update(g, masked.init(p), p);
  EXPECT_TRUE(bool(array_equal(um.w, g.w)));
  EXPECT_FALSE(sm.inner_state.mu.w.has_value());
  EXPECT_TRUE(sm.inner_state.mu.b.has_value());
  auto groups = optim::multi_transform({{"b", "x"}}, std::pair{"x", optim::sgd(.1)});
  try {
    groups.init(p);
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_NE(std::string(e.what()).find("w has no label"), std::string::npos) << e.what();
  }
}

TEST(Combine, MultiStepsIsTheMeanGradient) {
  Params p = make(), g = gradient(p), h = tree::map([](const Array&a) { return 3 * a; }, g);
  optim::MultiSteps twice(optim::sgd(.1), 2), sums(optim::sgd(.1), 2, false);
  auto s = twice.init(p);
  auto [u1, s1] = twice.update(g, s, p);
  expect_close(u1.w, 0 * g.w);
  EXPECT_FALSE(bool(twice.has_updated(s1)));
  auto [u2, s2] = twice.update(h, s1, p);
  expect_close(u2.w, -.1f * 2 * g.w);
  EXPECT_TRUE(bool(twice.has_updated(s2)));
  EXPECT_EQ(int(s2.gradient_step), 1);
  EXPECT_EQ(int(s2.mini_step), 0);
  auto t1 = sums.update(g, sums.init(p), p).second;
  expect_close(sums.update(h, t1, p).first.w, -.1f * 4 * g.w);
}

TEST(Combine, NotFiniteIsSkipped) {
  Params p = make(), g = gradient(p), bad = g;
  bad.b = bad.b / 0.;
  auto opt = optim::apply_if_finite(optim::adam(.1), 1);
  auto s = opt.update(g, opt.init(p), p).second;
  auto [u1, s1] = opt.update(bad, s, p);
  expect_close(u1.w, 0 * g.w);
  expect_trees_close(s1.inner_state, s.inner_state);
  EXPECT_EQ(int(s1.notfinite_count), 1);
  auto s2 = opt.update(g, s1, p).second;
  EXPECT_EQ(int(s2.notfinite_count), 0);
  EXPECT_EQ(int(s2.total_notfinite), 1);
  auto u3 = opt.update(bad, s1, p).first;  // once too often
  EXPECT_FALSE(bool(all(isfinite(u3.b))));
}

TEST(Combine, HyperparametersChangeWithoutCompiling) {
  struct Hyper {
    Array rate{};
  };
  auto opt = optim::inject_hyperparams([](const Hyper& h) { return optim::sgd(h.rate); }, Hyper{array(.1)});
  Params p = make(), g = gradient(p);
  auto step = jit([&](const Params& g, const decltype(opt.init(p))& s) { return opt.update(g, s); });
  auto s = opt.init(p);
  expect_close(step(g, s).first.w, -.1f * g.w);
  s.hyperparams.rate = array(.7);
  expect_close(step(g, s).first.w, -.7f * g.w);
  EXPECT_EQ(step.cache_size(), 1u);
}

TEST(Schedules, ValuesAndErrors) {
  using namespace optim;
  Schedule s = join_schedules({linear_schedule(0, 1, 4), constant_schedule(.5)}, {4});
  EXPECT_FLOAT_EQ(float(s(2)), .5f);
  EXPECT_FLOAT_EQ(float(s(9)), .5f);
  Schedule w = warmup_cosine_decay_schedule(0, 1, 10, 110, .1);
  EXPECT_FLOAT_EQ(float(w(10)), 1);
  EXPECT_NEAR(float(w(60)), .55, 1e-6);
  EXPECT_NEAR(float(w(1000)), .1, 1e-6);
  EXPECT_FLOAT_EQ(float(piecewise_constant_schedule(1, {{3, .5}, {6, .5}})(6)), .25f);
  // In jit, and over many steps at once.
  expect_close(jit([&](const Array& i) { return w(i); })(arange(50)),
               vmap([&](const Array& i) { return w(i); })(arange(50)));
  EXPECT_THROW(cosine_decay_schedule(1, 0), ValueError);
  EXPECT_THROW(piecewise_constant_schedule(1, {{3, -.5}}), ValueError);
  EXPECT_THROW(piecewise_interpolate_schedule("square", 1), ValueError);
  EXPECT_THROW(join_schedules({constant_schedule(1)}, {3}), ValueError);
}

TEST(Losses, RelationsAndErrors) {
  using namespace optim;
  Array x = random::normal(random::key(0), {5, 4}) * 3, labels = array({0, 3, 1, 1, 2});
  expect_close(softmax_cross_entropy_with_integer_labels(x, labels), softmax_cross_entropy(x, nn::one_hot(labels, 4)));
  expect_close(softmax_cross_entropy_with_integer_labels(x.T(), labels, 0),
               softmax_cross_entropy_with_integer_labels(x, labels));
  expect_close(l2_loss(x, 0 * x), huber_loss(x, {}, 1e9));
  Array p = nn::softmax(x);
  expect_close(kl_divergence(log(p), p), zeros({5}), 1);
  expect_close(kl_divergence_with_log_targets(nn::log_softmax(x * 2), nn::log_softmax(x)),
               kl_divergence(nn::log_softmax(x * 2), p));
  expect_close(sigmoid_focal_loss(x, x * 0 + 1, {}, 0), sigmoid_binary_cross_entropy(x, x * 0 + 1));
  expect_close(cosine_similarity(x, 3 * x), ones({5}));
  EXPECT_EQ(float(safe_norm(zeros({3}), 1e-3)), 1e-3f);
  EXPECT_TRUE(bool(all(isfinite(grad([](const Array& x) { return safe_norm(x, 1e-3); })(zeros({3}))))));
  for (auto f : {squared_error, l2_loss, log_cosh})
    expect_gradient([&](const Array& x) { return sum(f(x, sin(x))); }, x);
  EXPECT_THROW(squared_error(x, labels), ShapeError);
  EXPECT_THROW(l2_loss(labels), TypeError);
  EXPECT_THROW(softmax_cross_entropy_with_integer_labels(x, x[0]), TypeError);
  EXPECT_THROW(softmax_cross_entropy_with_integer_labels(x, labels[0]), ShapeError);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
