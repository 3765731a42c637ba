// Searches along a line, L-BFGS, Polyak's step size (users-3, 9). Values of Optax 0.2.8, float32.
#include "nn/check.hpp"
#include "tutti/optim/lbfgs.hpp"

namespace tutti::testing {
namespace {

Array rosenbrock(const Array& x) {
  const Array head = x(slice(0, -1)), rest = x(slice(1, none));
  return sum(100 * square(rest - square(head)) + square(1 - head));
}
const Array& start() {
  static const Array& x = *new Array(array({-1.2f, 1.f, .5f}));
  return x;
}
void expect_recorded(const Array& x, const std::vector<float>& want, float relative = 2e-4f) {
  const std::vector<float> got = ravel(x).to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], relative * std::max(1.f, std::abs(want[i]))) << i;
}
// n steps from the start, eagerly and in jit.
template <class Opt, class Loss, class Params> auto steps(const Opt& opt, const Loss& loss, Params p, int n) {
  auto s = opt.init(p);
  auto step = jit([&](const Params& p, const decltype(s)& s) {
    auto [value, grads] = value_and_grad(loss)(p);
    auto [updates, next] = opt.update(grads, s, p, optim::Objective{value, grads, loss});
    return std::pair{optim::apply_updates(p, updates), next};
  });
  for (int i = 0; i < n; ++i) std::tie(p, s) = step(p, s);
  EXPECT_EQ(step.cache_size(), 1u);
  return std::pair{p, s};
}

TEST(Lbfgs, StepsWithAZoomSearch) {  // users-3, 9
  const auto opt = optim::lbfgs();
  auto [p1, s1] = steps(opt, rosenbrock, start(), 1);
  expect_recorded(p1, {-.792435884f, .788278401f, .689037144f});
  EXPECT_EQ(int(std::get<2>(s1).info.num_linesearch_steps), 2);
  expect_recorded(std::get<2>(s1).learning_rate, {.496658504f});
  expect_recorded(std::get<2>(s1).value, {6.2857337f});
  auto [p2, s2] = steps(opt, rosenbrock, start(), 2);
  expect_recorded(p2, {-.86297071f, .775663137f, .668163061f});
  auto [p5, s5] = steps(opt, rosenbrock, start(), 5);
  expect_recorded(p5, {-.885573864f, .793363512f, .635124743f}, 2e-3f);
  expect_recorded(std::get<2>(s5).learning_rate, {4});
  auto [end, s] = steps(opt, rosenbrock, start(), 60);
  expect_recorded(end, {1, 1, 1}, 1e-3f);
  EXPECT_EQ(int(std::get<0>(s).count), 60);
}

TEST(Lbfgs, OtherMemoriesAndNoSearch) {  // users-3, 9
  expect_recorded(steps(optim::lbfgs({.memory_size = 2, .scale_init_precond = false}), rosenbrock, start(), 6).first,
                  {-.465794504f, .178694099f, .09484528f}, 5e-3f);
  const auto opt = optim::lbfgs({.learning_rate = 1e-3}, none);
  Array p = start();
  auto s = opt.init(p);
  for (int i = 0; i < 3; ++i) {
    auto [updates, next] = opt.update(grad(rosenbrock)(p), s, p);
    p = optim::apply_updates(p, updates);
    s = next;
  }
  expect_recorded(p, {-1.1987474f, .999293089f, .500674546f}, 1e-6f);
  EXPECT_THROW(optim::scale_by_lbfgs(0), ValueError);
  EXPECT_THROW(opt.update(p, s), ValueError);
}

struct Model {
  Array a{}, b{};
  int depth = 2;   // static
  Array table{};   // integers: stay
  Array absent{};  // nothing there
};

TEST(Lbfgs, OfATree) {  // users-3, 9
  auto loss = [](const Model& m) { return sum(square(matmul(m.a, m.b) - 1)) + sum(cos(m.a)) + sum(m.table) * 0.f; };
  const Model m{arange(6.f).reshape(2, 3) / 5, array({.3f, -.2f, .1f}), 2, array({1, 2}), {}};
  const Model end = steps(optim::lbfgs(), loss, m, 4).first;
  expect_recorded(end.a, {1.05351734f, .534294248f, 2.11897755f, 1.33715582f, 1.60683668f, 1.67622495f}, 5e-3f);
  expect_recorded(end.b, {-.0964350998f, -.309104264f, .37340850f}, 5e-3f);
  EXPECT_TRUE(bool(array_equal(end.table, m.table)));
  EXPECT_FALSE(end.absent.has_value());
}

