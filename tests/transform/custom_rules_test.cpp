// custom_jvp, custom_vjp and remat in all compositions: with the right rule they are the function itself, with a wrong
// one the rule shows.
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/remat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct State {
  Array x;
  std::vector<Array> w;
  int steps;
};

const auto plain = [](const Array& x, const Array& y) { return tanh(x) * y + x * sin(y); };
Array d_by_x(const Array& x, const Array& y) { return (1 - square(tanh(x))) * y + sin(y); }
Array d_by_y(const Array& x, const Array& y) { return tanh(x) + x * cos(y); }
const auto by_jvp =
    custom_jvp(plain, [](const std::tuple<Array, Array>& args, const std::tuple<Array, Array>& tangents) {
      auto& [x, y] = args;
      return std::pair{plain(x, y), d_by_x(x, y) * std::get<0>(tangents) + d_by_y(x, y) * std::get<1>(tangents)};
    });
const auto by_vjp = custom_vjp(
    plain,
    [](const Array& x, const Array& y) {
      return std::pair{plain(x, y), std::pair{x, y}};
    },
    [](const std::pair<Array, Array>& kept, const Array& g) {
      auto& [x, y] = kept;
      return std::tuple{g * d_by_x(x, y), g * d_by_y(x, y)};
    });
const auto again = remat(plain);

void expect_close(const Array& got, const Array& want) {
  EXPECT_TRUE(allclose(got, want, 1e-5, 1e-6)) << got << "\n" << want;
}

// What is done with the function, as arrays; `f(x, y)` takes vectors or scalars.
template <class F> std::vector<Array> reverse_modes(const F& f) {
  Array x = arange(5.0) / 4 - 0.5, y = arange(5.0) * 0.3 + 0.2, s = array(0.7f), t = array(-0.3f);
  auto total = [=](const Array& a, const Array& b) { return sum(f(a, b)); };
  auto [dx, dy] = grad<0, 1>(total)(x, y);
  auto [jx, jy] = jit(grad<0, 1>(total))(x, y);
  auto [vx, vy] = vmap(grad<0, 1>(f), {.in_axes = {0, none}})(x, t);
  auto unmapped = [=](const Array& b) { return sum(vmap(f, {.in_axes = {0, none}})(x, b)); };
  auto nested = [=](const Array& b) {
    return sum(vmap([=](const Array& a) { return sum(vmap(f, {.in_axes = {none, 0}})(a, y) * b); })(x));
  };
  Mesh mesh = make_mesh({5}, {"i"});
  auto region = shard_map([=](const Array& a, const Array& b) { return lax::psum(sum(f(a, b)), "i"); },
                          {.mesh = mesh, .in_specs = {P("i"), P()}, .out_specs = P()});
  auto replicated = [=](const Array& a, const Array& b) { return region(a, b.reshape(1)); };
  auto lanes = [=](const Array& a) {
    return sum(pmap([=](const Array& e, const Array& b) { return lax::psum(f(e, b), "p"); },
                    {.axis_name = "p", .in_axes = {0, none}})(a, s));
  };
  auto [y1, pullback] = vjp(f, s, t);
  auto [ps, pt] = pullback(array(2.f));
  return {f(s, t),
          jit(f)(x, y),
          vmap(f)(x, y),
          dx,
          dy,
          jx,
          jy,
          vx,
          vy,
          grad(unmapped)(t),
          grad(nested)(s),
          grad(jit(nested))(s),
          grad([=](const Array& a) { return grad(f)(a, t); })(s),
          grad<1>([=](const Array& a, const Array& b) { return grad(f)(a, b); })(s, t),
          grad(replicated)(x, t),
          grad<1>(replicated)(x, t),
          jit(grad<1>(replicated))(x, t),
          grad(lanes)(x),
          jit(grad(lanes))(x),
          y1,
          ps,
          pt,
          jacrev([=](const Array& a) { return f(a, y); })(x)};
}
template <class F> std::vector<Array> forward_modes(const F& f) {
  Array x = arange(5.0) / 4 - 0.5, y = arange(5.0) * 0.3 + 0.2, s = array(0.7f), t = array(-0.3f);
  auto [v, dv] = jvp(f, std::tuple{x, y}, std::tuple{y, x});
  auto [l, map] = linearize(f, x, y);
  auto once = [=](const Array& a) { return jvp(f, std::tuple{a, y}, std::tuple{ones_like(a), y}).second; };
  return {v,
          dv,
          l,
          map(y, x),
          jacfwd([=](const Array& a) { return f(a, y); })(x),
          hessian([=](const Array& a) { return sum(f(a, y)); })(x),
          jit(once)(x),
          vmap([=](const Array& a) {
            return jvp(f, std::tuple{a, t}, std::tuple{s, t}).second;
          })(x),
          jvp(once, std::tuple{x}, std::tuple{x}).second};
}
void expect_equal(const std::vector<Array>& got, const std::vector<Array>& want) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(i);
    expect_close(got[i], want[i]);
  }
}

}  // namespace

