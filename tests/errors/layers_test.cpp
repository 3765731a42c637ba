// The errors of layers, activations, losses, schedules, optimisers and loaders.
#include <climits>
#include <cmath>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

TEST(LayerErrors, Activations) {
  Array m = ones({3, 4});
  expect_error<IndexError>("nn::softmax", {"axis 2", "2 dims"}, [&] { nn::softmax(m, 2); });
  expect_error<TypeError>("nn::softmax", {"bool[3,4]"}, [&] { nn::softmax(m > 0); });
  expect_error<IndexError>("nn::log_softmax", {"axis -3"}, [&] { nn::log_softmax(m, -3); });
  expect_error<ShapeError>("nn::softmax", {"bool[5]", "float32[3,4]"}, [&] { nn::softmax(m, -1, ones({5}) > 0); });
  expect_error<IndexError>("nn::logsumexp", {"axis 2"}, [&] { nn::logsumexp(m, 2); });
  expect_error<IndexError>("nn::standardize", {"axis 2"}, [&] { nn::standardize(m, 2); });
  expect_error<ShapeError>("nn::glu", {"axis 0", "float32[3,4]", "odd"}, [&] { nn::glu(m, 0); });
  expect_error<IndexError>("nn::glu", {"axis 2", "float32[3,4]"}, [&] { nn::glu(m, 2); });
  expect_error<ValueError>("nn::one_hot", {"-2 classes", "int32[2]"}, [&] { nn::one_hot(array({1, 2}), -2); });
  expect_error<IndexError>("nn::one_hot", {"axis 3"}, [&] { nn::one_hot(array({1, 2}), 4, float32, 3); });
  expect_error<TypeError>("nn::gelu", {"key"}, [&] { nn::gelu(random::key(0)); });
}

TEST(LayerErrors, Layers) {
  Array key = random::key(0), m = ones({3, 4}), v = ones({5});
  auto linear = nn::Linear::init(4, 2, key);
  expect_error<ShapeError>("nn::Linear", {"float32[3,4]", "float32[2,4]", "vmap"}, [&] { linear(m); });
  expect_error<ShapeError>("nn::Linear", {"float32[5]", "float32[2,4]"}, [&] { linear(v); });
  expect_error<ShapeError>("nn::Linear", {"float32[5]", "()"}, [&] { nn::Linear::init(nn::scalar, 2, key)(v); });
  expect_error_without_line<ValueError>("Linear", {"in is -1"}, [&] { nn::Linear::init(-1, 2, key); });
  expect_error_without_line<ValueError>("MLP", {"depth is -1"}, [&] { nn::MLP::init({.depth = -1}, key); });
  auto mlp = nn::MLP::init({.in_size = 4, .out_size = 2}, key);
  expect_error<ShapeError>("nn::MLP (Linear)", {"float32[5]", "float32[32,4]"}, [&] { mlp(v); });
  expect_error<TypeError>("nn::Embedding", {"float32[5]", "integers"}, [&] { nn::Embedding::init(4, 2, key)(v); });
  expect_error_without_line<ValueError>("Embedding", {"num_embeddings is -4"},
                                        [&] { nn::Embedding::init(-4, 2, key); });
  expect_error<ShapeError>("nn::LayerNorm", {"(5,)", "(4,)", "vmap"}, [&] { nn::LayerNorm::init({4})(v); });
  expect_error<ShapeError>("nn::RMSNorm", {"(5,)", "(4,)", "vmap"}, [&] { nn::RMSNorm::init({4})(v); });
  expect_error_without_line<ValueError>("GroupNorm", {"4 channels", "3 groups"}, [&] { nn::GroupNorm::init(3, 4); });
  expect_error<ShapeError>("nn::GroupNorm", {"float32[5]", "2 groups"}, [&] { nn::GroupNorm::init(2, 4)(v); });
  expect_error<ShapeError>("nn::GroupNorm", {"float32[6]", "float32[4]"},
                           [&] { nn::GroupNorm::init(2, 4)(ones({6})); });
  expect_error<ValueError>("nn::Dropout", {"float32[5]", "key"}, [&] { nn::Dropout{}(v); });
  auto attention = nn::MultiheadAttention::init({.num_heads = 2, .query_size = 4}, key);
  expect_error<ShapeError>("nn::MultiheadAttention", {"(5,)", "(3, 4)"}, [&] { attention(v, m, m); });
  expect_error<ShapeError>("nn::MultiheadAttention", {"float32[3,5]", "float32[4,4]"}, [&] {
    attention(ones({3, 5}), m, m);
  });
  expect_error<ShapeError>("nn::MultiheadAttention", {"mask", "(5,)", "3 queries"}, [&] { attention(m, m, m, v > 0); });
  expect_error_without_line<ValueError>("MultiheadAttention", {"num_heads is 0"},
                                        [&] { nn::MultiheadAttention::init({.num_heads = 0}, key); });
  expect_error<ShapeError>("nn::GRUCell", {"float32[5]", "float32[3]", "input size 4", "hidden size 3"},
                           [&] { nn::GRUCell::init(4, 3, key)(v, ones({3})); });
  expect_error<ShapeError>("nn::LSTMCell", {"float32[4]", "float32[5]", "input size 4", "hidden size 3"}, [&] {
    nn::LSTMCell::init(4, 3, key)(ones({4}), {v, v});
  });
  expect_error<TypeError>("nn::softmax_cross_entropy", {"float32[3]", "integers"},
                          [&] { nn::softmax_cross_entropy(m, ones({3})); });
}

