// error_if, config::debug_nans and config::debug_infs.
#include "effects/heard.hpp"

namespace tutti {
namespace {

using testing::error_of;

void has(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), text.npos) << text; }

TEST(ErrorIf, GivesItsArgumentAndThrowsWhereTheConditionHolds) {
  auto f = [](const Array& x) {
    Array y = error_if(x, x < 0, "negative: {}, {n}", x, debug::named("n", 3));
    return y * 2;
  };
  for (bool staged : {false, true}) {
    auto call = [&](const Array& x) { return staged ? jit(f)(x) : f(x); };
    EXPECT_EQ(call(array({1.0f, 2.0f})).to_vector<float>(), (std::vector<float>{2, 4}));
    const std::string text = error_of<CheckError>([&] { call(array({1.0f, -2.0f})); });
    has(text, "error_if: negative: [ 1. -2.], 3.\n  at checks_test.cpp:");
  }
}

TEST(ErrorIf, IsLookedAtWhereNobodyNeedsTheResult) {
  auto f = jit([](const Array& x) {
    error_if(x, x > 3, "too large");
    return x;
  });
  f(array(1.0f));
  has(error_of<CheckError>([&] { f(array(4.0f)); }), "too large");
  f(array(2.0f));
}

TEST(ErrorIf, NamesTheStepOfALoop) {
  auto f = jit([](const Array& x) {
    return lax::fori_loop(
        0, 10, [](const Array& i, const Array& c) { return error_if(c + 1, i == 7, "at {}", i); }, x);
  });
  const std::string text = error_of<CheckError>([&] { f(array(0)); });
  has(text, "error_if: at 7 (step 7 of the loop).\n");
}

TEST(ErrorIf, ChecksElementsBranchesAndGradients) {
  auto f = [](const Array& x) { return error_if(x, x == 2, "two: {}", x) * 2; };
  has(error_of<CheckError>([&] { jit(vmap(f))(arange(4.0f)); }), "two: 2.0");
  EXPECT_EQ(jit(vmap(f))(arange(2.0f)).to_vector<float>(), (std::vector<float>{0, 2}));
  has(error_of<CheckError>([&] { jit(grad(f))(array(2.0f)); }), "two");
  has(error_of<CheckError>([&] { grad(f)(array(2.0f)); }), "two");
  EXPECT_EQ(float(jit(grad(f))(array(1.0f))), 2);
  // In a branch that an element does not take nothing is checked.
  auto g = jit(vmap([&](const Array& x) {
    return lax::cond(
        x == 2, [](const Array& v) { return v; }, [&](const Array& v) { return f(v); }, x);
  }));
  EXPECT_EQ(g(arange(4.0f)).to_vector<float>(), (std::vector<float>{0, 2, 2, 6}));
}

// While one lives NaNs are watched for.
struct Watching {
  Watching(bool nans, bool infs) {
    config::debug_nans(nans);
    config::debug_infs(infs);
  }
  ~Watching() {
    config::debug_nans(false);
    config::debug_infs(false);
  }
};

TEST(DebugNans, NamesTheFirstOperationAndItsLine) {
  auto f = jit([](const Array& x) {
    Array y = x - 1;
    Array z = log(y);  // line of the NaN
    return (z * 2).sum();
  });
  EXPECT_TRUE(std::isnan(float(f(array({0.0f, 2.0f})))));
  const Watching on(true, false);
  EXPECT_EQ(float(f(array({2.0f, 2.0f}))), 0);
  const std::string text = error_of<FloatingPointError>([&] { f(array({0.0f, 2.0f})); });
  has(text, "log: it made a NaN, of operands that have none.\n  at checks_test.cpp:");
}

TEST(DebugNans, EagerOperationsAreWatchedToo) {
  const Watching on(true, false);
  has(error_of<FloatingPointError>([] { sqrt(array(-1.0f)); }), "a NaN");
  sqrt(array(1.0f));
}

TEST(DebugNans, NamesTheStepOfALoop) {
  auto f = jit([](const Array& x) {
    return lax::scan(
               [](const Array& c, const Array& v) {
                 return std::pair{c + sqrt(v), c};
               },
               x, array({4.0f, 1.0f, -1.0f, 4.0f}))
        .first;
  });
  auto g = jit([](const Array& x) {
    return lax::while_loop([](const Array& c) { return c > -5; }, [](const Array& c) { return c - sqrt(c + 2); }, x);
  });
  const Watching on(true, false);
  std::string text = error_of<FloatingPointError>([&] { f(array(0.0f)); });
  has(text, "sqrt: it made a NaN in step 2 of the loop");
  text = error_of<FloatingPointError>([&] { g(array(1.0f)); });
  has(text, "sqrt: it made a NaN in step ");
}

TEST(DebugNans, WhatIsMaskedIsFineAndWhatCameInIsNamed) {
  const Watching on(true, false);
  auto masked = jit([](const Array& x) { return where(x > 1, log(x - 1), 0.0f); });
  EXPECT_EQ(masked(array({0.0f, 2.0f})).to_vector<float>(), (std::vector<float>{0, 0}));
  auto through = jit([](const Array& x) { return x * 2; });
  const std::string text =
      error_of<FloatingPointError>([&] { through(array({std::numeric_limits<float>::quiet_NaN()})); });
  has(text, "so did arg0 before");
}

TEST(DebugNans, DonatedArgumentsAreThereForTheSearch) {
  auto f = jit([](const Array& x) { return log(x) + 1; }, {.donate = Donate::all});
  const Watching on(true, false);
  Array x = array({-1.0f, 2.0f});
  has(error_of<FloatingPointError>([&] { f(x); }), "log: it made a NaN");
  EXPECT_TRUE(x.is_deleted());
}

TEST(DebugInfs, NamesTheFirstInfinity) {
  auto f = jit([](const Array& x) { return exp(x * 100) + 1; });
  const Watching on(false, true);
  f(array(0.5f));
  has(error_of<FloatingPointError>([&] { f(array(5.0f)); }), "exp: it made an infinity");
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