TEST(CustomRules, RightRulesAreTheFunctionInEveryComposition) {
  set_cpu_devices(8);
  expect_equal(reverse_modes(by_jvp), reverse_modes(plain));
  expect_equal(forward_modes(by_jvp), forward_modes(plain));
  expect_equal(reverse_modes(by_vjp), reverse_modes(plain));
}
TEST(Remat, IsTheFunctionInEveryComposition) {
  set_cpu_devices(8);
  expect_equal(reverse_modes(again), reverse_modes(plain));
  expect_equal(forward_modes(again), forward_modes(plain));
}

TEST(CustomRules, TheRuleIsWhatCounts) {
  auto square_with = [](double slope) {
    return custom_jvp([](const Array& x) { return x * x; },
                      [=](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                        return std::pair{square(std::get<0>(args)), slope * std::get<0>(tangents)};
                      });
  };
  expect_close(grad(square_with(7))(3.), array(7.f));
  expect_close(jit(grad(square_with(7)))(3.), array(7.f));
  expect_close(vmap(grad(square_with(7)))(ones({2})), array({7.f, 7.f}));
  auto reversed = custom_vjp([](const Array& x) { return x; },
                             [](const Array& x) {
                               return std::pair{x, std::tuple{}};
                             },
                             [](const std::tuple<>&, const Array& g) { return std::tuple{-g}; });
  expect_close(grad([=](const Array& x) { return sum(reversed(sin(x))); })(zeros({3})), -ones({3}));
}

TEST(CustomRules, TakeTreesIntegersStaticsAndEmptyCotangents) {
  auto run = [](const State& s, const Array& n) { return std::pair{sum(s.x * s.w[0]) * s.steps, n + 1}; };
  auto f = custom_vjp(
      run,
      [=](const State& s, const Array& n) {
        return std::pair{run(s, n), s};
      },
      [](const State& kept, const std::pair<Array, Array>& g) {
        EXPECT_FALSE(g.second.has_value());  // of an integer
        return std::tuple{State{Array(), {g.first * kept.x * 100}, kept.steps}, Array()};
      });
  auto g = grad([=](const State& s) { return f(s, array(3)).first; })(State{ones({2}), {arange(2.0)}, 5});
  expect_close(g.x, zeros({2}));
  expect_close(g.w[0], 100 * ones({2}));
  EXPECT_EQ(f(State{ones({2}), {arange(2.0)}, 5}, array(3)).second.item<int>(), 4);
}

TEST(CustomRules, CapturedArraysAreConstants) {
  auto loss = [](const Array& x, bool inside) {
    Array scale = inside ? x * 2 : Array(2.);
    auto f = custom_jvp([=](const Array& y) { return y * scale; },
                        [=](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                          return std::pair{std::get<0>(args) * scale, std::get<0>(tangents) * scale};
                        });
    return f(x);
  };
  expect_close(grad(loss)(3., false), array(2.f));
  expect_close(jit(grad(loss))(3., false), array(2.f));
  try {
    grad(loss)(3., true);
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_NE(std::string(e.what()).find("captured"), std::string::npos) << e.what();
  }
}

