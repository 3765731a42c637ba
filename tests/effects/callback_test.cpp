// debug::callback and debug::print: when they happen, and how often.
#include <thread>

#include "effects/heard.hpp"

namespace tutti {
namespace {

using testing::error_of;
using testing::Heard;
using testing::printed;

TEST(DebugCallback, RunsAtOnceOutsideOfEverything) {
  Heard heard;
  debug::callback(heard.note(), array(3.0f));
  debug::callback([&](const Array& x, int n) { heard.values.push_back(float(x) * float(n)); }, array(2.0f), 5);
  EXPECT_EQ(heard.values, (std::vector<float>{3, 10}));
}

TEST(DebugCallback, RunsAtEveryCallOfAJit) {
  Heard heard;
  auto f = jit([&](const Array& x) {
    Array y = x + 1;
    debug::callback(heard.note(), y * 2);  // a value that nobody else needs
    return y;
  });
  EXPECT_EQ(float(f(array(1.0f))), 2);
  EXPECT_EQ(float(f(array(5.0f))), 6);
  EXPECT_EQ(heard.values, (std::vector<float>{4, 12}));
  EXPECT_EQ(f.cache_size(), 1u);
}

TEST(DebugCallback, TakesTreesAndStaticValues) {
  struct Pair {
    Array a, b;
    int k;
  };
  std::string seen;
  auto f = jit([&](const Pair& p) {
    debug::callback(
        [&](const Pair& q, const std::string& what) { seen = what + str(q.a) + str(q.b) + std::to_string(q.k); }, p,
        std::string("pair "));
    return p.a + p.b;
  });
  f(Pair{array({1.0f, 2.0f}), array(3.0f), 7});
  EXPECT_EQ(seen, "pair [1. 2.]3.07");
}

TEST(DebugCallback, EqualCallsAreNotShared) {
  Heard heard;
  auto note = heard.note();
  jit([&](const Array& x) {
    for (int i = 0; i < 3; ++i) debug::callback(note, sin(x) * 0);
    return x;
  })(array(1.0f));
  EXPECT_EQ(heard.values.size(), 3u);
}

TEST(DebugCallback, KeepTheirOrder) {
  Heard heard;
  auto f = jit([&](const Array& x) {
    Array y = x;
    for (int i = 0; i < 20; ++i) y = sin(y) + x.sum();  // the later ones are ready later
    debug::callback(heard.note(), y.sum() * 0 + 1);
    debug::callback(heard.note(), array(2.0f));
    debug::callback(heard.note(), x.sum() * 0 + 3);
    Array z = exp(x);
    debug::callback(heard.note(), z.sum() * 0 + 4);
    return y + z;
  });
  f(ones({64}));
  EXPECT_EQ(heard.values, (std::vector<float>{1, 2, 3, 4}));
}

TEST(DebugCallback, GradientsRunItInTheForwardPassOnce) {
  Heard heard;
  auto f = [&](const Array& x) {
    Array y = sin(x);
    debug::callback(heard.note(), y);
    return y * y;
  };
  const float s = std::sin(1.0f);
  for (bool staged : {false, true}) {
    heard.values.clear();
    Array g = staged ? jit(grad(f))(array(1.0f)) : grad(f)(array(1.0f));
    EXPECT_NEAR(float(g), 2 * s * std::cos(1.0f), 1e-6);
    ASSERT_EQ(heard.values.size(), 1u) << staged;
    EXPECT_NEAR(heard.values[0], s, 1e-6);
  }
  heard.values.clear();
  jvp(f, std::tuple{array(1.0f)}, std::tuple{array(1.0f)});
  EXPECT_EQ(heard.values.size(), 1u);
  heard.values.clear();
  hessian(f)(array(1.0f));
  EXPECT_EQ(heard.values.size(), 1u);
}

TEST(DebugCallback, RematTellsOnce) {
  Heard heard;
  auto f = remat([&](const Array& x) {
    Array y = sin(x);
    debug::callback(heard.note(), y);
    return sin(y);
  });
  const Array g = jit(grad([&](const Array& x) { return f(x) * 2; }))(array(1.0f));
  EXPECT_NEAR(float(g), 2 * std::cos(std::sin(1.0f)) * std::cos(1.0f), 1e-6);
  EXPECT_EQ(heard.values.size(), 1u);
}

TEST(DebugCallback, VmapCallsOncePerElement) {
  Heard heard;
  auto f = [&](const Array& x) {
    debug::callback(heard.note(), x * 10);
    return x;
  };
  vmap(f)(arange(3.0f));
  EXPECT_EQ(heard.values, (std::vector<float>{0, 10, 20}));
  heard.values.clear();
  jit(vmap(vmap(f)))(arange(6.0f).reshape(2, 3));
  EXPECT_EQ(heard.values, (std::vector<float>{0, 30, 10, 40, 20, 50}));  // as JAX unrolls it
  heard.values.clear();
  jit(vmap(grad([&](const Array& x, const Array& w) {
             debug::callback([&](const Array& a, const Array& b) { heard.values.push_back(float(a) + float(b)); }, x,
                             w);
             return x * w;
           }),
           {.in_axes = {0, none}}))(arange(2.0f), array(100.0f));
  EXPECT_EQ(heard.values, (std::vector<float>{100, 101}));
}

TEST(DebugCallback, NestedJitIsTheSame) {
  Heard heard;
  auto inner = jit([&](const Array& x) {
    debug::callback(heard.note(), x);
    return x + 1;
  });
  jit([&](const Array& x) { return inner(inner(x)); })(array(1.0f));
  EXPECT_EQ(heard.values, (std::vector<float>{1, 2}));
}

TEST(DebugCallback, OperationsInItRunAtOnce) {
  Heard heard;
  auto square_of = jit([](const Array& x) { return x * x; });
  jit([&](const Array& x) {
    debug::callback([&](const Array& v) { heard.values.push_back(float(square_of(v).sum() + matmul(v, v))); }, x);
    return x * 2;
  })(arange(3.0f));
  EXPECT_EQ(heard.values, (std::vector<float>{10}));
}

TEST(DebugCallback, WhatItThrowsComesOutAndTheNextCallWorks) {
  struct Stop {
    int at;
  };
  bool stop = true;
  auto f = jit([&](const Array& x, const Array& w) {
    Array y = matmul(x, w);
    debug::callback(
        [&](const Array& v) {
          if (stop) throw Stop{int(v)};
        },
        y.sum());
    return y + 1;
  });
  const Array x = ones({256, 256}), w = ones({256, 256});
  for (int round = 0; round < 3; ++round) {
    stop = true;
    try {
      f(x, w);
      FAIL() << "nothing was thrown";
    } catch (const Stop& s) {
      EXPECT_EQ(s.at, 256 * 256 * 256);
    }
    stop = false;
    EXPECT_EQ(float(f(x, w).sum()), 256.0f * 256 * 257);
  }
}

TEST(DebugCallback, NothingOfItIsKeptAfterTheJit) {
  auto alive = std::make_shared<int>(1);
  std::weak_ptr<int> watch = alive;
  debug::callback([alive](const Array&) {}, array(1.0f));
  alive.reset();
  EXPECT_TRUE(watch.expired());  // no cache of operations holds it
}

TEST(DebugPrint, PrintsValuesInFields) {
  auto print = [](const Array& x, const Array& n) {
    debug::print("x = {}, n = {:03}, {{}}", x, n);
    debug::print("{1} before {0}", x, std::string("text"));
    debug::print("{n} of {pair}, {f:.2f}", debug::named("pair", std::pair{x, n}), debug::named("n", n),
                 debug::named("f", 0.5));
    debug::print("no fields");
    return n;
  };
  const Array x = array({1.0f, 2.0f}), n = array(7);
  const std::string expected =
      "x = [1. 2.], n = 007, {}\ntext before [1. 2.]\n7 of {[0]: [1. 2.], [1]: 7}, 0.50\nno fields\n";
  EXPECT_EQ(printed([&] { print(x, n); }), expected);
  auto jitted = jit(print);
  EXPECT_EQ(printed([&] { jitted(x, n); }), expected);
  EXPECT_EQ(printed([&] { jitted(x, n); }), expected);
}

TEST(DebugPrint, RefusesFieldsWithoutValuesAndValuesWithoutFields) {
  const Array x = arange(3.0f);
  auto refused = [&](auto call) {
    return error_of<ValueError>([&] {
      jit([&](const Array& v) {
        call(v);
        return v;
      })(x);
    });
  };
  auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), text.npos) << text;
    EXPECT_NE(text.find("callback_test.cpp:"), text.npos) << text;
  };
  has(refused([](const Array& v) { debug::print("x = {} {}", v); }), "debug::print: field 1 has no value, there is 1");
  has(refused([](const Array& v) { debug::print("x = {}", v, v); }), "value 1 has no field");
  has(refused([](const Array& v) { debug::print("x = {y}", v); }), "no value named \"y\"");
  has(refused([](const Array& v) { debug::print("x = {y}", debug::named("y", v), debug::named("z", v)); }),
      "the value named \"z\" has no field");
  has(refused([](const Array& v) { debug::print("x = {", v); }), "a { has no }");
  has(refused([](const Array& v) { debug::print("x = } {}", v); }), "a } has no {");
  has(refused([](const Array& v) { debug::print("x = {:.3f}", v); }), "is not one of its value");
  has(refused([](const Array& v) { debug::print("x = {} {0}", v); }), "some fields are numbered");
}

// Steps that do not need each other may run on several threads; functions of the user's run on the caller's.
TEST(PureCallback, IsCalledByTheThreadThatCallsTheProgram) {
  const auto caller = std::this_thread::get_id();
  const auto doubled = [&](const Array& x) {
    return pure_callback(
        [&](const Array& y) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          return y * 2.f;
        },
        ShapeDtypeStruct(x.shape(), float32), x);
  };
  const Array x = ones({64, 64});
  auto f = jit([&](const Array& a, const Array& b, const Array& c) { return doubled(a) + doubled(b) + doubled(c); });
  auto g = jit([&](const Array& a) {
    return lax::fori_loop(
        0, 3, [&](const Array&, const Array& v) { return doubled(v) + doubled(v + 1.f); }, a);
  });
  for (int k = 0; k < 3; ++k) EXPECT_EQ(float(f(x, x + 1.f, x + 2.f)(0, 0)), 12);
  EXPECT_EQ(float(g(x)(0, 0)), 106);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
