// Image filters, pyramids and convolutional networks.
#include "real.hpp"
#include "tutti/image/image.hpp"

namespace bench::real {
namespace {

Array convolved(const Array& x, const Array& w, std::int64_t stride = 1, std::int64_t groups = 1) {
  return lax::conv_general_dilated(x, w,
                                   {.window_strides = {stride, stride},
                                    .padding = "SAME",
                                    .dimension_numbers = {"NHWC", "HWIO", "NHWC"},
                                    .feature_group_count = groups});
}
Array pooled(const Array& x, std::int64_t size, std::int64_t stride, const char* padding) {
  return lax::reduce_window(
      x, lax::WindowReduction::max,
      {.window_dimensions = {1, size, size, 1}, .window_strides = {1, stride, stride, 1}, .padding = padding});
}

Array sobel(const Array& u) {
  const Array p = pad(u, {{1, 1}, {1, 1}}, PadMode::edge);
  const std::int64_t n = u.shape(0);
  auto at = [&](std::int64_t i, std::int64_t j) { return p(slice(i, i + n), slice(j, j + n)); };
  const Array gx = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0);
  const Array gy = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2);
  return sqrt(gx * gx + gy * gy);
}
Array blurred_along(const Array& u, int axis) {
  return 0.375 * u + 0.25 * (roll(u, 1, axis) + roll(u, -1, axis)) + 0.0625 * (roll(u, 2, axis) + roll(u, -2, axis));
}
Array blurred(const Array& u) { return blurred_along(blurred_along(u, 0), 1); }
Array blurred_by_convolution(const Array& x, const Array& w) {
  const std::int64_t n = w.shape(0);
  return convolved(convolved(x, w.reshape({n, 1, 1, 1})), w.reshape({1, n, 1, 1}));
}
Array sharpened(const Array& u) { return u + 0.5 * (u - blurred(u)); }
Array halved_by_window(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::sum,
                            {.window_dimensions = {1, 2, 2, 1}, .window_strides = {1, 2, 2, 1}}) /
         4;
}
Array halved_by_reshape(const Array& x) {
  return x.reshape({x.shape(0), x.shape(1) / 2, 2, x.shape(2) / 2, 2, x.shape(3)}).mean({2, 4});
}
Array doubled_by_repeat(const Array& x) { return repeat(repeat(x, 2, 1), 2, 2); }
Array doubled_by_resize(const Array& x) {
  return image::resize(x, {x.shape(0), 2 * x.shape(1), 2 * x.shape(2), x.shape(3)}, image::ResizeMethod::linear);
}
Array erosion(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::min, {.window_dimensions = {5, 5}, .padding = "SAME"});
}

Array stem(const Array& x, const Array& w) { return pooled(nn::relu(convolved(x, w, 2)), 3, 2, "SAME"); }
Array u_net(const Array& x, const Array& first, const Array& middle, const Array& last) {
  const Array skip = nn::relu(convolved(x, first)), low = nn::relu(convolved(pooled(skip, 2, 2, "VALID"), middle));
  return convolved(concatenate({skip, doubled_by_repeat(low)}, 3), last);
}
Array depthwise(const Array& x, const Array& w) { return convolved(x, w, 1, x.shape(3)); }
Two convolution_gradients(const Array& x, const Array& w, const Array& cotangent) {
  auto product = [&](const Array& x, const Array& w) { return (convolved(x, w) * cotangent).sum(); };
  return {grad([&](const Array& x) { return product(x, w); })(x),
          grad([&](const Array& w) { return product(x, w); })(w)};
}

}  // namespace