// The line of an error is that of the custom_jvp or custom_vjp whose rule is wrong or missing.
TEST(CustomRules, Errors) {
  Array x = ones({3});
  EXPECT_THROW(jvp(by_vjp, std::tuple{x, x}, std::tuple{x, x}), TypeError);
  EXPECT_THROW(jit([](const Array& a) {
                 return jvp(by_vjp, std::tuple{a, a}, std::tuple{a, a}).second;
               })(x),
               TypeError);
  EXPECT_THROW(jacfwd([](const Array& a) { return by_vjp(a, a); })(x), TypeError);
  Loc here = Loc::current();
  auto wrong_shape = custom_jvp([](const Array& a) { return a * 2; },
                                [](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                                  return std::pair{std::get<0>(args) * 2, sum(std::get<0>(tangents))};
                                },
                                here);
  try {
    grad([&](const Array& a) { return sum(wrong_shape(a)); })(x);
    FAIL();
  } catch (const ShapeError& e) {
    for (const std::string& fact :
         {std::string("custom_jvp: "), std::string("float32[]"), std::string("float32[3]"), "at " + here.str()})
      EXPECT_NE(std::string(e.what()).find(fact), std::string::npos) << fact << "\n" << e.what();
  }
  auto wrong_type = custom_vjp([](const Array& a) { return a * 2; },
                               [](const Array& a) {
                                 return std::pair{a * 2, std::tuple{}};
                               },
                               [](const std::tuple<>&, const Array& g) { return std::tuple{g.astype(int32)}; });
  EXPECT_THROW(grad([&](const Array& a) { return sum(wrong_type(a)); })(x), TypeError);
  std::function<Array(const Array&)> self;
  self = custom_jvp([](const Array& a) { return a * 2; },
                    [&](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                      return std::pair{self(std::get<0>(args)), std::get<0>(tangents)};
                    });
  EXPECT_THROW(grad([&](const Array& a) { return sum(self(a)); })(x), ValueError);
}

// A tower of functions that call one another, rules included; `calls` counts how often any of them runs.
Array tower(int depth, int& calls, const Array& x) {
  if (depth == 0) return sin(x);
  auto f = custom_jvp(
      [&calls, depth](const Array& a) {
        ++calls;
        return tower(depth - 1, calls, a) * 0.5;
      },
      [&calls, depth](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
        ++calls;
        const Array& a = std::get<0>(args);
        auto [y, dy] = jvp([&](const Array& b) { return tower(depth - 1, calls, b); }, std::tuple{a},
                           std::tuple{std::get<0>(tangents)});
        return std::pair{tower(depth - 1, calls, a) * 0.5, dy * 0.5};
      });
  return f(x);
}
Array tower_of_vjp(int depth, int& calls, const Array& x) {
  if (depth == 0) return sin(x);
  auto f = custom_vjp(
      [&calls, depth](const Array& a) {
        ++calls;
        return tower_of_vjp(depth - 1, calls, a) * 0.5;
      },
      [&calls, depth](const Array& a) {
        ++calls;
        return std::pair{tower_of_vjp(depth - 1, calls, a) * 0.5, a};
      },
      [&calls, depth](const Array& a, const Array& g) {
        ++calls;
        return std::tuple{g * 0.5 * grad([&](const Array& b) { return tower_of_vjp(depth - 1, calls, b); })(a)};
      });
  return f(x);
}

