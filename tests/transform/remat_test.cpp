// remat and its policies: the same function in every composition, with the memory and the work that was asked for.
#include "tutti/transform/remat.hpp"

#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

namespace policies = checkpoint_policies;
using Policy = RematPolicy;

void expect_same(const Array& got, const Array& want) {
  EXPECT_TRUE(bool(array_equal(got, want))) << got << "\n" << want;
}

struct Layer {
  Array up, down;
};
constexpr int kRows = 32, kWidth = 64, kHidden = 256;
constexpr double kStream = kRows * kWidth * 4., kHiddenBytes = kRows * kHidden * 4.;

Array residual_block(const Array& x, const Layer& l) {
  Array h = checkpoint_name(matmul(x, l.up), "up");
  h = checkpoint_name(tanh(h) * sin(h), "wave");
  return x + tanh(matmul(h, l.down));
}
Layer stacked_layers(int n) {
  return {random::normal(random::key(1), {n, kWidth, kHidden}) * 0.1f,
          random::normal(random::key(2), {n, kHidden, kWidth}) * 0.1f};
}
std::vector<Layer> layers(int n) {
  std::vector<Layer> out;
  const Layer all = stacked_layers(n);
  for (int i = 0; i < n; ++i) out.push_back({all.up[i], all.down[i]});
  return out;
}
Array input() { return random::normal(random::key(3), {kRows, kWidth}); }

// The gradient by the weights of the sum of a chain; without a policy no remat.
auto chain(std::optional<Policy> policy) {
  return jit([policy](const std::vector<Layer>& ls, const Array& x) {
    return value_and_grad([&](const std::vector<Layer>& ls) {
      Array y = x;
      for (const Layer& l : ls) y = policy ? remat(residual_block, {.policy = *policy})(y, l) : residual_block(y, l);
      return sum(y * y);
    })(ls);
  });
}
// The same as a loop: a remat in each step, or one around the loop.
auto loop(std::optional<Policy> policy, bool inside) {
  return jit([=](const Layer& ls, const Array& x) {
    return value_and_grad([&](const Layer& ls) {
      auto step = [=](const Array& y, const Layer& l) {
        return std::pair{policy && inside ? remat(residual_block, {.policy = *policy})(y, l) : residual_block(y, l),
                         std::tuple{}};
      };
      auto all = [=](const Array& x, const Layer& ls) { return lax::scan(step, x, ls).first; };
      const Array y = policy && !inside ? remat(all, {.policy = *policy})(x, ls) : all(x, ls);
      return sum(y * y);
    })(ls);
  });
}
struct Cost {
  double memory, work;  // temporary bytes, flops
};
template <class F, class... A> Cost cost(const F& f, const A&... args) {
  auto compiled = f.lower(args...).compile();
  return {static_cast<double>(compiled.memory_analysis().temporary_bytes), compiled.cost_analysis().flops};
}
// What another layer adds.
Cost of_layer(std::optional<Policy> policy) {
  const Cost few = cost(chain(policy), layers(4), input()), many = cost(chain(policy), layers(12), input());
  return {(many.memory - few.memory) / 8, (many.work - few.work) / 8};
}

const std::vector<std::pair<const char*, Policy>> kAll = {
    {"nothing", policies::nothing_saveable},
    {"everything", policies::everything_saveable},
    {"dots", policies::dots_saveable},
    {"weights", policies::dots_with_no_batch_dims_saveable},
    {"names", policies::save_only_these_names({"wave"})},
    {"names but", policies::save_any_names_but_these({"wave"})},
    {"all but", policies::save_anything_except_these_names({"up"})},
    {"both", policies::save_from_both_policies(policies::dots_saveable, policies::save_only_these_names({"wave"}))}};

}  // namespace