std::vector<Row> filters(const Extents& at) {
  const std::int64_t n = at(4096, 32), s = at(256, 16), b = at(8, 2), c = at(16, 4), half = at.fixed(256, 16),
                     wide = at.fixed(16, 4);
  const std::int64_t pixels = at.fixed(256, 32);
  const PartitionSpec both = P(none, "x", "y");
  const Input square = numbers({n, n}, xy), image = numbers({b, s, s, c}, second),
              even = numbers({b, half, half, c}, both);
  const double two_rows = borders({b, s / 8, s, c}, {0, 2}), weights = all_reduce(8, as_double(9 * c * c) * 4);
  const Shape block{n / 4, n / 2};
  const double of_features = borders({b, pixels / 8, pixels, wide}, {0, 2});
  return {
      {"sobel",
       "Sobel: pad edge, slices of 8 neighbours",
       xy42,
       {square},
       {xy},
       of(sobel),
       {borders(block, {2, 2}, true)},
       "A"},
      {"blur_roll",
       "5x5 blur, separable, by rolls by 1 and 2",
       xy42,
       {square},
       {xy},
       of(blurred),
       {borders(block, {4, 4})},
       "G"},
      {"blur_convolution",
       "5x5 blur: convolutions along one cut dim, then the other",
       xy42,
       {numbers({b, s, s, 1}, both), numbers({5}, whole)},
       {both},
       of(blurred_by_convolution),
       {borders({b, s / 4, s / 2, 1}, {0, 4, 4})},
       "F"},
      {"sharpen",
       "x + (x - blur(x)) / 2, blur by rolls",
       xy42,
       {square},
       {xy},
       of(sharpened),
       {borders(block, {4, 4})},
       "G"},
      {"erosion",
       "least of 5x5 by reduce_window same, both dims cut",
       xy42,
       {square},
       {xy},
       of(erosion),
       {borders(block, {4, 4}, true)},
       "F"},
      {"pyramid_window",
       "2x2 means by reduce_window, both dims cut",
       xy42,
       {even},
       {both},
       of(halved_by_window),
       {0},
       "B"},
      {"pyramid_reshape", "2x2 means by reshape, both dims cut", xy42, {even}, {both}, of(halved_by_reshape), {0}},
      {"upsample_repeat", "twice as large by repeat, both dims cut", xy42, {even}, {both}, of(doubled_by_repeat), {0}},
      {"upsample_linear",
       "twice as large by resize, linear, rows cut",
       d8,
       {numbers({b, half, half, c}, second)},
       {second},
       of(doubled_by_resize),
       {borders({b, half / 8, half, c}, {0, 2})},
       "L"},
      // Of an even extent, SAME puts 2 rows before and 3 behind 7x7; the pool asks for one row of the next block.
      {"resnet_stem",
       "convolution 7x7 stride 2, max pool 3x3 stride 2, rows cut",
       d8,
       {numbers({b, pixels, pixels, 3}, second), numbers({7, 7, 3, wide}, whole)},
       {second},
       of(stem),
       {borders({b, pixels / 8, pixels, 3}, {0, 5}) + borders({b, pixels / 16, pixels / 2, wide}, {0, 1})},
       "B"},
      // Three convolutions: of x, of the halves, and of both joined.
      {"u_net",
       "convolution, pool, convolution, repeat, joined, rows cut",
       d8,
       {numbers({b, pixels, pixels, wide}, second), numbers({3, 3, wide, wide}, whole),
        numbers({3, 3, wide, wide}, whole), numbers({3, 3, 2 * wide, wide}, whole)},
       {second},
       of(u_net),
       {of_features + of_features / 2 + 2 * of_features},
       "B"},
      {"depthwise",
       "depthwise convolution 3x3, rows cut",
       d8,
       {image, numbers({3, 3, 1, c}, whole)},
       {second},
       of(depthwise),
       {two_rows}},
      // Rows of x for the kernel's gradient, rows of the cotangent for that of x.
      {"conv_gradients",
       "gradients of a convolution 3x3, rows cut",
       d8,
       {image, numbers({3, 3, c, c}, whole), image},
       {second, whole},
       of(convolution_gradients),
       {2 * two_rows + weights}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
