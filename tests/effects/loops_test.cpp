// Effects in loops, branches and under mapped conditions.
#include "effects/heard.hpp"

namespace tutti {
namespace {

using testing::Heard;

TEST(EffectsInLoops, HappenOnceAStep) {
  Heard heard;
  auto note = heard.note();
  auto scan = jit([&](const Array& x) {
    return lax::scan(
               [&](const Array& c, const Array& v) {
                 debug::callback(note, c);
                 return std::pair{c + v, c};
               },
               x, arange(4.0f))
        .first;
  });
  EXPECT_EQ(float(scan(array(0.0f))), 6);
  EXPECT_EQ(heard.values, (std::vector<float>{0, 0, 1, 3}));

  heard.values.clear();
  lax::while_loop([](const Array& i) { return i < 3; },
                  [&](const Array& i) {
                    debug::callback(note, i);
                    return i + 1;
                  },
                  array(0));
  EXPECT_EQ(heard.values, (std::vector<float>{0, 1, 2}));

  heard.values.clear();
  jit([&](const Array& x) {
    return lax::fori_loop(
        0, 3,
        [&](const Array& i, const Array& c) {
          debug::callback([&] { heard.values.push_back(7); });  // depends on nothing
          return c + i;
        },
        x);
  })(array(0));
  EXPECT_EQ(heard.values, (std::vector<float>{7, 7, 7}));
}

TEST(EffectsInLoops, KnowTheSteps) {
  std::vector<std::vector<std::int64_t>> steps;
  auto f = jit([&](const Array& x) {
    return lax::fori_loop(
        0, 2,
        [&](const Array&, const Array& c) {
          return lax::fori_loop(
              0, 2,
              [&](const Array&, const Array& d) {
                debug::callback([&](const CallSite& site, const Array&) { steps.push_back(site.steps); }, d);
                return d + 1;
              },
              c);
        },
        x);
  });
  const std::vector<std::vector<std::int64_t>> expected{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  for (const char* backend : {"cpu", "reference"}) {
    steps.clear();
    config::backend(backend);
    f(array(0));
    EXPECT_EQ(steps, expected) << backend;
  }
  config::backend("cpu");
}

TEST(EffectsInLoops, HappenWhereNobodyNeedsTheLoop) {
  Heard heard;
  jit([&](const Array& x) {
    lax::fori_loop(
        0, 3,
        [&](const Array& i, const Array& c) {
          debug::callback(heard.note(), i);
          return c * 2;
        },
        x);
    return x;
  })(array(1.0f));
  EXPECT_EQ(heard.values, (std::vector<float>{0, 1, 2}));
}

TEST(EffectsInLoops, GradientsTellInTheForwardPassAlone) {
  Heard heard;
  auto note = heard.note();
  auto tells = [&](std::int64_t checkpoint_every) {
    heard.values.clear();
    Array g = jit(grad([&](const Array& x) {
      return lax::scan(
                 [&](const Array& c, none_t) {
                   debug::callback(note, c);
                   debug::callback([&] { heard.values.push_back(-1); });
                   return std::pair{sin(c), none};
                 },
                 x, none, {.length = 3, .checkpoint_every = checkpoint_every})
          .first;
    }))(array(1.0f));
    EXPECT_NEAR(float(g), 0.2645082, 1e-5);
    return heard.values;
  };
  for (std::int64_t every : {0, 2, -1}) {
    const std::vector<float> values = tells(every);
    ASSERT_EQ(values.size(), 6u) << every;
    EXPECT_NEAR(values[2], 0.84147096f, 1e-6);
    EXPECT_EQ(values[1], -1);
  }
  heard.values.clear();
  Array g = grad([&](const Array& x) {
    return lax::while_loop([](const Array& c) { return c < 100; },
                           [&](const Array& c) {
                             debug::callback(note, c);
                             return c * 3;
                           },
                           x, {.max_steps = 20});
  })(array(1.0f));
  EXPECT_EQ(float(g), 243);
  EXPECT_EQ(heard.values, (std::vector<float>{1, 3, 9, 27, 81}));
}

TEST(EffectsInLoops, LoopsOfLinearizedFunctionsTellOnce) {
  Heard heard;
  auto [y, map] = linearize(
      [&](const Array& x) {
        return lax::while_loop([](const std::pair<Array, Array>& c) { return c.second < 2; },
                               [&](const std::pair<Array, Array>& c) {
                                 debug::callback(heard.note(), c.second);
                                 return std::pair{c.first * 2, c.second + 1};
                               },
                               std::pair{x, array(0)})
            .first;
      },
      array(1.0f));
  map(array(1.0f));
  map(array(1.0f));
  EXPECT_EQ(heard.values, (std::vector<float>{0, 1}));
}

TEST(EffectsInBranches, HappenWhenTheBranchIsTaken) {
  Heard heard;
  auto f = [&](const Array& x) {
    return lax::cond(
        x > 1,
        [&](const Array& v) {
          debug::callback(heard.note(), v);
          return v * 2;
        },
        [&](const Array& v) {
          debug::callback(heard.note(), -v);
          return v * 3;
        },
        x);
  };
  auto g = jit(f);
  g(array(5.0f));
  g(array(0.5f));
  EXPECT_EQ(heard.values, (std::vector<float>{5, -0.5}));
  heard.values.clear();
  const Array y = jit(vmap(f))(array({0.5f, 5.0f, 1.0f, 7.0f}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1.5, 10, 3, 14}));
  std::sort(heard.values.begin(), heard.values.end());
  EXPECT_EQ(heard.values, (std::vector<float>{-1, -0.5, 5, 7}));  // each element its own branch
}

TEST(EffectsInBranches, LoopsInMappedBranchesTellForTheirElements) {
  Heard heard;
  auto f = [&](const Array& x) {
    return lax::cond(
        x > 1,
        [&](const Array& v) {
          return lax::fori_loop(
              0, 2,
              [&](const Array& i, const Array& c) {
                debug::callback(heard.note(), v * 10 + i);
                return c + 1;
              },
              v);
        },
        [](const Array& v) { return v; }, x);
  };
  jit(vmap(f))(array({0.0f, 2.0f, 3.0f}));
  EXPECT_EQ(heard.values, (std::vector<float>{20, 30, 21, 31}));
}

TEST(EffectsInBranches, ElementsThatAreDoneTellNothing) {
  Heard heard;
  auto f = [&](const Array& x) {
    return lax::while_loop([](const Array& c) { return c < 2; },
                           [&](const Array& c) {
                             debug::callback(heard.note(), c);
                             return c + 1;
                           },
                           x);
  };
  const Array y = jit(vmap(f))(arange(3.0f));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(heard.values, (std::vector<float>{0, 1, 1}));
}

TEST(EffectsInLoops, AnExceptionEndsTheLoopAndTheNextCallWorks) {
  int until = 5;
  auto f = jit([&](const Array& x) {
    return lax::fori_loop(
        0, 100,
        [&](const Array& i, const Array& c) {
          debug::callback(
              [&](const Array& k) {
                if (int(k) == until) throw std::runtime_error("enough");
              },
              i);
          return tanh(matmul(c, c) * 0.001) + 1;
        },
        x);
  });
  const Array x = ones({200, 200});
  EXPECT_THROW(f(x), std::runtime_error);
  until = -1;
  const Array y = f(x);
  until = 99;
  EXPECT_THROW(f(x), std::runtime_error);
  until = -1;
  EXPECT_TRUE(bool(array_equal(f(x), y)));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
