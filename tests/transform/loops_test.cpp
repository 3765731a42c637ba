// Loops and branches are operations: what is recorded of them, what reverse mode keeps, what is not computed at all.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/passes.hpp"
#include "transform/interpret.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using F = std::vector<float>;
F elements(const Array& x) { return x.to_vector<float>(); }
void expect_near(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(allclose(a, b, 1e-5, 1e-6).item<bool>()) << a << "\n" << b;
}
int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A program of arrays of these shapes.
ProgramPtr program(const std::vector<Shape>& shapes,
                   const std::function<std::vector<Array>(const std::vector<Array>&)>& f) {
  Recording recording("test", {});
  std::vector<Array> in;
  for (const Shape& s : shapes) in.push_back(recording.input({float32, s, false, {}}));
  return recording.close(f(in));
}
// What reverse mode keeps of it beside its inputs, in elements.
std::int64_t kept(const ProgramPtr& p) {
  const Linearized lin = linearize(*p, std::vector<bool>(p->inputs.size(), true));
  std::int64_t out = 0;
  for (std::size_t k = p->outputs.size(); k < lin.known->outputs.size(); ++k) {
    const Atom& a = lin.known->outputs[k];
    const bool is_input =
        std::find(lin.known->inputs.begin(), lin.known->inputs.end(), a.id) != lin.known->inputs.end();
    if (!is_input) out += lin.known->type(a).num_elements();
  }
  return out;
}

TEST(LoopsAsOps, ABodyIsRecordedOnce) {
  int times = 0;
  auto body = [&](const Array& c, const Array& x) {
    ++times;
    return std::pair{c * x, c};
  };
  EXPECT_EQ(lax::scan(body, array(1.f), ones({1000})).second.shape(), Shape({1000}));
  EXPECT_EQ(times, 1);
  lax::scan(body, 1, ones({1000}));  // a weak carry is promoted
  EXPECT_EQ(times, 3);
  const std::string text = jit_program([&](const Array& x) { return lax::scan(body, array(1.f), x).first; })(ones({9}));
  EXPECT_EQ(count(text, "scan["), 1) << text;
}

TEST(LoopsAsOps, KeepWhatChangesFromStepToStepOnce) {
  // Of c = c tanh(w) x the steps keep c tanh(w) and c; tanh(w) is computed once, and x is there.
  auto f = [](const std::vector<Array>& in) {
    auto body = [&](const Array& c, const Array& x) { return std::pair{c * tanh(in[0]) * x, Array()}; };
    return std::vector{lax::scan(body, in[1], in[2]).first};
  };
  const std::int64_t n = 100, width = 8;
  EXPECT_LE(kept(program({{width}, {width}, {n, width}}, f)), 2 * n * width + 4 * width);
}

TEST(LoopsAsOps, CheckpointsKeepTheSquareRoot) {
  auto f = [](std::int64_t every) {
    return [=](const std::vector<Array>& in) {
      auto body = [&](const Array& c, none_t) { return std::pair{sin(c) * exp(c) + in[1], Array()}; };
      return std::vector{lax::scan(body, in[0], none, {.length = 400, .checkpoint_every = every}).first};
    };
  };
  const std::int64_t n = 400, width = 5;
  auto kept_by = [&](std::int64_t every) { return kept(program({{width}, {width}}, f(every))); };
  EXPECT_GE(kept_by(0), n * width);
  EXPECT_LE(kept_by(-1), 21 * width);
  EXPECT_LE(kept_by(100), 5 * width);
  EXPECT_LE(kept_by(7), 58 * width);
}

TEST(LoopsAsOps, AWhileLoopKeepsTheSquareRoot) {
  auto f = [](const std::vector<Array>& in) {
    auto goes_on = [](const Array& c) { return sum(c) < 1000; };
    return std::vector{
        lax::while_loop(goes_on, [&](const Array& c) { return c + sin(c) * in[1]; }, in[0], {.max_steps = 400})};
  };
  EXPECT_LE(kept(program({{5}, {5}}, f)), 21 * 6 + 8);
}

