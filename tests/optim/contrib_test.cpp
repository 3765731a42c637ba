// Lookahead and methods of optax.contrib (users-3, 9). Values of Optax 0.2.8, float32.
#include "tutti/optim/contrib.hpp"
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

struct Two {
  Array a{}, b{};
  Array table{};  // integers: stay
};
Two first() { return {sin(arange(6.f)).reshape(2, 3), array({.5f, -1.f, 2.f}), array({1, 2})}; }
Array loss_of(const Two& p) {
  return sum(cos(p.a) * p.b) + sum(square(p.a - 1)) + sum(power(p.b, 4)) / 10 + 0.f * sum(p.table);
}
void expect_array(const Array& x, const std::vector<float>& want, float tolerance = 5e-6f) {
  const std::vector<float> got = ravel(x).to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << i;
}
template <class Opt> auto after(const Opt& opt, int n) {
  Two p = first();
  auto s = opt.init(p);
  auto step = jit([&](const Two& p, const decltype(s)& s) {
    auto [updates, next] = opt.update(grad(loss_of)(p), s, p);
    return std::pair{optim::apply_updates(p, updates), next};
  });
  for (int i = 0; i < n; ++i) std::tie(p, s) = step(p, s);
  EXPECT_EQ(step.cache_size(), 1u);
  EXPECT_TRUE(bool(array_equal(p.table, first().table)));
  return std::pair{p, s};
}

TEST(Contrib, Muon) {  // users-3, 9
  const Two p = after(optim::contrib::muon(.1, {.weight_decay = .01}), 3).first;
  expect_array(p.a, {.26413992f, .641367257f, 1.10748124f, .182908088f, -.498183995f, -.870408714f});
  expect_array(p.b, {.130257279f, -1.36278522f, 1.64106584f});
  const Two q = after(optim::contrib::muon(.1, {.ns_steps = 3, .nesterov = false}), 2).first;
  expect_array(q.a, {.179217234f, .705238879f, 1.05029166f, .168701857f, -.582296252f, -.905397773f});
  EXPECT_THROW(optim::contrib::scale_by_muon().update(ones({2}), optim::contrib::scale_by_muon().init(ones({2}))),
               ShapeError);
}

TEST(Contrib, Ademamix) {  // users-3, 9
  const Two p = after(optim::contrib::ademamix(.1, {.b3 = .99, .alpha = 2}, {.weight_decay = .1}), 3).first;
  expect_array(p.a, {.307538867f, .553953588f, 1.18930161f, .444059044f, -.426293582f, -.621569991f});
  expect_array(p.b, {.176593497f, -1.27923048f, 1.63383961f});
}

TEST(Contrib, ScheduleFree) {  // users-3, 9
  const auto [p, s] = after(optim::contrib::schedule_free(optim::sgd(.1), .1), 4);
  expect_array(p.a, {.451147974f, .737078309f, 1.25839317f, .538159966f, .105412543f, -.334599823f});
  expect_array(p.b, {-.0170140713f, -1.27691746f, 1.15218031f});
  expect_array(s.z.b, {-.268261433f, -1.41772068f, .844413221f});
  const Two mean = optim::contrib::schedule_free_eval_params(s, p);
  expect_array(mean.b, {.0109023089f, -1.26127267f, 1.18637669f});
  EXPECT_TRUE(bool(array_equal(mean.table, p.table)));
}

TEST(Contrib, ReduceOnPlateau) {  // users-3, 9
  const auto opt = optim::contrib::reduce_on_plateau(
      {.factor = .5, .patience = 2, .cooldown = 1, .accumulation_size = 2, .min_scale = .2});
  const Array p = ones({1});
  auto s = opt.init(p);
  std::vector<float> scales;
  for (const float value : {4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}) {
    auto [updates, next] = opt.update(p, s, p, optim::Value{Array(value)});
    scales.push_back(float(updates[0]));
    s = next;
  }
  std::vector<float> want(7, 1);
  want.insert(want.end(), 8, .5f);
  want.insert(want.end(), 6, .25f);
  want.insert(want.end(), 3, .2f);
  EXPECT_EQ(scales, want);
  EXPECT_THROW(opt.update(p, s, p), ValueError);
  EXPECT_THROW(optim::contrib::reduce_on_plateau({.factor = 1}), ValueError);
  EXPECT_THROW(optim::contrib::reduce_on_plateau({.rtol = 0}), ValueError);
}

TEST(Lookahead, FastAndSlowParameters) {  // users-3, 9
  auto after_five = [](bool reset) {
    const auto opt = optim::lookahead(optim::sgd(.1, .9), 2, .5, reset);
    auto p = optim::LookaheadParams<Two>::init_synced(first());
    auto s = opt.init(p);
    for (int i = 0; i < 5; ++i) {
      auto [updates, next] = opt.update(grad(loss_of)(p.fast), s, p);
      p = optim::apply_updates(p, updates);
      s = next;
    }
    return p;
  };
  const auto p = after_five(false), q = after_five(true);
  expect_array(p.fast.a, {1.16085923f, .536166191f, 1.67529225f, 1.14475036f, 1.29944217f, .973056495f});
  expect_array(p.fast.b, {-1.06652665f, -1.74977779f, -.324524045f});
  expect_array(p.slow.b, {-.365147889f, -1.44253421f, .584603608f});
  expect_array(q.fast.b, {-.23362878f, -1.38531005f, .935208261f});
  expect_array(q.slow.b, {-.0598093569f, -1.2994138f, 1.11689603f});
  EXPECT_TRUE(bool(array_equal(q.slow.table, first().table)));
  EXPECT_THROW(optim::lookahead(optim::sgd(.1), 0, .5), ValueError);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
