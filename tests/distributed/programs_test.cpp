// Programs over several processes give what they give in one, where every array is whole; and what they are sent is
// what explain() says.
#include <gtest/gtest.h>

#include <tutti/tutti.hpp>

#include "base/units.hpp"
#include "distributed/everywhere.hpp"
#include "partition/explain.hpp"
#include "run/transport.hpp"

namespace tutti {
namespace {

void expect_close(const Array& got, const Array& want, float relative = 1e-5f) {
  const std::vector<float> a = everywhere(got), b = want.to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  float largest = 0;
  for (float v : b) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], relative * (largest + 1)) << "element " << i;
}

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
};
Model init(int width, int depth) {
  Model m;
  for (int i = 0; i < depth; ++i)
    m.layers.push_back({random::normal(random::key(i), {width, width}) * 0.2f, zeros({width})});
  return m;
}
Array predict(const Model& m, Array x) {
  for (const Layer& l : m.layers) x = tanh(matmul(x, l.w) + l.b);
  return x;
}
Array loss(const Model& m, const Array& x, const Array& y) { return square(predict(m, x) - y).mean(); }

const std::vector<Mesh>& meshes() {
  static const std::vector<Mesh> all{make_mesh({4, 2}, {"data", "model"}), make_mesh({2, 4}, {"data", "model"}),
                                     make_mesh({8, 1}, {"data", "model"}), make_mesh({1, 8}, {"data", "model"})};
  return all;
}

class OnMeshes : public testing::TestWithParam<int> {
 protected:
  const Mesh& mesh() const { return meshes()[static_cast<std::size_t>(GetParam())]; }
  Array put(const Array& x, const P& spec) const { return device_put(x, NamedSharding(mesh(), spec)); }
};
INSTANTIATE_TEST_SUITE_P(All, OnMeshes, testing::Range(0, 4));

// Received by this process during `run`, by what the transport itself counts.
template <class Run> Received received(Run run) {
  if (!distributed::is_initialized()) return {};
  const Received before = run::transport()->received();
  run();
  const Received after = run::transport()->received();
  return {after.bytes - before.bytes, after.messages - before.messages};
}

TEST_P(OnMeshes, ATrainingStepIsThatOfOneProcess) {
  Model whole = init(16, 3);
  const Array x = random::normal(random::key(7), {32, 16}), y = random::normal(random::key(8), {32, 16});
  for (bool tensor_parallel : {false, true}) {
    Model model = whole;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const bool columns = i % 2 == 0;
      model.layers[i].w = put(whole.layers[i].w, !tensor_parallel ? P() : columns ? P(none, "model") : P("model"));
      model.layers[i].b = put(whole.layers[i].b, tensor_parallel && columns ? P("model") : P());
    }
    const Array xs = put(x, P("data")), ys = put(y, P("data"));
    auto optimiser = optim::adam(0.01);
    auto step = [optimiser](const Model& m, const optim::AdamState<Model>& s, const Array& a, const Array& b) {
      auto [value, gradient] = value_and_grad(loss)(m, a, b);
      auto [updates, next] = optimiser.update(gradient, s, m);
      return std::tuple{optim::apply_updates(m, updates), next, value};
    };
    auto alone = jit(step), together = jit(step);
    auto s1 = optimiser.init(whole), s2 = optimiser.init(model);
    Model m1 = whole, m2 = model;
    for (int i = 0; i < 3; ++i) {
      auto [a, b, c] = alone(m1, s1, x, y);
      auto [d, e, f] = together(m2, s2, xs, ys);
      m1 = a;
      s1 = b;
      m2 = d;
      s2 = e;
      ASSERT_NEAR(c.item<float>(), f.item<float>(), 1e-5f);
    }
    for (std::size_t i = 0; i < m1.layers.size(); ++i) {
      expect_close(m2.layers[i].w, m1.layers[i].w);
      expect_close(m2.layers[i].b, m1.layers[i].b);
    }
  }
}

