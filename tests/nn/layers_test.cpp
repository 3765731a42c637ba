// Layers: the documents' numbers, and what must hold for any sizes. Values of every layer against Equinox's stand in
// golden/nn.json.
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

nn::MLP document_model() {
  return nn::MLP::init({.in_size = 4, .out_size = 4, .width_size = 32, .depth = 1}, random::PRNGKey(6789));
}

TEST(Equinox, MLP) {
  each_layout([](bool layout) {
    nn::MLP m = document_model();
    ASSERT_EQ(m.layers.size(), 2u);
    expect_close(m.layers[0].weight[0], layout
                                            ? std::vector<float>{-.075045586f, -.34149325f, .43046606f, -.13295758f}
                                            : std::vector<float>{-.023072243f, -.48838496f, -.19294405f, -.19024587f});
    expect_close(m.layers[1].bias, layout ? std::vector<float>{.044735298f, -.09849495f, .034462556f, -.17600393f}
                                          : std::vector<float>{.11050685f, .17209347f, -.012796968f, .11687948f});
    expect_close(m(array({.1, .2, .3, .4})),
                 layout ? std::vector<float>{.0519377f, -.0933631f, .0487499f, -.1163758f}
                        : std::vector<float>{.3276739f, .1860167f, .0368871f, .0542049f},
                 2e-6);
  });
  nn::MLP linear = nn::MLP::init({.in_size = 3, .out_size = 2, .depth = 0, .final_activation = tanh}, random::key(0));
  ASSERT_EQ(linear.layers.size(), 1u);
  EXPECT_EQ(linear(ones({3})).to_vector<float>(), linear.layers[0](ones({3})).to_vector<float>());
  EXPECT_EQ(nn::MLP::init({.in_size = 3, .out_size = nn::scalar, .depth = 2}, random::key(0))(ones({3})).shape(),
            Shape{});
  EXPECT_THROW(nn::MLP::init({.depth = -1}, random::key(0)), ValueError);
}

TEST(Equinox, Linear) {
  Array key = random::key(3);
  auto keys = random::split<2>(key);
  for (auto [in, out] : {std::pair{5, 3}, {1, 1}, {7, 0}, {0, 2}}) {
    nn::Linear m = nn::Linear::init(in, out, key);
    double limit = in ? 1 / std::sqrt(in) : 1;
    expect_close(m.weight, random::uniform(keys[0], {out, in}, -limit, limit));
    expect_close(m.bias, random::uniform(keys[1], {out}, -limit, limit));
    Array x = random::normal(random::key(1), {in});
    expect_close(m(x), matmul(m.weight, x) + m.bias);
  }
  // The key is split without a bias too.
  nn::Linear plain = nn::Linear::init(5, 3, key, false);
  EXPECT_FALSE(plain.bias.has_value());
  expect_close(plain.weight, nn::Linear::init(5, 3, key).weight);
  EXPECT_EQ(nn::Linear::init(nn::scalar, 3, key)(Array(2.f)).shape(), Shape{3});
  EXPECT_EQ(nn::Linear::init(3, nn::scalar, key)(ones({3})).shape(), Shape{});
  EXPECT_THROW(nn::Linear::init(-1, 3, key), ValueError);
  EXPECT_THROW(nn::Linear::init(nn::scalar, 3, key)(ones({2})), ShapeError);
}

// Every layer: one row of a batch is the layer of that row, jit changes nothing, the gradient is the slope.
template <class Layer> void expect_layer(const Layer& layer, const Shape& example) {
  Shape batch = example;
  batch.insert(0, 3);
  Array xs = random::normal(random::key(11), batch);
  Array rows = stack({layer(xs[0]), layer(xs[1]), layer(xs[2])});
  expect_close(vmap(layer)(xs), rows);
  expect_close(jit([](const Layer& l, const Array& x) { return vmap(l)(x); })(layer, xs), rows);
  expect_gradient([&](const std::pair<Layer, Array>& in) { return sum(sin(in.first(in.second))); },
                  std::pair<Layer, Array>{layer, xs[0]});
}

TEST(Layers, BatchesJitAndGradients) {
  Array key = random::key(5);
  expect_layer(nn::Linear::init(4, 3, key), {4});
  expect_layer(nn::MLP::init({.in_size = 4, .out_size = 2, .width_size = 6, .depth = 2, .activation = tanh}, key), {4});
  expect_layer(nn::LayerNorm::init({4, 2}), {4, 2});
  expect_layer(nn::RMSNorm::init({6}), {6});
  expect_layer(nn::GroupNorm::init(2, 4), {4, 3});
  expect_layer(nn::Conv1d::init(2, 3, 3, key, {.stride = 2, .padding = 1}), {2, 7});
  expect_layer(nn::Conv2d::init(4, 6, {3, 2}, key, {.padding = "SAME", .dilation = {1, 2}, .groups = 2}), {4, 5, 6});
  expect_layer(nn::Conv2d::init(2, 2, 3, key, {.padding = 1, .padding_mode = PadMode::wrap}), {2, 4, 4});
  expect_layer(nn::ConvTranspose1d::init(2, 3, 3, key, {.stride = 2, .padding = 1}), {2, 5});
  expect_layer(nn::AvgPool2d::init(2, 2), {2, 5, 4});
  expect_layer(nn::MaxPool1d::init(3, 2, 1, true), {2, 8});
  expect_layer(
      nn::Sequential{std::tuple{nn::Linear::init(3, 4, key), nn::Lambda{nn::gelu}, nn::Linear::init(4, 2, key)}}, {3});
}

