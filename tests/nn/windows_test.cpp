// Convolutions and windows against plain loops, over random sizes, strides, dilations, paddings and groups.
#include <random>

#include "nn/check.hpp"

namespace tutti::testing {
namespace {

std::mt19937 dice(1);
int roll(int low, int high) { return low + static_cast<int>(dice() % static_cast<unsigned>(high - low + 1)); }

struct Sizes {
  int n, groups, in, out, batch_groups;
  lax::Dims extent, window, strides, lhs_dilation, rhs_dilation;
  std::vector<std::pair<std::int64_t, std::int64_t>> padding;
};
Sizes random_sizes(int spatial) {
  Sizes s{roll(1, 3), roll(1, 3), roll(1, 3), roll(1, 3), 1, {}, {}, {}, {}, {}, {}};
  if (roll(0, 2) == 0) {
    s.batch_groups = 2;
    s.groups = 1;
    s.n *= 2;
  }
  for (int d = 0; d < spatial; ++d) {
    s.window.push_back(roll(1, 3));
    s.strides.push_back(roll(1, 3));
    s.lhs_dilation.push_back(roll(1, 2));
    s.rhs_dilation.push_back(roll(1, 2));
    s.extent.push_back(roll(3, 6));
    s.padding.push_back({roll(0, 2), roll(-1, 2)});
  }
  return s;
}
lax::ConvOptions options(const Sizes& s) {
  return {.window_strides = s.strides,
          .padding = s.padding,
          .lhs_dilation = s.lhs_dilation,
          .rhs_dilation = s.rhs_dilation,
          .feature_group_count = s.groups,
          .batch_group_count = s.batch_groups};
}

// One spatial dim, element by element.
Array by_loops(const Array& x, const Array& w, const Sizes& s) {
  std::vector<float> in = x.to_vector<float>(), k = w.to_vector<float>();
  std::int64_t n = x.shape(0), c = x.shape(1), len = x.shape(2), outs = w.shape(0), ins = w.shape(1),
               window = w.shape(2);
  std::int64_t spread = (len - 1) * s.lhs_dilation[0] + 1 + s.padding[0].first + s.padding[0].second,
               reach = (window - 1) * s.rhs_dilation[0] + 1;
  std::int64_t count = std::max<std::int64_t>(0, spread < reach ? 0 : (spread - reach) / s.strides[0] + 1),
               batch = n / s.batch_groups;
  std::vector<float> out;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t o = 0; o < outs; ++o)
      for (std::int64_t t = 0; t < count; ++t) {
        double total = 0;
        std::int64_t group = o / (outs / s.groups), part = o / (outs / s.batch_groups);
        for (std::int64_t i = 0; i < ins; ++i)
          for (std::int64_t j = 0; j < window; ++j) {
            std::int64_t at = t * s.strides[0] + j * s.rhs_dilation[0] - s.padding[0].first;
            if (at < 0 || at % s.lhs_dilation[0] || at / s.lhs_dilation[0] >= len) continue;
            std::int64_t row = s.batch_groups > 1 ? part * batch + b : b;
            total += static_cast<double>(
                         in[static_cast<std::size_t>((row * c + group * ins + i) * len + at / s.lhs_dilation[0])]) *
                     k[static_cast<std::size_t>((o * ins + i) * window + j)];
          }
        out.push_back(static_cast<float>(total));
      }
  return array(out, {batch, outs, count});
}

TEST(Convolution, EqualsLoops) {
  for (int i = 0; i < 30; ++i) {
    Sizes s = random_sizes(1);
    SCOPED_TRACE(i);
    Array x = random::normal(random::key(i), {s.n, s.in * s.groups, s.extent[0]}),
          w = random::normal(random::key(100 + i), {s.out * s.groups * s.batch_groups, s.in, s.window[0]});
    expect_close(lax::conv_general_dilated(x, w, options(s)), by_loops(x, w, s));
  }
}

TEST(Convolution, TwoDimsAreOneAfterTheOther) {
  // A kernel that is an outer product convolves the dims one by one.
  for (int i = 0; i < 8; ++i) {
    Sizes s = random_sizes(2);
    s.groups = s.batch_groups = 1;
    SCOPED_TRACE(i);
    Array x = random::normal(random::key(i), {2, 1, s.extent[0], s.extent[1]}),
          a = random::normal(random::key(50 + i), {s.window[0]}),
          b = random::normal(random::key(60 + i), {s.window[1]});
    Array both = lax::conv_general_dilated(x, outer(a, b).reshape(1, 1, s.window[0], s.window[1]), options(s));
    auto one = [&](int d) {
      return Sizes{1, 1, 1, 1, 1, {}, {}, {s.strides[d]}, {s.lhs_dilation[d]}, {s.rhs_dilation[d]}, {s.padding[d]}};
    };
    auto along = [&](const Array& v, const Array& kernel, int d) {  // over the last dim, the others as a batch
      Array flat = v.reshape(Shape{-1, 1, v.shape(-1)}),
            y = lax::conv_general_dilated(flat, kernel.reshape(1, 1, -1), options(one(d)));
      Shape shape = v.shape();
      shape[shape.size() - 1] = y.shape(2);
      return y.reshape(shape);
    };
    expect_close(both, swapaxes(along(swapaxes(along(x, b, 1), 2, 3), a, 0), 2, 3));
  }
}

TEST(Convolution, DimensionNumbersAreTransposes) {
  Array x = random::normal(random::key(0), {2, 3, 5, 6}), w = random::normal(random::key(1), {4, 3, 2, 3});
  Array y = lax::conv_general_dilated(x, w, {.padding = "SAME"});
  Array nhwc = lax::conv_general_dilated(transpose(x, {0, 2, 3, 1}), transpose(w, {2, 3, 1, 0}),
                                         {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  expect_close(transpose(nhwc, {0, 3, 1, 2}), y);
  expect_close(lax::conv_general_dilated(x, w, {.padding = "SAME", .dimension_numbers = {"NCHW", "OIHW", "CWNH"}}),
               transpose(y, {1, 3, 0, 2}));
}

TEST(Convolution, DerivativesBatchesAndDevices) {
  Array x = random::normal(random::key(0), {2, 3, 6}), w = random::normal(random::key(1), {4, 3, 3});
  auto conv = [](const Array& x, const Array& w) {
    return lax::conv_general_dilated(x, w, {.window_strides = {2}, .padding = "SAME"});
  };
  expect_gradient([&](const std::pair<Array, Array>& in) { return sum(sin(conv(in.first, in.second))); },
                  std::pair{x, w});
  Array xs = stack({x, x * 2}), ws = stack({w, w + 1});
  expect_close(vmap(conv)(xs, ws), stack({conv(xs[0], ws[0]), conv(xs[1], ws[1])}));
  set_cpu_devices(8);
  Mesh mesh = make_mesh({2, 2}, {"x", "y"});
  auto step = jit(value_and_grad([&](const Array& w, const Array& x) { return sum(square(conv(x, w))); }));
  auto [v, g] = step(w, x);
  for (Isolation mode : {Isolation::shared, Isolation::per_device}) {
    config::isolation(mode);
    auto [value, gradient] =
        step(device_put(w, NamedSharding(mesh, P("y"))), device_put(x, NamedSharding(mesh, P("x", none, "y"))));
    expect_close(value, v);
    expect_close(gradient, g);
  }
  config::isolation(Isolation::shared);
}

template <class F, class... A> double temporary_bytes(const F& f, const A&... args) {
  return static_cast<double>(jit(f).lower(args...).compile().memory_analysis().temporary_bytes);
}

// Features first or last, with strides, gaps and borders: the same as products of complex numbers, which go another
// way. 16-bit floats are added in float32.
TEST(Convolution, OfOneFeatureEach) {
  const Array x = random::normal(random::key(0), {2, 5, 9, 8}), w = random::normal(random::key(1), {5, 1, 3, 2});
  const lax::ConvOptions first{.window_strides = {2, 1},
                               .padding = {{{1, 2}, {0, 1}}},
                               .lhs_dilation = {1, 2},
                               .rhs_dilation = {2, 1},
                               .feature_group_count = 5};
  lax::ConvOptions last = first;
  last.dimension_numbers = {"NHWC", "HWIO", "NHWC"};
  auto by_last = [&](const Array& x, const Array& w) {
    const Array y = lax::conv_general_dilated(transpose(x, {0, 2, 3, 1}), transpose(w, {2, 3, 1, 0}), last);
    return transpose(y, {0, 3, 1, 2});
  };
  auto by_first = [&](const Array& x, const Array& w) { return lax::conv_general_dilated(x, w, first); };
  const Array want = real(by_first(x.astype(complex64), w.astype(complex64)));
  expect_close(by_first(x, w), want);
  expect_close(by_last(x, w), want);
  expect_close(real(by_last(x.astype(complex64), w.astype(complex64))), want);
  expect_gradient([&](const std::pair<Array, Array>& in) { return sum(sin(by_last(in.first, in.second))); },
                  std::pair{x, w});
  const Array ones = broadcast_to(array({1.f}), {1, 1, 300}).astype(bfloat16);
  EXPECT_EQ(lax::conv_general_dilated(ones, ones.at(all, all, slice(0, 127)).get(), {}).at(0, 0, 0).get().item<float>(),
            127);
}
TEST(Convolution, OfOneFeatureNeedsNoMemory) {
  const Array x = zeros({1 << 16}), w = zeros({63});
  auto f = [](const Array& x, const Array& w) { return convolve(x, w, ConvolveMode::same); };
  EXPECT_LT(temporary_bytes(f, x, w), 3.0 * static_cast<double>(x.nbytes()));
}
// What the windows see is nine times the image: neither the convolution nor a gradient keeps it.
TEST(Convolution, GradientsKeepNoWindows) {
  const Array x = zeros({8, 32, 32, 32}), w = zeros({3, 3, 32, 32});
  auto conv = [](const Array& x, const Array& w) {
    return lax::conv_general_dilated(x, w, {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  };
  auto loss = [&](const Array& w, const Array& v, const Array& x) { return sum(square(conv(tanh(conv(x, w)), v))); };
  EXPECT_LT(temporary_bytes(grad<0, 1>(loss), w, w, x), 9.0 * static_cast<double>(x.nbytes()));
}

TEST(Convolution, TransposeIsTheTranspose) {
  // <conv(x), y> = <x, conv_transpose(y)> with the kernel's feature dims swapped and its window reversed.
  Array x = random::normal(random::key(0), {1, 2, 9}), w = random::normal(random::key(1), {3, 2, 3});
  Array y = lax::conv_general_dilated(x, w, {.window_strides = {2}, .padding = "VALID"}),
        c = random::normal(random::key(2), y.shape());
  Array back = lax::conv_transpose(c, flip(swapaxes(w, 0, 1), 2),
                                   {.strides = {2}, .padding = "VALID", .dimension_numbers = {"NCH", "OIH", "NCH"}});
  expect_close(sum(x * back), sum(y * c));
}

TEST(Convolution, OnlyZerosAndNothing) {
  // A window larger than what there is fits nowhere.
  EXPECT_EQ(lax::conv_general_dilated(ones({2, 3, 4}), ones({5, 3, 6})).shape(), (Shape{2, 5, 0}));
  EXPECT_EQ(lax::reduce_window(ones({2, 3}), lax::WindowReduction::sum, {.window_dimensions = {1, 4}}).shape(),
            (Shape{2, 0}));
  EXPECT_EQ(lax::conv_general_dilated(ones({0, 3, 4}), ones({5, 3, 2})).shape(), (Shape{0, 5, 3}));
}

TEST(Convolution, Errors) {
  Array x = ones({1, 4, 8}), w = ones({2, 4, 3});
  EXPECT_THROW(lax::conv_general_dilated(x, ones({2, 3, 3})), ShapeError);
  EXPECT_THROW(lax::conv_general_dilated(x, ones({2, 4})), ShapeError);
  EXPECT_THROW(lax::conv_general_dilated(x, w, {.padding = "SAMEISH"}), ValueError);
  EXPECT_THROW(lax::conv_general_dilated(x, w, {.window_strides = {1, 1}}), ShapeError);
  EXPECT_THROW(lax::conv_general_dilated(x, w, {.window_strides = {0}}), ValueError);
  EXPECT_THROW(lax::conv_general_dilated(x, w.astype(bfloat16)), TypeError);
  EXPECT_THROW(lax::conv_general_dilated(x, w, {.dimension_numbers = {"NCH", "OIX", "NCH"}}), ValueError);
}

// What lies apart is put together by one loop: gradients are not made of copies as large as the input.
TEST(Windows, GradientsOfStridesNeedLittleMemory) {
  const Array x = zeros({4, 64, 64, 32});
  for (std::int64_t window : {std::int64_t{2}, std::int64_t{3}}) {
    auto pool = [=](const Array& x) {
      return lax::reduce_window(
          x, lax::WindowReduction::sum,
          {.window_dimensions = {1, window, window, 1}, .window_strides = {1, 2, 2, 1}, .padding = "SAME"});
    };
    auto loss = [&](const Array& x) { return sum(square(pool(x))); };
    EXPECT_LT(temporary_bytes(grad(loss), x), 2.0 * static_cast<double>(x.nbytes()));
  }
}

// Whatever the function and its start: what padding and dilation add is no element. Values from JAX.
TEST(Windows, CountTheStartOnce) {
  using F = std::vector<float>;
  const Array x = array({1.f, 2.f, 3.f, 4.f});
  auto sums = [](const Array& a, const Array& b) { return a + b; };
  auto of = [&](const lax::Combine& f, float start, const lax::WindowOptions& o) {
    return lax::reduce_window(x, start, f, o).to_vector<float>();
  };
  EXPECT_EQ(of(sums, 2, {.window_dimensions = {3}, .padding = "SAME"}), F({5, 8, 11, 9}));
  EXPECT_EQ(of(sums, 2, {.window_dimensions = {3}, .padding = {{1, 1}}, .base_dilation = {2}}),
            F({3, 5, 4, 7, 5, 9, 6}));
  EXPECT_EQ(
      of([](const Array& a, const Array& b) { return a * b; }, 2, {.window_dimensions = {2}, .padding = {{2, 0}}}),
      F({2, 2, 4, 12, 24}));
  EXPECT_EQ(of(sums, 2, {.window_dimensions = {40}, .padding = {{39, 0}}}), F({3, 5, 8, 12}));
  auto pool = [&](const Array& v) {
    return sum(square(lax::reduce_window(v, 1.f, sums, {.window_dimensions = {2}, .padding = {{1, 0}}})));
  };
  EXPECT_EQ(grad(pool)(x).to_vector<float>(), F({12, 20, 28, 16}));
}

TEST(Windows, EqualLoops) {
  for (auto kind : {lax::WindowReduction::sum, lax::WindowReduction::max, lax::WindowReduction::min})
    for (int i = 0; i < 8; ++i) {
      Sizes s = random_sizes(2);
      Array x = random::normal(random::key(i), {s.extent[0], s.extent[1]});
      Array y = lax::reduce_window(x, kind,
                                   {.window_dimensions = s.window,
                                    .window_strides = s.strides,
                                    .padding = s.padding,
                                    .base_dilation = s.lhs_dilation,
                                    .window_dilation = s.rhs_dilation});
      std::vector<float> in = x.to_vector<float>(), want;
      const double start = kind == lax::WindowReduction::sum   ? 0
                           : kind == lax::WindowReduction::max ? -INFINITY
                                                               : INFINITY;
      for (std::int64_t a = 0; a < y.shape(0); ++a)
        for (std::int64_t b = 0; b < y.shape(1); ++b) {
          double v = start;
          for (std::int64_t p = 0; p < s.window[0]; ++p)
            for (std::int64_t q = 0; q < s.window[1]; ++q) {
              std::int64_t r = a * s.strides[0] + p * s.rhs_dilation[0] - s.padding[0].first,
                           c = b * s.strides[1] + q * s.rhs_dilation[1] - s.padding[1].first;
              if (r < 0 || c < 0 || r % s.lhs_dilation[0] || c % s.lhs_dilation[1]) continue;
              r /= s.lhs_dilation[0];
              c /= s.lhs_dilation[1];
              if (r >= s.extent[0] || c >= s.extent[1]) continue;
              double e = in[static_cast<std::size_t>(r * s.extent[1] + c)];
              v = kind == lax::WindowReduction::sum   ? v + e
                  : kind == lax::WindowReduction::max ? std::max(v, e)
                                                      : std::min(v, e);
            }
          want.push_back(static_cast<float>(v));
        }
      expect_close(where(isfinite(y), y, 0), where(isfinite(array(want, y.shape())), array(want, y.shape()), 0));
    }
  EXPECT_TRUE(bool(array_equal(
      lax::reduce_window(array({3, 1, 2}), lax::WindowReduction::max, {.window_dimensions = {2}, .padding = 1}),
      array({3, 3, 2, 2}))));
  EXPECT_THROW(lax::reduce_window(ones({2, 2}), lax::WindowReduction::sum, {.window_dimensions = {2}}), ShapeError);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
