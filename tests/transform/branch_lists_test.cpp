// switch_ over a list of functions, layers in a vector (bugreports-3, 16).
#include <gtest/gtest.h>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Branches = std::vector<std::function<Array(const Array&)>>;

Branches multiples(int n) {
  Branches out;
  for (int k = 0; k < n; ++k) out.push_back([k](const Array& x) { return x * static_cast<float>(k + 1); });
  return out;
}

TEST(SwitchOverList, TakesAsManyAsThereAreAtRunTime) {
  const Branches experts = multiples(64);
  const Array x = array({1.f, 2.f});
  auto f = [&](const Array& i, const Array& v) { return lax::switch_(i, experts, v); };
  for (int i : {0, 1, 40, 63}) {
    EXPECT_EQ(f(array(i), x).to_vector<float>()[1], 2.f * static_cast<float>(i + 1));
    EXPECT_EQ(jit(f)(array(i), x).to_vector<float>()[1], 2.f * static_cast<float>(i + 1));
  }
  EXPECT_EQ(float(jit(f)(array(-5), x)(0)), 1);  // clamped, as in JAX
  EXPECT_EQ(float(jit(f)(array(99), x)(0)), 64);
  EXPECT_EQ(float(f(array(99), x)(0)), 64);
  auto loss = [&](const Array& v, const Array& i) { return sum(f(i, v)); };
  EXPECT_EQ(jit(grad(loss))(x, array(9)).to_vector<float>(), (std::vector<float>{10, 10}));
  EXPECT_EQ(vmap(f)(array({0, 2, 70}), ones({3, 2})).to_vector<float>(), (std::vector<float>{1, 1, 3, 3, 64, 64}));
}

TEST(SwitchOverList, InManualRegions) {
  set_cpu_devices(8);
  const Branches experts = multiples(4);
  const Mesh mesh = make_mesh({4}, {"i"});
  auto f = [&](const Array& v) { return lax::switch_(lax::axis_index("i"), experts, v); };
  EXPECT_EQ(shard_map(f, {.mesh = mesh, .in_specs = P("i"), .out_specs = P("i")})(ones({4})).to_vector<float>(),
            (std::vector<float>{1, 2, 3, 4}));
}

TEST(SwitchOverList, OfLambdasOfOneTypeOfFunctionsAndOfSpans) {
  auto plus = [](float k) { return [k](const Array& x) { return x + k; }; };
  const std::vector lambdas{plus(1), plus(2)};
  EXPECT_EQ(float(lax::switch_(1, lambdas, array(1.f))), 3);
  const std::array pair{plus(1), plus(2)};
  EXPECT_EQ(float(jit([&](const Array& i) { return lax::switch_(i, pair, array(1.f)); })(array(0))), 2);
  const std::vector<Function<Array(const Array&)>> functions{jit(plus(1)), plus(5)};
  auto f = jit([&](const Array& i, const Array& x) { return lax::switch_(i, std::span(functions), x); });
  EXPECT_EQ(float(f(array(1), array(1.f))), 6);
  EXPECT_EQ(float(f(array(0), array(1.f))), 2);
}

TEST(SwitchOverList, EmptyListsAndEmptyFunctionsAreErrors) {
  std::string text = testing::error_of<ValueError>([] { lax::switch_(0, Branches(), ones({2})); });
  EXPECT_NE(text.find("switch_: the list of branches is empty"), text.npos) << text;
  EXPECT_NE(text.find("branch_lists_test.cpp:"), text.npos) << text;
  text = testing::error_of<ValueError>([] { lax::switch_(0, Branches(2), ones({2})); });
  EXPECT_NE(text.find("switch_: the function is empty"), text.npos) << text;
}

TEST(SequentialOfVector, CallsAsManyLayersAsThereAre) {
  std::vector<nn::Linear> layers(3, nn::Linear{.weight = 2.f * eye(2)});
  const nn::Sequential model{layers};
  EXPECT_EQ(model(ones({2})).to_vector<float>(), (std::vector<float>{8, 8}));
  const auto gradients = grad([](const auto& m, const Array& x) { return sum(m(x)); })(model, ones({2}));
  EXPECT_EQ(gradients.layers.size(), 3u);
  EXPECT_EQ(float(gradients.layers[2].weight(0, 0)), 4);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
