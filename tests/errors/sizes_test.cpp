// Sizes beyond every memory are refused, whatever function they reach, and windows and powers of any size end.
#include <climits>
#include <cmath>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kHuge = INT64_MAX;

TEST(Sizes, BeyondMemoryAreRefused) {
  Array x = ones({8}), m = ones({2, 3});
  for (std::int64_t n : {kHuge, kHuge - 1, std::int64_t(1) << 62, (std::int64_t(1) << 57) + 1}) {
    EXPECT_THROW(zeros({n}, int8), ShapeError) << n;
    EXPECT_EQ(zeros({0, n}, int8).size(), 0) << n;  // nothing, whatever its other extents
    EXPECT_THROW(zeros({n, n}), ShapeError) << n;
    EXPECT_THROW(broadcast_to(array(1.f), {n, 2}), ShapeError) << n;
    EXPECT_THROW(tile(x, {n}), ShapeError) << n;
    EXPECT_THROW(repeat(x, n), ShapeError) << n;
    EXPECT_THROW(lax::pad(x, array(0.f), {{n, 0, 0}}), ShapeError) << n;
    EXPECT_THROW(lax::pad(x, array(0.f), {{0, 0, n}}), ShapeError) << n;
    EXPECT_THROW(lax::pad(x, array(0.f), {{-n, n, n}}), ShapeError) << n;
    EXPECT_THROW(eye(n), ShapeError) << n;
    EXPECT_THROW(arange(n, float32), ShapeError) << n;
    EXPECT_THROW(random::uniform(random::key(0), {n}), UnsupportedError) << n;
  }
  EXPECT_THROW(arange(0, INT64_MIN, -1), Error);
  EXPECT_EQ(Shape({kHuge, kHuge}).num_elements(), kHuge);
  EXPECT_EQ(Shape({kHuge, kHuge, 0}).num_elements(), 0);
}

TEST(Sizes, StepsBeyondTheArrayTakeOneElement) {
  Array x = arange(8.f);
  for (std::int64_t step : {std::int64_t(9), std::int64_t(1) << 61, kHuge}) {
    Array y = lax::slice(x, {1}, {8}, {step});
    EXPECT_EQ(y.to_vector<float>(), std::vector<float>{1});
    EXPECT_EQ(grad([&](const Array& v) { return sum(lax::slice(v, {1}, {8}, {step})); })(x)[1].item<float>(), 1);
    EXPECT_EQ(lax::slice(x, {3}, {3}, {step}).size(), 0);
    Array windows =
        lax::reduce_window(x, lax::WindowReduction::max, {.window_dimensions = {2}, .window_strides = {step}});
    EXPECT_EQ(windows.to_vector<float>(), std::vector<float>{1});
  }
}

TEST(Sizes, WindowsLargerThanTheArrayAreNone) {
  Array x = ones({8}), image = ones({1, 8, 8, 1});
  for (std::int64_t n : {std::int64_t(9), std::int64_t(1) << 31, kHuge}) {
    Array y = lax::reduce_window(x, lax::WindowReduction::sum, {.window_dimensions = {n}});
    EXPECT_EQ(y.shape(), Shape{0});
    EXPECT_EQ(linen::max_pool(image, {n, n}).size(), 0);
  }
  Array k = ones({1, 1, 9}), signal = ones({1, 1, 8});
  EXPECT_EQ(lax::conv_general_dilated(signal, k).shape(), (Shape{1, 1, 0}));
  for (std::int64_t stride : {(std::int64_t(1) << 61) + 1, std::int64_t(1) << 62, kHuge})
    EXPECT_THROW(lax::conv_transpose(signal, ones({1, 1, 3}), {.strides = {stride}}), ShapeError) << stride;
}

TEST(Sizes, PowersOfAnyExponentEnd) {
  using F = std::vector<float>;
  const F wanted{INFINITY, 1, 0};
  Array x = arange(3.f);
  EXPECT_EQ(lax::integer_pow(x, INT_MIN).to_vector<float>(), wanted);
  EXPECT_EQ(power(x, static_cast<std::int64_t>(INT_MIN)).to_vector<float>(), wanted);
  EXPECT_EQ(jit([](const Array& v) { return lax::integer_pow(v, INT_MIN); })(x).to_vector<float>(), wanted);
  EXPECT_EQ(lax::integer_pow(x, INT_MAX).to_vector<float>(), (F{0, 1, INFINITY}));
  EXPECT_EQ(grad([](const Array& v) { return lax::integer_pow(v, INT_MIN); })(array(1.f)).item<float>(), -0x1p31f);
}

