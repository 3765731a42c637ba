// Convolutions as networks have them, their gradients, blocks of layers, pooling.
#include "case.hpp"
#include "tutti/lax/windows.hpp"

namespace bench {
namespace {

struct Form {
  const char* name;
  Shape x, w;
  lax::ConvOptions o;
};

std::vector<Form> forms() {
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const lax::ConvDims last{"NHWC", "HWIO", "NHWC"}, line{"NWC", "WIO", "NWC"}, space{"NDHWC", "DHWIO", "NDHWC"};
  return {
      {"conv7x7_s2_b8_224_3_64",
       {8, 224, 224, 3},
       {7, 7, 3, 64},
       {.window_strides = {2, 2}, .padding = "SAME", .dimension_numbers = last}},
      {"conv3x3_nchw_b16_56_64", {16, 64, 56, 56}, {64, 64, 3, 3}, {.padding = "SAME"}},
      {"conv3x3_s2_b16_56_64_128",
       {16, 56, 56, 64},
       {3, 3, 64, 128},
       {.window_strides = {2, 2}, .padding = "SAME", .dimension_numbers = last}},
      {"conv3x3_b16_7_512", {16, 7, 7, 512}, {3, 3, 512, 512}, {.padding = "SAME", .dimension_numbers = last}},
      {"conv1x1_nchw_b16_14_256_1024", {16, 256, 14, 14}, {1024, 256, 1, 1}, {}},
      {"conv3x3_depthwise_b16_56_128",
       {16, 56, 56, 128},
       {3, 3, 1, 128},
       {.padding = "SAME", .dimension_numbers = last, .feature_group_count = 128}},
      {"conv3x3_depthwise_nchw_s2_b16_112_64",
       {16, 64, 112, 112},
       {64, 1, 3, 3},
       {.window_strides = {2, 2}, .padding = "SAME", .feature_group_count = 64}},
      {"conv3x3_groups32_b16_28_256",
       {16, 28, 28, 256},
       {3, 3, 8, 256},
       {.padding = "SAME", .dimension_numbers = last, .feature_group_count = 32}},
      {"conv2x2_up_b8_64_128_64",
       {8, 64, 64, 128},
       {2, 2, 128, 64},
       {.padding = 1, .lhs_dilation = {2, 2}, .dimension_numbers = last}},
      {"conv1d_dilated_b8_16000_64",
       {8, 16000, 64},
       {2, 64, 64},
       {.padding = Pairs{{512, 0}}, .rhs_dilation = {512}, .dimension_numbers = line}},
      {"conv1d_ncw_s5_b8_160000_1_64", {8, 1, 160000}, {64, 1, 10}, {.window_strides = {5}}},
      {"conv3d_b8_16_32_64", {8, 16, 16, 16, 32}, {3, 3, 3, 32, 64}, {.padding = "SAME", .dimension_numbers = space}},
  };
}

auto convolution(const Form& f) {
  return [o = f.o](const Array& x, const Array& w) { return lax::conv_general_dilated(x, w, o); };
}

Array normalised(const Array& h, const Axes& dims) {
  return (h - mean(h, dims, true)) * lax::rsqrt(var(h, dims, true) + 1e-5);
}
Array basic_block_loss(const Array& w0, const Array& w1, const Array& x) {
  Array h = x;
  for (const Array& w : {w0, w1})
    h = maximum(normalised(lax::conv_general_dilated(h, w, {.padding = "SAME"}), {0, 2, 3}), 0);
  return mean(square(x + h));
}
Array mobile_block_loss(const Array& wide, const Array& deep, const Array& narrow, const Array& x) {
  const lax::ConvDims last{"NHWC", "HWIO", "NHWC"};
  auto conv = [&](const Array& h, const Array& w, int groups) {
    return normalised(
        lax::conv_general_dilated(h, w, {.padding = "SAME", .dimension_numbers = last, .feature_group_count = groups}),
        {0, 1, 2});
  };
  Array h = clip(conv(x, wide, 1), 0, 6);
  h = clip(conv(h, deep, 144), 0, 6);
  return mean(square(x + conv(h, narrow, 1)));
}

Array max_pooled(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::max,
                            {.window_dimensions = {1, 3, 3, 1}, .window_strides = {1, 2, 2, 1}, .padding = "SAME"});
}
Array average_pooled(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::sum,
                            {.window_dimensions = {1, 1, 2, 2}, .window_strides = {1, 1, 2, 2}}) /
         4;
}
template <class F> auto squared(F f) {
  return [=](const auto&... args) { return sum(square(f(args...))); };
}

