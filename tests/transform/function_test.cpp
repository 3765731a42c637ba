// tutti::Function: a named type for jitted functions (users-3, 10).
#include <gtest/gtest.h>

#include <map>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Slope {
  Array slope, offset;
};
Array loss(const Slope& m, const Array& x, const Array& y) { return mean(square(x * m.slope + m.offset - y)); }

class Trainer {
 public:
  std::pair<Array, Slope> step(const Slope& m, const Array& x, const Array& y) const { return step_(m, x, y); }
  const auto& function() const { return step_; }

 private:
  Function<std::pair<Array, Slope>(const Slope&, const Array&, const Array&)> step_ = jit(value_and_grad(loss));
};

TEST(Function, IsAMemberOfAClassAndKeepsWhatJitOffers) {
  Trainer trainer;
  const Slope m{array(2.f), array(1.f)};
  const Array x = arange(4.f), y = ones({4});
  auto [value, gradient] = trainer.step(m, x, y);
  auto [expected, by_slope] = value_and_grad(loss)(m, x, y);
  EXPECT_EQ(float(value), float(expected));
  EXPECT_EQ(float(gradient.slope), float(by_slope.slope));
  const auto& f = trainer.function();
  EXPECT_EQ(f.cache_size(), 1u);
  EXPECT_FALSE(f.explain(m, x, y).str().empty());
  EXPECT_FALSE(f.plan(m, ShapeDtypeStruct({4}), ShapeDtypeStruct({4})).str().empty());
  const auto lowered = f.lower(m, x, y);
  EXPECT_NE(lowered.text().find("mul"), std::string::npos);
  const auto compiled = lowered.compile();
  EXPECT_EQ(float(compiled(m, x, y).first), float(expected));
  EXPECT_GT(compiled.memory_analysis().argument_bytes, 0u);
  EXPECT_EQ(f.cache_size(), 1u);
  f.clear_cache();
  EXPECT_EQ(f.cache_size(), 0u);
}

TEST(Function, SharesTheCacheOfWhatItIsMadeOfAndOfItsCopies) {
  auto jitted = jit([](const Array& x) { return x + 1; });
  const Function<Array(const Array&)> f = jitted, copy = f;
  jitted(ones({3}));
  f(ones({3}));
  EXPECT_EQ(copy(ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(jitted.cache_size(), 1u);
  copy(ones({4}));
  EXPECT_EQ(jitted.cache_size(), 2u);
  Function g = jitted;  // the signature is the lambda's
  static_assert(std::same_as<decltype(g), Function<Array(const Array&)>>);
  EXPECT_EQ(float(g(1.f)), 2);  // numbers convert as in a call of the lambda
}

TEST(Function, JitsOtherCallablesAndGenericOnes) {
  int traced = 0;
  const Function<Array(const Array&, int)> power = [&](const Array& x, int n) {
    ++traced;
    return lax::integer_pow(x, n);
  };
  EXPECT_EQ(float(power(array(3.f), 2)), 9);
  EXPECT_EQ(float(power(array(3.f), 3)), 27);  // a static argument: another program
  EXPECT_EQ(float(power(array(2.f), 3)), 8);
  EXPECT_EQ(traced, 2);
  EXPECT_EQ(power.cache_size(), 2u);
  const Function<std::tuple<Array, Array>(const Array&)> both = jit([](const auto& x) { return std::tuple{x, x * x}; });
  EXPECT_EQ(float(std::get<1>(both(array(3.f)))), 9);
  const Function<Array(const Array&)> model = jit(nn::Linear{.weight = ones({2, 3})});
  EXPECT_EQ(model(ones({3})).to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(Function, LivesInContainersMovesAndGoesOnUnderTransformations) {
  std::map<std::string, Function<Array(const Array&)>> named;
  named["twice"] = jit([](const Array& x) { return x * 2; });
  named["square"] = [](const Array& x) { return x * x; };
  Function<Array(const Array&)> moved = std::move(named["square"]);
  EXPECT_TRUE(moved);
  EXPECT_EQ(float(moved(array(3.f))), 9);
  EXPECT_EQ(float(grad(moved)(array(3.f))), 6);
  EXPECT_EQ(vmap(moved)(arange(3.f)).to_vector<float>(), (std::vector<float>{0, 1, 4}));
  EXPECT_EQ(float(jit([&](const Array& x) { return moved(named["twice"](x)); })(array(1.f))), 4);
}

TEST(Function, GivesUpDonatedArguments) {
  const Function<Array(const Array&)> f = jit([](const Array& x) { return x + 1; }, {.donate = "all"});
  const Array x = copy(ones({8}));
  EXPECT_EQ(float(f(x)(0)), 2);
  EXPECT_TRUE(x.is_deleted());
}

TEST(Function, EmptyOnesSayThatThereIsNothingToCall) {
  const Function<Array(const Array&)> f;
  EXPECT_FALSE(f);
  for (const std::string& text : {testing::error_of<ValueError>([&] { f(ones({2})); }),
                                  testing::error_of<ValueError>([&] { f.lower(ones({2})); }),
                                  testing::error_of<ValueError>([&] { f.cache_size(); })})
    EXPECT_NE(text.find("Function: it is empty: there is nothing to call"), std::string::npos) << text;
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