TEST(LoopsAsOps, MaxStepsIsAnEnd) {
  auto f = [](const Array& x) {
    return lax::while_loop([](const Array&) { return array(true); }, [](const Array& c) { return c * 2; }, x,
                           {.max_steps = 7});
  };
  EXPECT_EQ(f(array(1.f)).item<float>(), 128);
  EXPECT_EQ(grad(f)(array(1.f)).item<float>(), 128);
  EXPECT_EQ(jit(jacfwd(f))(array(1.f)).item<float>(), 128);
}

// A cotangent goes from carry to carry as they hand on to each other, also inside a loop in the body, and nowhere else.
TEST(LoopsAsOps, CotangentsGoBackThroughCarriesThatHandOn) {
  using Carries = std::vector<Array>;
  auto chain = [](const Array& x, const Array& xs) {
    auto body = [](const Carries& c, const Array& u) {
      Carries next{c[1], c[2] * 2, c[3], sin(c[3]) * u};
      return std::pair{next, Array()};
    };
    return lax::scan(body, Carries(4, x), xs).first[0];
  };
  auto by_hand = [](const Array& x, const Array& xs) {
    Carries c(4, x);
    for (int k = 0; k < 6; ++k) c = {c[1], c[2] * 2, c[3], sin(c[3]) * xs[k]};
    return c[0];
  };
  const Array x = array(0.7f), xs = ones({6}) * 1.1;
  expect_near(grad(chain)(x, xs), grad(by_hand)(x, xs));
  expect_near(grad<1>(chain)(x, xs), grad<1>(by_hand)(x, xs));

  using Two = std::pair<Array, Array>;
  auto inner = [](const Two& c, none_t) { return std::pair{Two{c.first * 2, c.second * 3}, Array()}; };
  auto outer = [&](const Two& c, none_t) { return lax::scan(inner, c, none, {.length = 2}); };
  const ProgramPtr apart = program({{2}, {2}}, [&](const Carries& in) {
    const Two last = lax::scan(outer, Two{in[0], in[1]}, none, {.length = 3}).first;
    return std::vector{last.first, last.second};
  });
  const Transposed first = transpose(*apart, {true, true}, {true, false});
  EXPECT_EQ(first.nonzero, (std::vector{true, false}));
  EXPECT_EQ(count(str(*first.program), "carries=1"), 2) << str(*first.program);
  EXPECT_EQ(count(str(*first.program), "carries=2"), 0);
}

// What nobody reads is not computed: results, carries that only such results need, and what the body took for them.
TEST(LoopsAsOps, WhatNobodyReadsIsDropped) {
  auto step = [](const std::pair<Array, Array>& c, const std::pair<Array, Array>& x) {
    const Array other = sin(c.second) * x.second;
    return std::pair{std::pair{c.first + x.first, other}, std::pair{other, c.first}};
  };
  auto first = [&](const Array& x, const Array& y) {
    return lax::scan(step, std::pair{x[0], y[0]}, std::pair{x, y}).first.first;
  };
  const std::string text = jit_program(first)(ones({4}), ones({4}));
  EXPECT_EQ(count(text, "carries=1"), 1) << text;
  EXPECT_EQ(count(text, "sin"), 0) << text;
  auto loop = [](const Array& x, const Array& y) {
    using Three = std::tuple<Array, Array, Array>;
    auto goes_on = [](const Three& c) { return std::get<0>(c) < 3; };
    auto body = [&](const Three& c) { return Three{std::get<0>(c) + 1, std::get<1>(c) * x, cos(std::get<2>(c)) * y}; };
    return std::get<1>(lax::while_loop(goes_on, body, Three{Array(0), x, y}));
  };
  EXPECT_EQ(count(jit_program(loop)(ones({}), ones({})), "cos"), 0);
  auto sides = [](const Array& x, const Array& y) {
    return lax::cond(
               sum(x) > 0,
               [&](const Array& v) {
                 return std::pair{v, cos(y)};
               },
               [&](const Array& v) {
                 return std::pair{2 * v, y};
               },
               x)
        .first;
  };
  EXPECT_EQ(count(jit_program(sides)(ones({2}), ones({2})), "cos"), 0);
  EXPECT_EQ(elements(jit(sides)(ones({2}), ones({2}))), (F{1, 1}));
}

