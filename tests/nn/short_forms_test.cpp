// Short names for what programs write often.
#include "nn/check.hpp"
#include "tutti/format.hpp"

namespace tutti::testing {
namespace {

struct Counter {
  Array operator()(linen::Scope& s, const Array& x) const {
    Array n = s.variable("counts", "calls", [] { return zeros({}, int32); });
    s.set("counts", "calls", n + 1);
    return x + n;
  }
};

TEST(ShortForms, ApplyMutableTakesNames) {
  Dict variables = linen::init(Counter{}, random::key(0), ones({2}));
  auto [y, changed] = linen::apply_mutable(Counter{}, variables, {"counts"}, ones({2}));
  EXPECT_EQ(changed["counts"]["calls"].item<int>(), variables["counts"]["calls"].item<int>() + 1);
  auto f = jit([](const Dict& v, const Array& x) { return linen::apply_mutable(Counter{}, v, {"counts"}, x).second; });
  EXPECT_EQ(f(variables, ones({2}))["counts"]["calls"].item<int>(), changed["counts"]["calls"].item<int>());
}

TEST(ShortForms, ACopiedTreeMayBeDonated) {
  std::pair<Array, Array> params{ones({3}), zeros({2})};
  auto step = jit(
      [](const std::pair<Array, Array>& p) {
        return std::pair{p.first + 1, p.second};
      },
      {.donate_argnums = {0}});
  step(tree::copy(params));
  EXPECT_EQ(params.first.to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(ShortForms, MultiSteps) {
  Array p = ones({2}), g = ones({2});
  auto made = optim::multi_steps(optim::sgd(1.), 2);
  optim::MultiSteps written(optim::sgd(1.), 2);
  auto [u, s] = made.update(g, made.init(p), p);
  auto [v, t] = written.update(g, written.init(p), p);
  EXPECT_TRUE(bool(array_equal(u, v)));
  EXPECT_TRUE(bool(array_equal(made.update(g, s, p).first, -g)));
}

TEST(ShortForms, PathsHaveText) {
  auto leaves = tree::leaves_with_path(std::pair{ones({1}), ones({2})});
  EXPECT_EQ(fmt::format("{}", leaves[1].first), leaves[1].first.str());
}

TEST(ShortForms, RowsAreCopiedOneByOne) {
  Array x = arange(12).reshape(4, 3);
  const std::int64_t rows[] = {3, 0, 3};
  std::vector<int> out(9);
  copy_rows(x, rows, out.data());
  EXPECT_EQ(out, (std::vector<int>{9, 10, 11, 0, 1, 2, 9, 10, 11}));
  EXPECT_THROW(copy_rows(x, std::vector<std::int64_t>{4}, out.data()), IndexError);
  EXPECT_THROW(copy_rows(array(1), std::vector<std::int64_t>{0}, out.data()), IndexError);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