TEST(Refused, Nonsense) {
  expect_error<ValueError>("array", {"empty Array"}, [&] { array({Array()}); });
  expect_error<TypeError>("array", {"keys"}, [&] { array({1, 2}, prng_key); });
  expect_error<ValueError>("array", {"5000000000", "int32", "enable_x64"}, [&] { array(std::int64_t(5000000000)); });
  expect_error<ValueError>("array", {"5000000000"}, [&] { array({1L, 5000000000L}); });
  expect_error<ValueError>("array", {"-5000000000"}, [&] { array(std::vector<std::int64_t>{1, -5000000000}, {2}); });
  expect_error<ValueError>("array", {"300", "uint8"}, [&] { array({300}, uint8); });
  expect_error<ValueError>("array", {"-1", "uint32"}, [&] { array({-1}, uint32); });
  expect_error<ValueError>("arange", {"int32"}, [&] { arange(2147483646L, 2147483650L); });
  expect_error<TypeError>("lax::bitcast_convert_type", {"int8", "bool"},
                          [&] { lax::bitcast_convert_type(array({64}, int8), bool_); });
  expect_error<ValueError>("integer_pow", {"int32", "-1"}, [&] { lax::integer_pow(array(0), -1); });
  Sharding s = SingleDeviceSharding(devices()[0]);
  expect_error<ValueError>("Sharding::with_memory_kind", {"nonsense", "pinned_host"},
                           [&] { s.with_memory_kind("nonsense"); });
  for (double p : {2., -0.1, static_cast<double>(NAN)})
    expect_error<ValueError>("nn::Dropout", {"probability"}, [&] { nn::Dropout{p}(ones({3}), random::key(0)); });
  expect_error_without_line<ValueError>("ColorMap::colors", {"empty"}, [&] { debug::ColorMap().colors(3); });
}

TEST(Refused, DimensionNumbersThatDoNotNameTheDims) {
  Array x = ones({1, 2, 8}), k = ones({3, 2, 5}), hio = ones({3, 2, 5});
  auto conv = [&](const Array& kernel, lax::ConvDims d) {
    return lax::conv_general_dilated(x, kernel, {.dimension_numbers = std::move(d)}).shape();
  };
  EXPECT_EQ(conv(k, {}), (Shape{1, 3, 4}));
  EXPECT_EQ(conv(hio, {"", "HIO", ""}), (Shape{1, 5, 6}));
  EXPECT_EQ(conv(k, {"", "", "NHC"}), (Shape{1, 4, 3}));
  for (lax::ConvDims d : {lax::ConvDims{"", "XYZ", ""},
                          {"NCH", "XYZ", "NCH"},
                          {"", "OIW", "NCH"},
                          {"", "", "NCHW"},
                          {"NNH", "OIH", "NCH"},
                          {"", "OOI", ""}})
    EXPECT_THROW(conv(k, d), ValueError) << d.lhs << " " << d.rhs << " " << d.out;
  // Options count the spatial dims in the kernel's order, as in JAX.
  Array image = ones({1, 5, 7, 2}), w = ones({3, 2, 2, 4});
  EXPECT_EQ(
      lax::conv_general_dilated(image, w, {.window_strides = {1, 2}, .dimension_numbers = {"NHWC", "WHIO", "NHWC"}})
          .shape(),
      (Shape{1, 2, 5, 4}));
}

TEST(Refused, PatternsThatMatchNothing) {
  struct Layer {
    Array weight, bias;
  };
  struct Net {
    std::vector<Layer> layers;
  };
  Net net{{{ones({2}), ones({2})}, {ones({2}), ones({2})}}};
  Mesh mesh = make_mesh({1}, {"x"});
  expect_error<ValueError>("device_put", {"**.wieght", "layers[0].weight", "if_any"}, [&] {
    device_put(net, mesh, {{"**.wieght", P("x")}});
  });
  expect_error_without_line<ValueError>("tree::partition", {"**.bais"}, [&] {
    tree::partition(net, {{"**.bais", false}, {"**", true}});
  });
  expect_error<ValueError>("optim::Updates::update (mask)", {"**.scale"}, [&] {
    auto decay = optim::add_decayed_weights(0.1, {{"**.scale", true}});
    decay.update(net, decay.init(net), net);
  });
  expect_error<ValueError>("jit", {"**.wieght"}, [&] {
    jit([](const Net& n) { return n.layers[0].bias; },
        {.in_shardings = {{"**.wieght", NamedSharding(mesh, P("x"))}}})(net);
  });
  Net placed = device_put(net, mesh, {{"**.scale", P("x"), if_any}, {"layers.*.bias", none}, {"**", P()}});
  EXPECT_TRUE(placed.layers[0].weight.committed());
  EXPECT_FALSE(placed.layers[0].bias.committed());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