TEST_P(OnMeshes, LoopsAndBranches) {
  const Array x = random::normal(random::key(1), {8, 16}), w = random::normal(random::key(2), {16, 16}) * 0.3f;
  auto rnn = [](const Array& w, const Array& x) {
    auto [last, all] = lax::scan(
        [&](const Array& h, const Array& v) {
          Array next = tanh(matmul(h, w) + v);
          return std::pair{next, next.sum(-1)};
        },
        zeros_like(x), stack({x, x * 2, x * 3}));
    return (last * last).sum() + all.sum();
  };
  auto solver = [](const Array& x) {
    return lax::while_loop([](const Array& v) { return abs(v).max() > 0.5f; }, [](const Array& v) { return v * 0.7f; },
                           x);
  };
  auto branch = [](const Array& x) {
    return lax::cond(
        x.sum() > 0, [](const Array& v) { return v.sum(0); }, [](const Array& v) { return -v.sum(0); }, x);
  };
  const Array xs = put(x, P("data", "model")), ws = put(w, P(none, "model"));
  expect_close(jit(rnn)(ws, xs), jit(rnn)(w, x));
  expect_close(jit([&](const Array& w, const Array& x) { return grad(rnn)(w, x); })(ws, xs), grad(rnn)(w, x));
  expect_close(jit(solver)(xs), jit(solver)(x));
  expect_close(jit(branch)(xs), jit(branch)(x));
}

// A region by hand: lanes [data, model] of all blocks, collectives by vmap over two named axes.
Array by_vmap(const std::function<Array(const Array&)>& f, const Array& x, const Mesh& mesh) {
  const std::int64_t d = mesh.size("data"), m = mesh.size("model"), rows = x.shape(0) / d, columns = x.shape(1) / m;
  const Array lanes = x.reshape(d, rows, m, columns).transpose({0, 2, 1, 3});
  const Array y = vmap(vmap(f, {.axis_name = "model"}), {.axis_name = "data"})(lanes);
  return y.transpose({0, 2, 1, 3}).reshape(x.shape());
}

TEST_P(OnMeshes, EveryCollectiveInARegion) {
  const Array x = random::normal(random::key(3), {8, 16});
  using F = std::function<Array(const Array&)>;
  std::vector<std::pair<P, F>> cases;
  for (const std::vector<std::string>& axes :
       std::vector<std::vector<std::string>>{{"data"}, {"model"}, {"data", "model"}}) {
    cases.push_back({P("data", "model"), [=](const Array& v) { return lax::psum(v, axes) * v; }});
    cases.push_back({P("data", "model"), [=](const Array& v) { return lax::pmax(v, axes) - lax::pmin(v, axes) + v; }});
    cases.push_back({P("data", "model"), [=](const Array& v) { return lax::pmean(v, axes) + v; }});
    cases.push_back({P("data", "model"), [=](const Array& v) { return v * (1.f + lax::axis_index(axes)); }});
    cases.push_back({P("data", "model"), [=](const Array& v) {
                       return v + lax::all_gather(v, axes, {.axis = 0, .tiled = true}).sum(0, true);
                     }});
    cases.push_back({P("data", "model"), [=](const Array& v) {
                       std::int64_t n = 1;
                       for (const auto& a : axes) n *= lax::axis_size(a);
                       std::vector<std::pair<int, int>> ring;
                       for (int i = 0; i < n; ++i) ring.emplace_back(i, static_cast<int>((i + 1) % n));
                       return lax::ppermute(v, axes, ring);
                     }});
  }
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE("case " + std::to_string(k));
    auto f =
        shard_map(cases[k].second,
                  {.mesh = mesh(), .in_specs = cases[k].first, .out_specs = P("data", "model"), .check_vma = false});
    expect_close(jit(f)(put(x, P("data", "model"))), by_vmap(cases[k].second, x, mesh()));
  }
}