TEST(LayerErrors, Convolutions) {
  Array key = random::key(0), image = ones({3, 8, 8});
  auto conv = nn::Conv2d::init(3, 4, 3, key);
  expect_error<ShapeError>("nn::Conv", {"float32[5]", "2 spatial dims", "vmap"}, [&] { conv(ones({5})); });
  expect_error<ShapeError>("nn::Conv", {"float32[2,8,8]", "3 in channels"}, [&] { conv(ones({2, 8, 8})); });
  expect_error<ShapeError>("nn::ConvTranspose", {"float32[2,8,8]", "3 in channels"}, [&] {
    nn::ConvTranspose2d::init(3, 4, 3, key)(ones({2, 8, 8}));
  });
  expect_error_without_line<ValueError>("Conv", {"3 in", "4 out", "2 groups"},
                                        [&] { nn::Conv2d::init(3, 4, 3, key, {.groups = 2}); });
  expect_error_without_line<ValueError>("layer", {"kernel_size", "3 entries", "2 spatial dims"}, [&] {
    nn::Conv2d::init(3, 4, {3, 3, 3}, key);
  });
  expect_error_without_line<ValueError>("ConvTranspose", {"output_padding is 1", "stride 1"},
                                        [&] { nn::ConvTranspose2d::init(3, 4, 3, key, {.output_padding = 1}); });
  expect_error<ShapeError>("nn::Pool", {"float32[5]", "2 spatial dims"}, [&] { nn::MaxPool2d::init(2)(ones({5})); });
  expect_error<ValueError>("nn::Pool", {"padding (3, 3)", "kernel of 2"}, [&] { nn::AvgPool2d::init(2, 1, 3)(image); });
  expect_error<ValueError>("nn::Pool", {"kernel is 2", "stride 0"}, [&] { nn::AvgPool2d::init(2, 0, 0, true)(image); });
  expect_error<ValueError>("nn::Pool", {"\"FULL\""}, [&] { nn::AvgPool2d::init(2, 1, "FULL")(image); });
}

