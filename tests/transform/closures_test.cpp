// Functions that capture arrays of enclosing transformations, and trees whose structure matters.
#include <gtest/gtest.h>

#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {
namespace {

TEST(Closures, JitInsideGradSeesTheOuterVariable) {
  auto f = [](const Array& x) { return jit([&](const Array& y) { return x * x * y; })(2.f); };
  EXPECT_FLOAT_EQ(grad(f)(3.f).item<float>(), 12.f);
  auto without_arguments = [](const Array& x) { return jit([&] { return x * x; })(); };
  EXPECT_FLOAT_EQ(grad(without_arguments)(3.f).item<float>(), 6.f);
}

TEST(Closures, VmapInsideGradAndGradInsideVmap) {
  Array xs = array(std::vector<float>{1, 2, 3}, Shape{3});
  auto f = [&](const Array& w) { return sum(vmap([&](const Array& x) { return x * w * w; })(xs)); };
  EXPECT_FLOAT_EQ(grad(f)(2.f).item<float>(), 24.f);
  Array per = vmap([](const Array& x) { return grad([&](const Array& w) { return x * w * w; })(2.f); })(xs);
  EXPECT_EQ(per.to_vector<float>(), (std::vector<float>{4, 8, 12}));
}

TEST(Closures, PullbackInsideJit) {
  Array x = array(std::vector<float>{1, 2, 3}, Shape{3});
  Array g = jit([](const Array& x) {
    auto [y, back] = vjp([](const Array& x) { return x * x; }, x);
    auto [once] = back(y);
    auto [twice] = back(2 * y);
    return once + twice;
  })(x);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{6, 48, 162}));
}

TEST(Closures, FrozenArraysHaveNoGradient) {
  struct Weights {
    Array w;
  };
  struct Model {
    Weights a;
    Frozen<Weights> b;
  };
  Model m{{array(2.f)}, Weights{array(3.f)}};
  Model g = grad([](const Model& m) { return m.a.w * m.b.w; })(m);
  EXPECT_FLOAT_EQ(g.a.w.item<float>(), 3.f);
  EXPECT_FALSE(g.b.w.has_value());
}

TEST(Closures, AnExceptionLeavesNothingOpen) {
  auto f = [](const Array& x) -> Array {
    if (x.ndim() == 0) throw std::runtime_error("mine");
    return x;
  };
  EXPECT_THROW(grad(f)(1.f), std::runtime_error);
  EXPECT_THROW(vmap(grad(f))(ones({3})), std::runtime_error);
  EXPECT_FALSE((array(1.f) + 1).is_traced());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