TEST(Layers, Attention) {
  Array q = random::normal(random::key(1), {5, 8}), kv = random::normal(random::key(2), {7, 8});
  auto m = nn::MultiheadAttention::init({.num_heads = 2, .query_size = 8}, random::key(0));
  // What is masked has no influence; a mask of all ones changes nothing.
  Array mask = (arange(7) < 4) & (zeros({5, 7}) == 0);
  expect_close(m(q, kv, kv, mask), m(q, kv(slice(0, 4)), kv(slice(0, 4))));
  expect_close(m(q, kv, kv, ones({2, 5, 7}, bool_)), m(q, kv, kv));
  // Keys and values in another order give the same.
  Array order = array({3, 0, 6, 2, 5, 1, 4});
  expect_close(m(q, kv[order], kv[order]), m(q, kv, kv));
  EXPECT_THROW(m(q, kv, q), ShapeError);
  EXPECT_THROW(m(q, kv, kv, ones({7, 5}, bool_)), ShapeError);
  expect_gradient([&](const nn::MultiheadAttention& m) { return sum(square(m(q, kv, kv))); }, m);
}

TEST(Layers, Dropout) {
  Array x = ones({10000});
  nn::Dropout m{0.3};
  Array y = m(x, random::key(0));
  EXPECT_NEAR(float(mean(y)), 1, 0.03);
  expect_close(where(y != 0, y, 1 / 0.7), full({10000}, 1 / 0.7, float32));
  EXPECT_TRUE(bool(array_equal((nn::Dropout{0.3, true}(x)), x)));
  EXPECT_THROW(m(x), ValueError);
}

TEST(Layers, RecurrentCellsRunOverTime) {
  auto gru = nn::GRUCell::init(3, 4, random::key(0));
  auto lstm = nn::LSTMCell::init(3, 4, random::key(1));
  Array xs = random::normal(random::key(2), {6, 3}), h = zeros({4});
  std::pair<Array, Array> state{zeros({4}), zeros({4})};
  for (int t = 0; t < 6; ++t) {
    h = gru(xs[t], h);
    state = lstm(xs[t], state);
  }
  EXPECT_LT(float(max(abs(h))), 1);
  EXPECT_LT(float(max(abs(state.first))), 1);
  expect_gradient([&](const nn::GRUCell& c) { return sum(c(xs[1], c(xs[0], zeros({4})))); }, gru);
  expect_gradient([&](const nn::LSTMCell& c) { return sum(c(xs[1], c(xs[0], {zeros({4}), zeros({4})})).first); }, lstm);
}

// The derivative needs the result and nothing that it is made of; forward, reverse, twice, batched and masked.
TEST(Layers, SoftmaxIsDerivedFromItsResult) {
  const Array x = array({{.5, -1., 2., 0.}, {3., 3., -2., 1.}}), c = array({{1., 2., -1., .5}, {0., 1., 3., -2.}}),
              open = array({{true, true, false, true}, {true, false, true, true}});
  auto loss = [c](const Array& x, const Array& mask) { return sum(c * nn::softmax(x, -1, mask) * c); };
  auto by_parts = [c](const Array& x, const Array& mask) {
    const Array e = exp(mask.has_value() ? where(mask, x, -1e30) : x);
    return sum(c * (e / sum(e, -1, true)) * c);
  };
  for (const Array& mask : {Array(), open}) {
    auto of = [&mask](auto f) { return [f, mask](const Array& x) { return f(x, mask); }; };
    expect_close(grad(of(loss))(x), grad(of(by_parts))(x));
    expect_close(jit(grad(of(loss)))(x), grad(of(by_parts))(x));
    expect_close(jvp(of(loss), std::tuple{x}, std::tuple{c}).second,
                 jvp(of(by_parts), std::tuple{x}, std::tuple{c}).second);
    expect_close(hessian(of(loss))(x), hessian(of(by_parts))(x));
  }
  auto row = [](const Array& x) { return sum(square(nn::softmax(x))); };
  expect_close(vmap(grad(row))(x), stack({grad(row)(x[0]), grad(row)(x[1])}));
  const ProgramView p = jit_program(grad(row))(x[0]);
  EXPECT_EQ(std::count_if(p.equations.begin(), p.equations.end(), [](const auto& e) { return e.op == "div"; }), 1) << p;
}

TEST(Layers, EmbeddingAndNormErrors) {
  auto e = nn::Embedding::init(5, 3, random::key(0));
  EXPECT_TRUE(bool(array_equal(e(array({4, 0})), stack({e.weight[4], e.weight[0]}))));
  EXPECT_THROW(nn::LayerNorm::init({4})(ones({3, 4})), ShapeError);
  EXPECT_THROW(nn::GroupNorm::init(3, 4), ValueError);
  EXPECT_THROW(nn::Conv1d::init(3, 4, 2, random::key(0), {.groups = 2}), ValueError);
  EXPECT_THROW(nn::Conv2d::init(3, 4, 2, random::key(0))(ones({3, 8})), ShapeError);
  EXPECT_THROW(nn::MaxPool2d::init(2, 1, 3)(ones({1, 4, 4})), ValueError);
}

TEST(Softmax, OfNothing) {
  const Array nothing = zeros({0, 3});
  EXPECT_EQ(nn::softmax(nothing, 0).shape(), Shape({0, 3}));
  EXPECT_EQ(nn::log_softmax(nothing, 0).shape(), Shape({0, 3}));
  EXPECT_TRUE(array_equal(nn::logsumexp(nothing, 0), full({3}, -INFINITY)));
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
