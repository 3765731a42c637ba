// The public transformations on small functions with known derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/jacobians.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {
namespace {

std::vector<float> values(const Array& x) { return x.to_vector<float>(); }

void expect_near(const Array& x, const std::vector<float>& want, float tolerance = 1e-5f) {
  std::vector<float> got = values(x);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << "element " << i;
}

TEST(Grad, ScalarsAndNumbers) {
  expect_near(grad([](auto t) { return t * t; })(3.f), {6.f});
  expect_near(grad([](const Array& t) { return sin(t); })(2.f), {std::cos(2.f)});
  expect_near(grad(grad([](const Array& t) { return t * t * t; }))(2.f), {12.f});
  expect_near(grad(grad(grad(grad([](const Array& t) { return sin(t); }))))(1.f), {std::sin(1.f)});
}

TEST(Grad, KeepsTheWeakType) {
  EXPECT_TRUE(grad([](const Array& t) { return sin(t) * t; })(2.f).weak_type());
  EXPECT_FALSE(grad([](const Array& t) { return sin(t) * t; })(array(2.f)).weak_type());
}

TEST(Grad, PerturbationsAreNotConfused) {
  // d/dx [x * d/dy (x + y)] at 1 is 1; confused perturbations give 2.
  auto f = [](const Array& x) { return x * grad([&](const Array& y) { return x + y; })(1.f); };
  expect_near(grad(f)(1.f), {1.f});
  auto g = [](const Array& x) { return grad([&](const Array& y) { return x * y * y; })(x); };  // 2 x^2
  expect_near(grad(g)(3.f), {12.f});
  auto forward = [](const Array& x) {
    return x * jvp([&](const Array& y) { return x * y; }, std::tuple{Array(2.f)}, std::tuple{Array(1.f)}).second;
  };  // x^2
  expect_near(jvp(forward, std::tuple{3.f}, std::tuple{1.f}).second, {6.f});
  expect_near(grad(forward)(3.f), {6.f});
}

struct Model {
  Array w, b;
  Array steps;  // integers
  int width = 0;
};

TEST(Grad, TreesKeepTheirType) {
  Model m{array({1, 2, 3}, float32), array(0.5f), array({1, 2}), 3};
  auto loss = [](const Model& m, const Array& x) { return sum(m.w * x) + m.b * m.b; };
  Model g = grad(loss)(m, array({4, 5, 6}, float32));
  expect_near(g.w, {4, 5, 6});
  expect_near(g.b, {1});
  EXPECT_FALSE(g.steps.has_value());
  EXPECT_EQ(g.width, 3);
  auto [gm, gx] = grad<0, 1>(loss)(m, array({4, 5, 6}, float32));
  expect_near(gx, {1, 2, 3});
  expect_near(gm.b, {1});
}

TEST(Grad, AuxAndValue) {
  auto f = [](const Array& x) { return std::pair{sum(x * x), std::vector<Array>{x + 1, array(7)}}; };
  auto [g, aux] = grad(f)(array({1, 2}, float32));
  expect_near(g, {2, 4});
  expect_near(aux[0], {2, 3});
  EXPECT_EQ(aux[1].item<int>(), 7);
  auto [out, g2] = value_and_grad(f)(array({1, 2}, float32));
  expect_near(out.first, {5});
  expect_near(g2, {2, 4});
  auto [v, gs] = value_and_grad<0, 1>([](const Array& a, const Array& b) { return a * b; })(2.f, 3.f);
  expect_near(v, {6});
  expect_near(std::get<0>(gs), {3});
  expect_near(std::get<1>(gs), {2});
}

TEST(Grad, Unused) {
  expect_near(grad([](const Array&) { return Array(3.f); })(array({1, 2}, float32)), {0, 0});
}

TEST(Grad, ReadsOnDemand) {
  auto f = [](const Array& x) {
    Array y = x * x;
    return y.item<float>() > 4 ? sin(y) : y;
  };
  expect_near(grad(f)(3.f), {6 * std::cos(9.f)});
  expect_near(grad(f)(1.f), {2});
}

TEST(Grad, Errors) {
  Array x = array({1, 2, 3}, float32), i = array({1, 2, 3});
  EXPECT_THROW(grad([](const Array& x) { return x * 2; })(x), TypeError);
  EXPECT_THROW(grad([](const Array& x) { return sum(x, {}, true); })(x), TypeError);
  EXPECT_THROW(grad([](const Array& x) { return sum(x); })(i), TypeError);
  EXPECT_THROW(grad([](const Array& x) { return argmax(x); })(x), TypeError);
  EXPECT_THROW(grad(grad([](const Array& x) { return x * x; }))(x), TypeError);
  try {
    grad([](const Array& x) { return x * 2; })(x);
  } catch (const TypeError& e) {
    EXPECT_NE(std::string(e.what()).find("derivatives_test.cpp"), std::string::npos) << e.what();
  }
}

TEST(Jvp, Directions) {
  auto f = [](const Array& x, const Array& y) { return std::pair{x * y, argmax(x)}; };
  Array x = array({1, 2}, float32), y = array({3, 4}, float32);
  auto [out, tangent] = jvp(f, std::tuple{x, y}, std::tuple{array({1, 0}, float32), array({0, 1}, float32)});
  expect_near(out.first, {3, 8});
  expect_near(tangent.first, {3, 2});
  EXPECT_FALSE(tangent.second.has_value());
  auto [p, zero] = jvp([](const Array& x) { return lax::stop_gradient(x) * 2; }, std::tuple{x}, std::tuple{x});
  expect_near(zero, {0, 0});
  EXPECT_THROW(jvp([](const Array& x) { return x; }, std::tuple{x}, std::tuple{array({1, 2, 3}, float32)}), ShapeError);
  EXPECT_THROW(jvp([](const Array& x) { return x; }, std::tuple{x}, std::tuple{array({1, 2})}), TypeError);
}

TEST(Vjp, PullsBackManyTimes) {
  auto f = [](const Array& x, const Array& w) { return matmul(w, x); };
  Array x = array({1, 2}, float32), w = array({{1, 2}, {3, 4}, {5, 6}}, float32);
  auto [y, back] = vjp(f, x, w);
  expect_near(y, {5, 11, 17});
  auto [dx, dw] = back(array({1, 0, 0}, float32));
  expect_near(dx, {1, 2});
  expect_near(dw, {1, 2, 0, 0, 0, 0});
  auto [dx2, dw2] = back(array({0, 1, 1}, float32));
  expect_near(dx2, {8, 10});
  EXPECT_THROW(back(array({1, 2}, float32)), ValueError);
}

TEST(Linearize, IsLinear) {
  auto [y, df] = linearize([](const Array& x) { return sin(x) * x; }, array({1, 2}, float32));
  expect_near(df(array({1, 0}, float32)), {std::cos(1.f) + std::sin(1.f), 0});
  expect_near(df(array({2, 1}, float32)), {2 * (std::cos(1.f) + std::sin(1.f)), 2 * std::cos(2.f) + std::sin(2.f)});
}

TEST(Jacobian, BothModesAgree) {
  auto f = [](const Array& x) { return sin(x) * sum(x); };
  Array x = array({1, 2, 3}, float32);
  Array a = jacfwd(f)(x), b = jacrev(f)(x);
  EXPECT_EQ(a.shape(), (Shape{3, 3}));
  expect_near(a, values(b));
  float s = 6;
  std::vector<float> want;
  for (int i = 1; i <= 3; ++i)
    for (int j = 1; j <= 3; ++j) want.push_back(std::sin(float(i)) + (i == j ? s * std::cos(float(i)) : 0));
  expect_near(a, want);
  Array h = hessian([](const Array& x) { return sum(x * x * x); })(x);
  expect_near(h, {6, 0, 0, 0, 12, 0, 0, 0, 18});
  auto tree = jacrev([](const std::pair<Array, Array>& p) { return p.first * p.second; })(std::pair{x, Array(2.f)});
  expect_near(tree.first, {2, 0, 0, 0, 2, 0, 0, 0, 2});
  expect_near(tree.second, {1, 2, 3});
}

TEST(Vmap, Axes) {
  Array x = array({{1, 2, 3}, {4, 5, 6}}, float32), w = array({1, 10, 100}, float32);
  auto dot = [](const Array& a, const Array& b) { return sum(a * b); };
  expect_near(vmap(dot, {.in_axes = {0, none}})(x, w), {321, 654});
  expect_near(vmap(dot)(x, x), {14, 77});
  auto twice = [](const Array& a) { return a * 2; };
  EXPECT_EQ(vmap(twice, {.in_axes = 1, .out_axes = 0})(x).shape(), (Shape{3, 2}));
  EXPECT_EQ(vmap(twice, {.in_axes = -1, .out_axes = -1})(x).shape(), (Shape{2, 3}));
  expect_near(vmap(twice, {.in_axes = 1, .out_axes = 1})(x), {2, 4, 6, 8, 10, 12});
  EXPECT_EQ(vmap(vmap(dot, {.in_axes = {none, 0}}), {.in_axes = {0, none}})(x, x).shape(), (Shape{2, 2}));
  expect_near(vmap([](const Array&) { return Array(1.f); })(x), {1, 1});
  expect_near(vmap([](const Array& w) { return w; }, {.in_axes = none, .out_axes = none, .axis_size = 4})(w),
              {1, 10, 100});
  EXPECT_EQ(vmap([](const Array& w) { return w; }, {.in_axes = none, .axis_size = 4})(w).shape(), (Shape{4, 3}));
  expect_near(vmap(dot, {.in_axes = {0, none}})(x, 1.f), {6, 15});
}

TEST(Vmap, Errors) {
  Array x = array({1, 2, 3}, float32), y = array({1, 2}, float32);
  auto add = [](const Array& a, const Array& b) { return a + b; };
  auto same = [](const Array& a) { return a; };
  try {
    vmap(add)(x, y);
    FAIL();
  } catch (const ValueError& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("size 3: axis 0 of arg0"), std::string::npos) << text;
    EXPECT_NE(text.find("size 2: axis 0 of arg1"), std::string::npos) << text;
  }
  EXPECT_THROW(vmap(same, {.in_axes = 1})(x), ValueError);
  EXPECT_THROW(vmap(same)(1.f), ValueError);
  EXPECT_THROW(vmap(same, {.in_axes = none})(x), ValueError);
  EXPECT_THROW(vmap(same, {.out_axes = none})(x), ValueError);
  EXPECT_THROW(vmap(same, {.out_axes = 3})(x), ValueError);
  EXPECT_THROW(vmap(add, {.in_axes = {0, 0, 0}})(x, x), ValueError);
  EXPECT_THROW(vmap([](const Array& a) { return a.item<float>() > 0 ? a : -a; })(x), TracerError);
}

TEST(Derivatives, ConcatenationIsLinearInAllItsOperands) {
  constexpr int n = 1100;
  auto f = [](const Array& x) {
    std::vector<Array> parts;
    for (int i = 0; i < n; ++i) parts.push_back(x * i);
    return sum(lax::concatenate(parts, 0));
  };
  EXPECT_EQ(grad(f)(ones({1})).item<float>(), n * (n - 1) / 2);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