TEST(Remat, GivesTheSameBits) {
  auto [value, gradient] = chain(std::nullopt)(layers(3), input());
  auto [loop_value, loop_gradient] = loop(std::nullopt, true)(stacked_layers(3), input());
  for (const auto& [name, policy] : kAll) {
    SCOPED_TRACE(name);
    auto [v, g] = chain(policy)(layers(3), input());
    expect_same(v, value);
    for (int i = 0; i < 3; ++i) {
      expect_same(g[i].up, gradient[i].up);
      expect_same(g[i].down, gradient[i].down);
    }
    for (bool inside : {true, false}) {
      auto [lv, lg] = loop(policy, inside)(stacked_layers(3), input());
      expect_same(lv, loop_value);
      expect_same(lg.up, loop_gradient.up);
      expect_same(lg.down, loop_gradient.down);
    }
  }
}

// Per layer: the stream alone; it and the product; everything that a derivative reads.
TEST(Remat, KeepsWhatThePolicySays) {
  const Cost plain = of_layer(std::nullopt), nothing = of_layer(policies::nothing_saveable),
             dots = of_layer(policies::dots_saveable), everything = of_layer(policies::everything_saveable);
  EXPECT_EQ(nothing.memory, kStream);
  EXPECT_EQ(dots.memory, kStream * 2 + kHiddenBytes);  // the stream, and both products
  EXPECT_EQ(everything.memory, plain.memory);
  EXPECT_GT(plain.memory, dots.memory + kHiddenBytes);
  EXPECT_EQ(of_layer(policies::save_only_these_names({"up"})).memory, kStream + kHiddenBytes);

  const double products = 2. * 2 * kRows * kWidth * kHidden;  // of a layer forwards
  EXPECT_GT(nothing.work - plain.work, products);
  EXPECT_LT(nothing.work - plain.work, products * 1.2);
  EXPECT_LT(dots.work - plain.work, products * 0.2);
  EXPECT_EQ(everything.work, plain.work);
}

TEST(Remat, LooksIntoLoopsAndRematsInside) {
  const Layer few = stacked_layers(4), many = stacked_layers(12);
  auto of_step = [&](std::optional<Policy> policy, bool inside) {
    auto f = loop(policy, inside);
    return (cost(f, many, input()).memory - cost(f, few, input()).memory) / 8;
  };
  EXPECT_EQ(of_step(policies::nothing_saveable, true), kStream);
  EXPECT_EQ(of_step(policies::save_only_these_names({"up"}), true), kStream + kHiddenBytes);
  EXPECT_EQ(of_step(policies::dots_saveable, true), 2 * kStream + kHiddenBytes);
  EXPECT_GT(of_step(std::nullopt, true), 2 * kStream + 2 * kHiddenBytes);

  // A product of a loop within a remat is kept for each step and not computed again.
  auto work = [&](const Policy& policy) { return cost(loop(policy, false), many, input()).work; };
  const double products = 12 * 2. * 2 * kRows * kWidth * kHidden;
  EXPECT_GT(work(policies::nothing_saveable) - work(policies::dots_saveable), 0.9 * products);

  auto nested = [](const Policy& outer, const Policy& inner) {
    auto two = [=](const Array& x, const Layer& l) {
      auto one = remat(residual_block, {.policy = inner});
      return one(one(x, l), l);
    };
    return saved_residuals(remat(two, {.policy = outer}), input(), layers(1)[0]).size();
  };
  EXPECT_EQ(nested(policies::nothing_saveable, policies::dots_saveable), 3u);
  // From the first "up" the outer one computes what the inner ones take; theirs is theirs to compute.
  EXPECT_EQ(nested(policies::save_only_these_names({"up"}), policies::nothing_saveable), 4u);
}

// Memory of the deepest place does not add up either: what is computed again is computed where it is used.
TEST(Remat, ComputesAgainBehindTheForwardPass) {
  const Cost plain = cost(chain(std::nullopt), layers(16), input()),
             nothing = cost(chain(policies::nothing_saveable), layers(16), input());
  EXPECT_LT(nothing.memory, 16 * kStream + 6 * kHiddenBytes);
  EXPECT_GT(plain.memory, 16 * (kStream + 2 * kHiddenBytes));
}