// Programs behind the transformations: carries that no step changes are consts, a branch whose number is known is what
// it computes.
TEST(LoopsAsOps, SimplerWhereTheyCanBe) {
  std::string inlined;
  PassWatcher watcher([&](const PassNote& note) {
    if (std::string(note.name) == "inline") inlined += note.text();
  });
  auto same = [](const Array& x, const Array& a) {
    using Two = std::pair<Array, Array>;
    auto body = [](const Array&, const Two& c) { return Two{matmul(c.second, c.first), c.second}; };
    return lax::fori_loop(0, 3, body, Two{x, a}).first;
  };
  const Array power = jit(same)(ones({2}), ones({2, 2}));
  EXPECT_EQ(count(inlined, "consts=1 carries=1"), 1) << inlined;
  expect_near(power, full({2}, 8));
  inlined = "";
  auto branch = [](const Array& x) {
    auto known = [&](const Array& i) {
      return lax::switch_(i, std::tuple{[&] { return sin(x); }, [&] { return cos(x); }});
    };
    return vmap(known)(array({1, 1})) + lax::switch_(Array(0), std::tuple{[&] { return x; }, [&] { return x * 2; }});
  };
  jit(branch)(array(1.f));
  EXPECT_EQ(count(inlined, "cond"), 0) << inlined;
}

TEST(LoopsAsOps, BoundsAndConditionsMayBeTraced) {
  auto power = [](const Array& n, const Array& x) {
    return lax::fori_loop(
        0, n, [&](const Array& i, const Array& c) { return c * x + 0 * i; }, 1.f);
  };
  EXPECT_EQ(jit(power)(array(5), array(2.f)).item<float>(), 32);
  EXPECT_EQ(elements(vmap(power)(array({0, 1, 5}), array({2.f, 3.f, 2.f}))), (F{1, 3, 32}));
  auto slope = [&](const Array& n, const Array& x) { return jacfwd([&](const Array& v) { return power(n, v); })(x); };
  EXPECT_EQ(jit(slope)(array(3), array(2.f)).item<float>(), 12);
  EXPECT_EQ(power(array(3), array(2.f)).item<float>(), 8);
}

// Elements that are done would go on to values that are no numbers, and to infinite slopes.
TEST(LoopsAsOps, ElementsThatAreDoneStayWhatTheyAre) {
  auto down = [](const Array& x, const Array& step) {
    return lax::while_loop([](const Array& c) { return c > 0.5f; }, [&](const Array& c) { return sqrt(c - step); }, x,
                           {.max_steps = 9});
  };
  const Array xs = array({0.4f, 1.4f, 20.f}), steps = array({0.5f, 0.3f, 0.4f});
  const Array values = vmap(down)(xs, steps), slopes = vmap(grad(down))(xs, steps);
  const Array through = grad([&](const Array& s) { return sum(vmap(down)(xs, s)); })(steps);
  const Array shared =
      grad([&](const Array& s) { return sum(vmap([&](const Array& x) { return down(x, s); })(xs)); })(array(0.5f));
  float total = 0;
  for (int i = 0; i < 3; ++i) {
    expect_near(values[i], down(xs[i], steps[i]));
    expect_near(slopes[i], grad(down)(xs[i], steps[i]));
    expect_near(through[i], grad<1>(down)(xs[i], steps[i]));
    total += grad<1>(down)(xs[i], array(0.5f)).item<float>();
  }
  expect_near(shared, array(total));
}