TEST(LayerErrors, Losses) {
  Array m = ones({3, 4}), v = ones({5}), labels = array({0, 1, 2});
  expect_error<ShapeError>("optim::squared_error", {"(3, 4)", "(5,)"}, [&] { optim::squared_error(m, v); });
  expect_error<ShapeError>("optim::l2_loss", {"(3, 4)", "(5,)"}, [&] { optim::l2_loss(m, v); });
  expect_error<TypeError>("optim::squared_error", {"predictions", "int32[3]"}, [&] { optim::squared_error(labels); });
  expect_error<ShapeError>("optim::huber_loss", {"float32[3,4]", "float32[5]"}, [&] { optim::huber_loss(m, v); });
  expect_error<TypeError>("optim::log_cosh", {"int32[3]"}, [&] { optim::log_cosh(labels); });
  expect_error<ShapeError>("optim::cosine_similarity", {"float32[3,4]", "float32[5]"},
                           [&] { optim::cosine_similarity(m, v); });
  expect_error<IndexError>("optim::cosine_distance", {"axis 2"}, [&] { optim::cosine_distance(m, m, 0, 2); });
  expect_error<TypeError>("optim::sigmoid_binary_cross_entropy", {"logits", "int32[3]"},
                          [&] { optim::sigmoid_binary_cross_entropy(labels, labels); });
  expect_error<ShapeError>("optim::sigmoid_focal_loss", {"float32[3,4]", "float32[5]"},
                           [&] { optim::sigmoid_focal_loss(m, v); });
  expect_error<ShapeError>("optim::softmax_cross_entropy", {"float32[3,4]", "float32[5]"},
                           [&] { optim::softmax_cross_entropy(m, v); });
  expect_error<IndexError>("optim::softmax_cross_entropy", {"axis 2"}, [&] { optim::softmax_cross_entropy(m, m, 2); });
  std::string name = "optim::softmax_cross_entropy_with_integer_labels";
  expect_error<TypeError>(name, {"float32[3]", "integers"},
                          [&] { optim::softmax_cross_entropy_with_integer_labels(m, ones({3})); });
  expect_error<ShapeError>(name, {"(3, 4)", "(3, 4)", "one dim less"}, [&] {
    optim::softmax_cross_entropy_with_integer_labels(m, zeros({3, 4}, int32));
  });
  expect_error<ShapeError>(name, {"float32[3,4]", "int32[5]", "(3,)"},
                           [&] { optim::softmax_cross_entropy_with_integer_labels(m, zeros({5}, int32)); });
  expect_error<IndexError>(name, {"axis 2", "float32[3,4]"},
                           [&] { optim::softmax_cross_entropy_with_integer_labels(m, labels, 2); });
  expect_error<IndexError>(name, {"axis -2147483648"},
                           [&] { optim::softmax_cross_entropy_with_integer_labels(m, labels, INT_MIN); });
  expect_error<ShapeError>("optim::hinge_loss", {"float32[3,4]", "float32[5]"}, [&] { optim::hinge_loss(m, v); });
  expect_error<ShapeError>("optim::multiclass_hinge_loss", {"float32[3,4]"},
                           [&] { optim::multiclass_hinge_loss(m, zeros({5}, int32)); });
  expect_error<TypeError>("optim::kl_divergence", {"targets", "int32[3]"}, [&] { optim::kl_divergence(m, labels); });
  expect_error<TypeError>("optim::smooth_labels", {"labels", "int32[3]"}, [&] { optim::smooth_labels(labels, 0.1); });
}

TEST(LayerErrors, Schedules) {
  expect_error_without_line<ValueError>("cosine_decay_schedule", {"decay_steps is 0"},
                                        [] { optim::cosine_decay_schedule(1, 0); });
  expect_error_without_line<ValueError>("cosine_decay_schedule", {"nan"},
                                        [] { optim::cosine_decay_schedule(1, std::nan("")); });
  expect_error_without_line<ValueError>("warmup_cosine_decay_schedule", {"decay_steps is 5", "warmup_steps 10"},
                                        [] { optim::warmup_cosine_decay_schedule(0, 1, 10, 5); });
  expect_error_without_line<ValueError>("linear_onecycle_schedule", {"transition_steps is -1"},
                                        [] { optim::linear_onecycle_schedule(-1, 1); });
  expect_error_without_line<ValueError>("cosine_onecycle_schedule", {"transition_steps is 0"},
                                        [] { optim::cosine_onecycle_schedule(0, 1); });
  expect_error_without_line<ValueError>("piecewise_constant_schedule", {"-2", "step 10"}, [] {
    optim::piecewise_constant_schedule(1, {{10, -2.}});
  });
  expect_error_without_line<ValueError>("piecewise_interpolate_schedule", {"\"cubic\""},
                                        [] { optim::piecewise_interpolate_schedule("cubic", 1); });
  expect_error_without_line<ValueError>("join_schedules", {"1 schedules", "1 boundaries"},
                                        [] { optim::join_schedules({optim::constant(1)}, {5}); });
  expect_error_without_line<ValueError>("join_schedules", {"0 schedules"}, [] { optim::join_schedules({}, {}); });
}

