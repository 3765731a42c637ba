// minimize (users-3, 9). Values of JAX 0.10.2; where its line search gives up although the loss can be less, ours goes
// on.
#include "tutti/scipy/optimize.hpp"
#include "scipy/check.hpp"

namespace tutti {
namespace {

Array rosenbrock(const Array& x) {
  const Array head = x(slice(0, -1)), rest = x(slice(1, none));
  return sum(100 * square(rest - square(head)) + square(1 - head));
}

TEST(Minimize, FindsMinima) {  // users-3, 9
  auto quadratic = [](const Array& x) { return sum(square(x - arange(4.f)) * array({1.f, 10.f, .1f, 3.f})); };
  const auto found = optimize::minimize(quadratic, zeros({4}), {.method = "BFGS"});
  EXPECT_TRUE(bool(found.success));
  EXPECT_EQ(int(found.status), 0);
  expect_close(found.x, {0, 1, 2, 3}, 1e-5);
  EXPECT_EQ(found.hess_inv.shape(), (Shape{4, 4}));
  EXPECT_NEAR(float(found.hess_inv(2, 2)), 4.99818945, 1e-2);
  EXPECT_EQ(int(found.nit), 9);
  const auto three = optimize::minimize(rosenbrock, array({-1.2f, 1.f, .5f}), {.maxiter = 3});
  EXPECT_FALSE(bool(three.success));
  EXPECT_EQ(int(three.status), 1);
  EXPECT_EQ(int(three.nit), 3);
  expect_close(three.x, {-.766193111, .664108157, .520221055}, 1e-3);
  // JAX 0.10.2 ends after 4 steps at (-.70, .52, .28) with status 3.
  const auto end = optimize::minimize(rosenbrock, array({-1.2f, 1.f, .5f}), {.gtol = 1e-3});
  EXPECT_TRUE(bool(end.success));
  expect_close(end.x, {1, 1, 1}, 2e-3);
  EXPECT_LT(float(end.fun), 1e-6f);
}

TEST(Minimize, TreesBatchesAndJit) {  // users-3, 9
  struct Line {
    Array slope{}, offset{};
  };
  const Array t = linspace(0, 1, 20), seen = 3 * t - 1;
  auto loss = [&](const Line& l) { return mean(square(l.slope * t + l.offset - seen)); };
  const auto fit = optimize::minimize(loss, Line{Array(0.f), Array(0.f)});
  expect_close(fit.x.slope, {3}, 1e-3);
  expect_close(fit.x.offset, {-1}, 1e-3);
  auto distance = [](const Array& x0) {
    return optimize::minimize([](const Array& x) { return sum(square(x - 2) + 0.1f * power(x, 4)); }, x0).x;
  };
  const Array many = vmap(jit(distance))(array({{0.f, 1.f}, {-3.f, 2.f}}));
  for (const float x : ravel(many).to_vector<float>()) EXPECT_NEAR(2 * (x - 2) + .4f * x * x * x, 0, 1e-4f);
}

TEST(Minimize, WrongArguments) {  // users-3, 9
  expect_thrown<ValueError>([] { optimize::minimize(rosenbrock, zeros({2}), {.method = "Powell"}); }, {"BFGS"});
  expect_thrown<ValueError>([] { optimize::minimize(rosenbrock, zeros({2}), {.maxiter = -1}); }, {"minimize"});
  expect_thrown<ValueError>([] { optimize::minimize(rosenbrock, zeros({0})); }, {"no elements"});
  expect_thrown<TypeError>([] { optimize::minimize(rosenbrock, zeros({2}, complex64)); }, {"complex64[2]"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