TEST_P(OnMeshes, WhatIsReceivedIsWhatIsExplained) {
  const Array x = random::normal(random::key(4), {16, 32}), w = random::normal(random::key(5), {32, 16});
  const Array xs = put(x, P("data")), ws = put(w, P("model"));
  auto f = jit(
      [](const Array& w, const Array& x) { return grad([&](const Array& v) { return tanh(matmul(x, v)).sum(); })(w); });
  (void)f(ws, xs);
  debug::reset_traffic();
  const Received got = received([&] { (void)f(ws, xs); });
  const Traffic traffic = debug::traffic();
  EXPECT_DOUBLE_EQ(got.bytes, traffic.bytes());
  EXPECT_EQ(got.messages, traffic.messages());
  if (process_count() == 1) return;
  const std::string table = f.explain(ws, xs).all(), planned = table.substr(table.find("planned"));
  EXPECT_EQ(planned.find("planned  " + bytes_text(got.bytes) + ", " + std::to_string(got.messages) + " messages"), 0u)
      << table;
}

// Of what both parts of it are, a process keeps one; the messages of the other part come all the same.
TEST_P(OnMeshes, BlocksThatLieInOnePartOnly) {
  for (const std::int64_t rows : {5, 13, 16}) {
    SCOPED_TRACE(rows);
    const Array x = random::normal(random::key(11), {rows, 6}), y = x * 2.f;
    const Array xs = put(x, P("data", "model")), ys = put(y, P("data", "model"));
    for (const int axis : {0, 1}) expect_close(concatenate({xs, ys}, axis), concatenate({x, y}, axis));
    auto steps = jit([](const Array& a, const Array& b) {
      return lax::scan(
          [&](const Array& c, const Array& v) {
            return std::pair{c + v.sum(), concatenate({a * c, b}, 0)};
          },
          ones({}), stack({a, b}));
    });
    const auto [last, all] = steps(xs, ys);
    const auto [want_last, want_all] = steps(x, y);
    expect_close(last, want_last);
    expect_close(all, want_all);
  }
}

TEST(Messages, SmallSumsTravelTogether) {
  const Mesh mesh = make_mesh({8}, {"x"});
  auto region = [](const Array& v) {
    return std::tuple{lax::psum(v, "x") * 2.f, lax::psum(v.sum(1), "x"), lax::psum(sin(v).sum(), "x")};
  };
  const Array x = random::normal(random::key(6), {16, 4});
  auto f = jit(shard_map(region, {.mesh = mesh, .in_specs = P("x"), .out_specs = P(), .check_vma = false}));
  const Array xs = device_put(x, NamedSharding(mesh, P("x")));
  (void)f(xs);
  auto [whole, rows, one] = f(xs);
  const Received got = received([&] { (void)f(xs); });
  EXPECT_EQ(got.messages, 2 * (process_count() - 1));
  const Array lanes = x.reshape(8, 2, 4);
  expect_close(whole, lanes.sum(0) * 2.f);
  expect_close(rows, lanes.sum({0, 2}));
  expect_close(one, sin(x).sum());
  auto [again, same, equal] = f(xs);  // the same bits in every run, whatever came first
  EXPECT_EQ(everywhere(again), everywhere(whole));
  EXPECT_EQ(everywhere(equal), everywhere(one));
}

// Products between collectives that are started early and awaited late; several of one program are under way at once.
TEST(Messages, ManyUnderWay) {
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array w = random::normal(random::key(9), {64, 64}) * 0.1f;
  auto region = [](const Array& w, const Array& v) {
    Array h = v, total = zeros({64, 64});
    std::vector<Array> sums;
    for (int i = 0; i < 12; ++i) {
      h = tanh(matmul(h, w));
      sums.push_back(lax::psum(matmul(h.T(), h), "x"));
    }
    for (const Array& s : sums) total = total * 0.5f + s;
    return total;
  };
  auto f = jit(shard_map(region, {.mesh = mesh, .in_specs = {P(), P("x")}, .out_specs = P(), .check_vma = false}));
  const Array x = random::normal(random::key(10), {128, 64});
  Array want = zeros({64, 64}), h = x;
  for (int i = 0; i < 12; ++i) {
    h = tanh(matmul(h, w));
    want = want * 0.5f + matmul(h.T(), h);
  }
  for (int i = 0; i < 20; ++i) expect_close(f(w, device_put(x, NamedSharding(mesh, P("x")))), want);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