TEST(LayerErrors, Optimisers) {
  std::vector<Array> params = {ones({3}), ones({2, 2})}, fewer = {ones({3})}, shaped = {ones({4}), ones({2, 2})};
  auto adam = optim::adam(1e-3);
  auto state = adam.init(params);
  expect_error<ValueError>("optim::Updates::update", {}, [&] { adam.update(fewer, state); });
  expect_error<ShapeError>("optim::Updates::update", {"float32[4]", "float32[3]"}, [&] { adam.update(shaped, state); });
  auto decayed = optim::adamw(1e-3);
  auto decayed_state = decayed.init(params);
  expect_error<ValueError>("optim::Updates::update", {"parameters"}, [&] { decayed.update(params, decayed_state); });
  expect_error<ShapeError>("optim::apply_updates", {"float32[3]", "float32[4]"},
                           [&] { optim::apply_updates(params, shaped); });
  expect_error<TypeError>("optim::global_norm", {"key"},
                          [&] { optim::global_norm(std::vector<Array>{random::key(0)}); });
  auto grouped = optim::multi_transform({{"0", "plain"}}, std::pair{"plain", optim::sgd(.1)});
  expect_error_without_line<ValueError>("multi_transform", {"no label", "plain"}, [&] { grouped.init(params); });
}

TEST(LayerErrors, Linen) {
  Array key = random::key(0), x = ones({3, 4});
  Dict variables = linen::init(linen::Dense{2}, key, x);
  expect_error_without_line<ShapeError>("linen", {"kernel", "(4, 2)", "(5, 2)"}, [&] {
    linen::apply(linen::Dense{2}, variables, ones({3, 5}));
  });
  expect_error_without_line<ValueError>("linen", {"kernel", "missing"},
                                        [&] { linen::apply(linen::Dense{2}, Dict(), x); });
  expect_error_without_line<ShapeError>("Dense", {"float32[]"}, [&] { linen::init(linen::Dense{2}, key, ones({})); });
  expect_error_without_line<TypeError>("Embed", {"float32[3,4]", "integers"}, [&] {
    linen::init(linen::Embed{4, 2}, key, x);
  });
  expect_error_without_line<ValueError>("GroupNorm", {"4 channels", "3 groups"},
                                        [&] { linen::init(linen::GroupNorm{3}, key, x); });
  expect_error_without_line<ShapeError>("Conv", {"(3, 4)", "3 dims"}, [&] {
    linen::init(linen::Conv{2, {3, 3, 3}}, key, x);
  });
  expect_error_without_line<ValueError>("Conv", {"4 features", "3 groups"}, [&] {
    linen::init(linen::Conv{.features = 2, .kernel_size = {3}, .feature_group_count = 3}, key, x);
  });
  expect_error_without_line<ValueError>("linen", {"dropout", "ApplyOptions"},
                                        [&] { linen::apply(linen::Dropout{}, Dict(), x); });
  expect_error_without_line<ValueError>("linen", {"mean", "batch_stats", "missing"},
                                        [&] { linen::apply(linen::BatchNorm{true}, Dict(), x); });
  expect_error_without_line<ValueError>("variance_scaling", {"(4,)", "2 dims"},
                                        [&] { linen::initializers::lecun_normal()(key, {4}, float32); });
  expect_error<ShapeError>("linen::max_pool", {"(3, 4)", "2 dims"}, [&] { linen::max_pool(x, {2, 2}); });
  expect_error<ValueError>("linen::avg_pool", {"strides", "(0,)"}, [&] {
    linen::avg_pool(ones({1, 4, 2}), {2}, {.strides = 0, .padding = "SAME"});
  });
}

TEST(LayerErrors, Loaders) {
  expect_error<ValueError>("batches", {"batch size is 0"}, [] { data::batches(ones({4}), 0); });
  expect_error<ShapeError>("batches", {"(4,)", "(3,)"}, [] { data::batches(std::tuple{ones({4}), ones({3})}, 2); });
  expect_error<ShapeError>("batches", {"()"}, [] { data::batches(ones({}), 2); });
  expect_error<ValueError>("batches", {"no array"}, [] { data::batches(std::vector<Array>(), 2); });
  expect_error<ValueError>("debug::visualize_sharding", {"scale is 0"},
                           [] { debug::visualize_sharding({4}, SingleDeviceSharding(devices()[0]), {.scale = 0}); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