TEST(CustomRules, NestedFunctionsAreRecordedOncePerDepthAndDerivative) {
  for (int depth : {4, 8, 16}) {
    int calls = 0;
    const double scale = std::pow(0.5, depth);
    Array x = array(0.3f);
    auto f = [&](const Array& a) { return tower(depth, calls, a); };
    expect_close(jit(f)(x), sin(x) * scale);
    EXPECT_LE(calls, depth * depth + 3 * depth);
    calls = 0;
    expect_close(grad(f)(x), cos(x) * scale);
    EXPECT_LE(calls, 2 * depth * depth + 2 * depth);
    calls = 0;
    auto g = [&](const Array& a) { return tower_of_vjp(depth, calls, a); };
    expect_close(grad(g)(x), cos(x) * scale);
    EXPECT_LE(calls, 3 * depth * depth + 3 * depth);
  }
  int calls = 0;
  Array x = array(0.3f);
  auto f = [&](const Array& a) { return tower(3, calls, a); };
  expect_close(grad(grad(f))(x), -sin(x) / 8);
  expect_close(hessian(f)(x), -sin(x) / 8);
  expect_close(grad(grad(jit(f)))(x), -sin(x) / 8);
  auto once = jit(f);
  expect_close(once(x), sin(x) / 8);
  expect_close(grad(once)(x), cos(x) / 8);
  expect_close(grad(grad(once))(x), -sin(x) / 8);
  expect_close(grad(grad(grad(once)))(x), -cos(x) / 8);
  expect_close(once(x), sin(x) / 8);
}

// Rules are recorded where a derivative can be taken.
TEST(CustomRules, AreNotRecordedForNothing) {
  int rules = 0;
  auto f = custom_jvp([](const Array& a) { return a * 2; },
                      [&](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                        ++rules;
                        return std::pair{std::get<0>(args) * 2, std::get<0>(tangents) * 3};
                      });
  expect_close(vmap(f)(ones({3})), 2 * ones({3}));
  EXPECT_EQ(rules, 0);
  auto jitted = jit(f);
  jitted(ones({3}));
  EXPECT_EQ(rules, 1);
  expect_close(grad([&](const Array& a) { return sum(jitted(a)); })(ones({3})), 3 * ones({3}));
}

// Where only some arguments are differentiated, the linear part of the rule is pushed forward for these.
TEST(CustomRules, DifferentiatedBySomeArguments) {
  auto powers = [](const Array& x, const Array& y) {
    return lax::scan(
               [&](const Array& c, const Array& y) {
                 return std::pair{c * x + y, std::tuple{}};
               },
               x * 0, y)
        .first;
  };
  auto f = custom_jvp(powers, [=](const std::tuple<Array, Array>& args, const std::tuple<Array, Array>& tangents) {
    auto [value, map] = linearize(powers, std::get<0>(args), std::get<1>(args));
    return std::pair{value, map(std::get<0>(tangents), std::get<1>(tangents))};
  });
  const Array x = array({0.5f, -1.f}), y = arange(6.f).reshape(3, 2);
  auto by_x = [&](const auto& g) { return grad([=](const Array& x, const Array& y) { return sum(g(x, y)); }); };
  auto by_y = [&](const auto& g) { return grad<1>([=](const Array& x, const Array& y) { return sum(g(x, y)); }); };
  expect_close(by_x(f)(x, y), by_x(powers)(x, y));
  expect_close(by_y(f)(x, y), by_y(powers)(x, y));
  expect_close(jvp(f, std::tuple{x, y}, std::tuple{x, y}).second,
               jvp(powers, std::tuple{x, y}, std::tuple{x, y}).second);
  expect_close(hessian([=](const Array& x) { return sum(f(x, y)); })(x),
               hessian([=](const Array& x) { return sum(powers(x, y)); })(x));
}

// Functions made on one line are as many functions.
TEST(CustomRules, AreToldApartByIdentity) {
  auto make = [](double slope, std::function<Array(const Array&)> in_rule) {
    return custom_jvp([](const Array& a) { return a * a; },
                      [=](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                        return std::pair{in_rule(std::get<0>(args)), std::get<0>(tangents) * slope};
                      });
  };
  auto inner = make(5, [](const Array& a) { return square(a); });
  auto outer = make(7, inner);
  expect_close(grad(outer)(3.), array(7.f));
  expect_close(jit(grad(outer))(3.), array(7.f));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