TEST(ZoomLinesearch, StepsOfGradientDescent) {  // users-3, 9
  auto [p, s] = steps(optim::chain(optim::sgd(1.), optim::scale_by_zoom_linesearch(15)), rosenbrock, start(), 3);
  expect_recorded(p, {-.756124377f, .642457187f, .503666759f}, 1e-3f);
  expect_recorded(std::get<1>(s).learning_rate, {.00126399251f}, 1e-5f);
  EXPECT_EQ(int(std::get<1>(s).info.num_linesearch_steps), 2);
  auto [q, t] = steps(
      optim::chain(optim::sgd(1.),
                   optim::scale_by_zoom_linesearch(15, {.max_learning_rate = 1e-3, .initial_guess_strategy = "one"})),
      rosenbrock, start(), 3);
  expect_recorded(q, {-.921012938f, .828916192f, .650435567f}, 1e-4f);
  EXPECT_EQ(int(std::get<1>(t).info.num_linesearch_steps), 1);
  EXPECT_THROW(optim::scale_by_zoom_linesearch(5, {.initial_guess_strategy = "two"}), ValueError);
}

// A loss that is infinite beyond 1: the search comes back inside, and where it cannot, updates are zero.
TEST(ZoomLinesearch, LeavesNoDomain) {  // users-3, 9
  auto loss = [](const Array& x) { return -sum(log(1 - x)) + sum(square(x - 2)); };
  const auto opt = optim::chain(optim::sgd(1.), optim::scale_by_zoom_linesearch(20));
  const Array end = steps(opt, loss, array({.5f, -3.f}), 20).first;
  EXPECT_TRUE(bool(all(end < 1)));
  EXPECT_LT(float(max(abs(grad(loss)(end)))), 1e-2f);
  auto nowhere = [](const Array& x) { return sum(where(x == 0.5f, x, INFINITY)); };
  EXPECT_EQ(steps(opt, nowhere, array({.5f}), 1).first.to_vector<float>(), (std::vector<float>{.5f}));
}

TEST(BacktrackingLinesearch, StepsOfGradientDescent) {  // users-3, 9
  auto [p, s] =
      steps(optim::chain(optim::sgd(1.), optim::scale_by_backtracking_linesearch(40)), rosenbrock, start(), 3);
  expect_recorded(p, {-.859905422f, .67759788f, .543374121f}, 1e-4f);
  expect_recorded(std::get<1>(s).learning_rate, {.00278536673f}, 1e-6f);
  EXPECT_EQ(int(std::get<1>(s).info.num_linesearch_steps), 5);
  expect_recorded(std::get<1>(s).value, {4.65516329f});
  auto [q, t] = steps(optim::chain(optim::sgd(1.), optim::scale_by_backtracking_linesearch(
                                                       40, {.decrease_factor = .5, .store_grad = true})),
                      rosenbrock, start(), 3);
  expect_recorded(q, {-.881662667f, .804778695f, .629949927f}, 1e-4f);
  expect_recorded(std::get<1>(t).grad, {5.91720247f, 10.8033762f, -3.54376388f}, 1e-3f);
}

TEST(Linesearch, ValuesAndGradientsFromTheState) {  // users-3, 9
  int calls = 0;
  auto loss = [&](const Array& x) {
    ++calls;
    return rosenbrock(x);
  };
  const auto opt = optim::lbfgs();
  const auto from_state = optim::value_and_grad_from_state(loss);
  Array p = start();
  auto s = opt.init(p);
  for (int i = 0; i < 3; ++i) {
    auto [value, grads] = from_state(p, s);
    expect_recorded(value, {float(rosenbrock(p))});
    expect_recorded(grads, grad(rosenbrock)(p).to_vector<float>(), 1e-4f);
    auto [updates, next] = opt.update(grads, s, p, optim::Objective{value, grads, loss});
    p = optim::apply_updates(p, updates);
    s = next;
  }
  const auto back = optim::chain(optim::sgd(1.), optim::scale_by_backtracking_linesearch(10));
  EXPECT_THROW(from_state(p, back.init(p)), ValueError);
}

TEST(Linesearch, SaysWhatItNeeds) {  // users-3, 9
  const auto opt = optim::lbfgs();
  const Array p = start();
  auto expect_text = [](auto call, const char* text) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const ValueError& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  };
  expect_text([&] { opt.update(p, opt.init(p), p); }, "optim::Objective{value, grads, loss}");
  expect_text([&] { opt.update(p, opt.init(p), p, optim::Objective{p, p, rosenbrock}); }, "float32[3]");
  expect_text([&] { optim::polyak_sgd().update(p, optim::polyak_sgd().init(p), p); }, "scale_by_polyak");
}

TEST(Polyak, StepsOfGradientDescent) {  // users-3, 9
  auto steps_of = [](const auto& opt) {
    Array p = start();
    auto s = opt.init(p);
    for (int i = 0; i < 3; ++i) {
      auto [value, grads] = value_and_grad(rosenbrock)(p);
      auto [updates, next] = opt.update(grads, s, p, optim::Value{value});
      p = optim::apply_updates(p, updates);
      s = next;
    }
    return p;
  };
  expect_recorded(steps_of(optim::polyak_sgd({.max_learning_rate = .01})), {-.850931942f, .803599715f, .688161731f});
  expect_recorded(steps_of(optim::polyak_sgd({.f_min = 5, .eps = .1, .variant = "sps+"})),
                  {-.964603424f, .85579288f, .628115058f});
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
