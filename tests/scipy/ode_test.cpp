// odeint (users-3, 9). Values of jax.experimental.ode of JAX 0.10.2.
#include "tutti/scipy/ode.hpp"
#include "scipy/check.hpp"

namespace tutti {
namespace {

using C = std::complex<float>;
const ode::OdeintOptions exact{.rtol = 1e-6, .atol = 1e-6};
Array pendulum(const Array& y, const Array& t, const Array& a, const Array& b) {
  return stack({y[1], -a * sin(y[0]) - b * y[1] + 0.1f * t});
}
const Array& moments() {
  static const Array& t = *new Array(array({0.f, .5f, 1.3f, 2.f}));
  return t;
}

TEST(Odeint, ValuesOfAPendulum) {  // users-3, 9
  const std::vector<double> want{1, 0, .806434393, -.732012033, .000508697, -1.06111872, -.534802973, -.364737064};
  const Array y = ode::odeint(pendulum, array({1.f, 0.f}), moments(), exact, 2.f, .3f);
  expect_close(y, {4, 2}, want, 3e-6);
  auto f = [](const Array& y0, const Array& a) { return ode::odeint(pendulum, y0, moments(), exact, a, .3f); };
  expect_close(jit(f)(array({1.f, 0.f}), 2.f), want, 3e-6);
  const Array many = vmap(f, {.in_axes = {none, 0}})(array({1.f, 0.f}), array({2.f, 3.f}));
  EXPECT_EQ(many.shape(), (Shape{2, 4, 2}));
  expect_close(many[0], want, 3e-6);
  expect_close(many[1], f(array({1.f, 0.f}), 3.f).reshape(-1).astype(float32).to_vector<double>(), 3e-6);
  const Array small_steps = ode::odeint(pendulum, array({1.f, 0.f}), moments(), {1e-6, 1e-6, {}, .01}, 2.f, .3f);
  expect_close(small_steps[3], {-.534803927, -.364736825}, 3e-6);
}

TEST(Odeint, TreesAndComplexNumbers) {  // users-3, 9
  struct Body {
    Array place{}, speed{};
  };
  const Body end = ode::odeint(
      [](const Body& b, const Array&) {
        return Body{b.speed, -b.place};
      },
      Body{array({1.f, 2.f}), zeros({2})}, moments(), exact);
  EXPECT_EQ(end.place.shape(), (Shape{4, 2}));
  expect_close(end.place[3], {std::cos(2), 2 * std::cos(2)}, 1e-5);
  const Array z =
      ode::odeint([](const Array& z, const Array&) { return C(0, 1) * z; }, array({C(1, 0)}), moments(), exact);
  const std::vector<C> got = ravel(z).to_vector<C>();
  for (std::size_t i = 0; i < 4; ++i) {
    const float t = moments().to_vector<float>()[i];
    EXPECT_NEAR(std::abs(got[i] - C(std::cos(t), std::sin(t))), 0, 1e-5);
  }
}

TEST(Odeint, AdjointGradients) {  // users-3, 9
  const Array weights = arange(8.f).reshape(4, 2);
  auto loss = [&](const Array& y0, const Array& t, const Array& a, const Array& b) {
    return sum(ode::odeint(pendulum, y0, t, exact, a, b) * weights);
  };
  auto [y0, t, a, b] = grad<0, 1, 2, 3>(loss)(array({1.f, 0.f}), moments(), Array(2.f), Array(.3f));
  expect_close(y0, {-12.0167246, 1.74023128}, 2e-5);
  expect_close(t, {1.24576521, -4.98615789, -2.00788379, 7.11292696}, 2e-5);
  expect_close(a, {-2.26400423}, 2e-5);
  expect_close(b, {11.6771183}, 2e-5);
  // What the function captures counts as its arguments do.
  auto captured = [&](const Array& a) {
    auto f = [&](const Array& y, const Array& t) { return pendulum(y, t, a, .3f); };
    return sum(ode::odeint(f, array({1.f, 0.f}), moments(), exact) * weights);
  };
  expect_close(grad(captured)(2.f), {-2.26400423}, 2e-5);
  expect_close(jit(grad(captured))(2.f), {-2.26400423}, 2e-5);
  expect_close(vmap(grad(captured))(array({2.f, 2.f})), {-2.26400423, -2.26400423}, 2e-5);
  auto last = [&](const Array& a) {
    return ode::odeint(pendulum, array({1.f, 0.f}), moments(), exact, a, Array(.3f))(3, 0);
  };
  expect_close(grad(grad(last))(2.f), {.39935118}, 1e-4);
}

TEST(Odeint, WrongArguments) {  // users-3, 9
  auto f = [](const Array& y, const Array&) { return -y; };
  expect_thrown<TypeError>([&] { ode::odeint(f, ones({2}), arange(3)); }, {"odeint", "int32[3]"});
  expect_thrown<ShapeError>([&] { ode::odeint(f, ones({2}), ones({2, 2})); }, {"odeint", "float32[2,2]"});
  auto wrong = [](const Array& y, const Array&) { return concatenate({y, y}); };
  expect_thrown<ShapeError>([&] { ode::odeint(wrong, ones({2}), arange(3.f)); }, {"float32[4]", "float32[2]"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