struct ConvNet {
  std::vector<Array> kernels{};
  Array dense{}, bias{};
};
Array network_loss(const ConvNet& m, const Array& x, const Array& labels) {
  Array h = x;
  for (const Array& w : m.kernels) {
    h = maximum(lax::conv_general_dilated(h, w, {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}}), 0);
    h = lax::reduce_window(h, lax::WindowReduction::max,
                           {.window_dimensions = {1, 2, 2, 1}, .window_strides = {1, 2, 2, 1}});
  }
  return nn::softmax_cross_entropy(matmul(mean(h, {1, 2}), m.dense) + m.bias, labels).mean();
}
// Small images, three convolutions with pooling, a dense layer; gradient descent with momentum.
Batch network_step(const Setup& s) {
  constexpr int batch = 128;
  auto weights = [&](const Shape& shape, double scale) { return s.normal(shape, P()) * scale; };
  const ConvNet model{{weights({3, 3, 3, 32}, .2), weights({3, 3, 32, 64}, .06), weights({3, 3, 64, 128}, .04)},
                      weights({128, 10}, .1),
                      weights({10}, 0)};
  const Array x = s.normal({batch, 32, 32, 3}, P(axes("x", "y")));
  const Array labels = device_put(random::randint(random::key(1), {batch}, 0, 10), s.at(P(axes("x", "y"))));
  auto step = jit([](const std::pair<ConvNet, ConvNet>& now, const Array& x, const Array& labels) {
    auto [value, g] = value_and_grad([&](const ConvNet& m) { return network_loss(m, x, labels); })(now.first);
    const ConvNet speed = tree::map([](const Array& v, const Array& g) { return 0.9 * v + g; }, now.second, g);
    const ConvNet next = tree::map([](const Array& p, const Array& v) { return p - 0.01 * v; }, now.first, speed);
    return std::pair{std::pair{next, speed}, value};
  });
  std::pair now{model, tree::map([](const Array& a) { return zeros_like(a); }, model)};
  return repeat([=]() mutable {
    auto [next, value] = step(now, x, labels);
    now = std::move(next);
    return value;
  });
}

}  // namespace

std::vector<Case> convolution_cases() {
  std::vector<Case> all;
  for (const Form& f : forms()) {
    const auto conv = convolution(f);
    all.push_back(compiled(std::string(f.name) + "_fwd", conv, rows(f.x), whole(f.w)));
    auto loss = [=](const Array& x, const Array& w) { return sum(square(conv(x, w))); };
    all.push_back(compiled(std::string(f.name) + "_grad", grad<0, 1>(loss), rows(f.x), whole(f.w)));
  }
  all.push_back({"conv_network_step_b128_32", network_step});
  const Shape kernel{64, 64, 3, 3}, images{16, 112, 112, 64};
  all.push_back(compiled("basic_block_nchw_grad_b16_56_64", grad<0, 1>(basic_block_loss), whole(kernel), whole(kernel),
                         rows({16, 64, 56, 56})));
  all.push_back(compiled("mobile_block_grad_b16_56_24", grad<0, 1, 2>(mobile_block_loss), whole({1, 1, 24, 144}),
                         whole({3, 3, 1, 144}), whole({1, 1, 144, 24}), rows({16, 56, 56, 24})));
  all.push_back(compiled("max_pool3x3_s2_b16_112_64_fwd", max_pooled, rows(images)));
  all.push_back(compiled("max_pool3x3_s2_b16_112_64_grad", grad(squared(max_pooled)), rows(images)));
  all.push_back(compiled("avg_pool2x2_nchw_b16_112_64_fwd", average_pooled, rows({16, 64, 112, 112})));
  all.push_back(compiled("avg_pool2x2_nchw_b16_112_64_grad", grad(squared(average_pooled)), rows({16, 64, 112, 112})));
  return all;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