TEST(LoopsAsOps, InManualRegions) {
  const Mesh mesh = make_mesh({4}, {"x"});
  // One row of each device at a time; the carry begins the same everywhere and comes to differ.
  auto local = [](const Array& w, const Array& rows) {
    auto body = [&](const Array& c, const Array& row) {
      const Array next = tanh(matmul(w, c) + row);
      return std::pair{next, lax::psum(sum(next * next), "x")};
    };
    return lax::scan(body, zeros({3}), rows).second;
  };
  auto global = [](const Array& w, const Array& rows) {
    Array total = zeros({5});
    for (int d = 0; d < 4; ++d) {
      Array c = zeros({3});
      std::vector<Array> ys;
      for (int i = 0; i < 5; ++i) ys.push_back(sum(square(c = tanh(matmul(w, c) + rows[5 * d + i]))));
      total = total + stack(ys);
    }
    return total;
  };
  const Array w = sin(arange(9.f)).reshape(3, 3) * 0.5f, rows = cos(arange(60.f)).reshape(20, 3);
  auto sharded = shard_map(local, {.mesh = mesh, .in_specs = {P(), P("x")}, .out_specs = P()});
  expect_near(sharded(w, rows), global(w, rows));
  expect_near(jit(sharded)(w, rows), global(w, rows));
  auto loss = [](auto f) { return [f](const Array& w, const Array& rows) { return sum(sin(f(w, rows))); }; };
  expect_near(grad(loss(sharded))(w, rows), grad(loss(global))(w, rows));
  expect_near(jit(grad<1>(loss(sharded)))(w, rows), grad<1>(loss(global))(w, rows));
}

// Parts of a sum over devices and whole values meet in one cotangent.
TEST(LoopsAsOps, ManualRegionsAddPartsAndWholes) {
  const Mesh mesh = make_mesh({4}, {"x"});
  auto local = [](const Array& w, const Array& rows) {
    auto body = [&](const Array& c, const Array& row) {
      return std::pair{c + lax::psum(sum(w * row), "x") + sum(w) * 3, Array()};
    };
    return lax::scan(body, 0.f, rows).first;
  };
  auto f = shard_map(local, {.mesh = mesh, .in_specs = {P(), P("x")}, .out_specs = P()});
  const Array w = arange(3.f), rows = cos(arange(24.f)).reshape(8, 3);
  expect_near(grad(f)(w, rows), sum(rows, 0) + 2 * 3.f);
}

// A rule of the user's inside a loop, keys, integers and absent leaves.
TEST(LoopsAsOps, HoldWhatTreesHold) {
  struct State {
    Array key, value;
    std::optional<Array> absent;
    std::vector<Array> history;
  };
  auto draw = [](const State& s, none_t) {
    const Array key = random::fold_in(s.key, 1);
    const Array value = s.value + random::normal(key, {2});
    return std::pair{State{key, value, std::nullopt, {s.history[0] + 1}}, value};
  };
  const State start{random::key(0), zeros({2}), std::nullopt, {array(0)}};
  auto [last, values] = lax::scan(draw, start, none, {.length = 3});
  State by_hand = start;
  for (int i = 0; i < 3; ++i) {
    auto [next, value] = draw(by_hand, none);
    expect_near(values[i], value);
    by_hand = next;
  }
  EXPECT_EQ(last.history[0].item<int>(), 3);
  EXPECT_FALSE(last.absent.has_value());
  // A cond whose residual is a key.
  auto noisy = [&](const Array& x) {
    return lax::cond(
        x > 0, [&](const Array& v) { return v * random::normal(random::fold_in(random::key(1), 2)); },
        [](const Array& v) { return v; }, x);
  };
  EXPECT_TRUE(std::isfinite(jit(grad(noisy))(array(1.f)).item<float>()));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