TEST(Remat, NamesAreForValues) {
  auto kept = [](const Policy& policy, const auto& f) {
    SavedResiduals all = saved_residuals(remat(f, {.policy = policy}), arange(4.f));
    return all.str();
  };
  // What is read is the value before it was named, and the value behind it.
  auto before = [](const Array& x) {
    Array y = sin(x);
    checkpoint_name(y, "y");
    Array z = checkpoint_name(y, "z");
    return sum(exp(y) * z);
  };
  EXPECT_EQ(kept(policies::nothing_saveable, before), "float32[4] from argument arg0\n");
  const std::string both = kept(policies::save_only_these_names({"z"}), before);
  EXPECT_NE(both.find("named 'z', output of sin at "), std::string::npos) << both;
  const std::string others = kept(policies::save_anything_except_these_names({"z"}), before);
  EXPECT_EQ(others.find("output of sin"), std::string::npos) << others;
  EXPECT_NE(others.find("output of exp"), std::string::npos) << others;
  EXPECT_EQ(policies::save_from_both_policies(policies::save_any_names_but_these({"a", "b"}),
                                              policies::save_any_names_but_these({"b", "c"})),
            policies::save_any_names_but_these({"b"}));
  // Trees and arrays that nobody records.
  const Layer l = checkpoint_name(stacked_layers(1), "weights");
  expect_same(l.up, stacked_layers(1).up);
  EXPECT_EQ(saved_residuals([](const Array& x) { return x * 2; }, arange(4.f)).size(), 0u);
  EXPECT_EQ(saved_residuals([](const Array& x) { return x * x; }, arange(4.f)).nbytes(), 16);
}

TEST(Remat, PoliciesInEveryComposition) {
  set_cpu_devices(4);
  const Array x = arange(8.f) / 4 - 0.7f, y = arange(8.f) * 0.2f + 0.1f;
  auto plain = [](const Array& x, const Array& y) {
    Array h = checkpoint_name(tanh(x) * y, "h");
    Array step = lax::scan(
                     [&](const Array& c, none_t) {
                       return std::pair{checkpoint_name(sin(c * h), "c"), std::tuple{}};
                     },
                     x, none, {.length = 3})
                     .first;
    return h * exp(step * y);
  };
  const auto mesh = make_mesh({4}, {"i"});
  auto modes = [&](const auto& f) {
    auto total = [=](const Array& a, const Array& b) { return sum(f(a, b)); };
    auto region = shard_map([=](const Array& a, const Array& b) { return lax::psum(sum(f(a, b)), "i"); },
                            {.mesh = mesh, .in_specs = P("i"), .out_specs = P()});
    auto by_x = [=](const Array& a) { return total(a, y); };
    return std::vector{grad(total)(x, y),
                       jit(grad<1>(total))(x, y),
                       vmap(grad(total), {.in_axes = {0, none}})(x, array(0.4f)),
                       jit(vmap(grad<1>(total)))(x, y),
                       hessian(by_x)(x),
                       jit(jacfwd(grad(by_x)))(x),
                       grad([=](const Array& a) { return sum(square(grad(by_x)(a))); })(x),
                       jvp(grad(by_x), std::tuple{x}, std::tuple{y}).second,
                       linearize(by_x, x).second(y),
                       grad(region)(x, y),
                       jit(grad<1>(region))(x, y)};
  };
  const std::vector<Array> want = modes(plain);
  const std::vector<Policy> some = {policies::nothing_saveable, policies::save_only_these_names({"c"}),
                                    policies::save_anything_except_these_names({"c"})};
  for (std::size_t p = 0; p < some.size(); ++p) {
    const std::vector<Array> got = modes(remat(plain, {.policy = some[p]}));
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(bool(allclose(got[i], want[i], 1e-5, 1e-6))) << p << ' ' << i << '\n' << got[i] << '\n' << want[i];
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
