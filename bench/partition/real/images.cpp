// Images: convolutions, pooling, filters, augmentation.
#include "real.hpp"

namespace bench::real {
namespace {

Array convolution(const Array& x, const Array& w) {
  return lax::conv_general_dilated(x, w, {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
}
Array convolution_by_two(const Array& x, const Array& w) {
  return lax::conv_general_dilated(
      x, w, {.window_strides = {2, 2}, .padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
}
Array mean_pool(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::sum, {.window_dimensions = {1, 3, 3, 1}, .padding = "SAME"}) / 9;
}
Array max_pool_by_two(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::max,
                            {.window_dimensions = {1, 3, 3, 1}, .window_strides = {1, 2, 2, 1}, .padding = "SAME"});
}
Array median_of_nine(const Array& u) {
  std::vector<Array> shifted;
  for (int i : {-1, 0, 1})
    for (int j : {-1, 0, 1}) shifted.push_back(roll(u, {i, j}, {0, 1}));
  return sort(stack(shifted), 0)(4);
}
Array crops(const Array& images, const Array& from, const Array& flipped) {
  const std::int64_t n = images.shape(1) - 8;
  auto one = [n](const Array& x, const Array& i, const Array& f) {
    const Array y = lax::dynamic_slice(x, {i, i, array(0)}, {n, n, 3});
    return where(f == 1, flip(y, 1), y);
  };
  return vmap(one)(images, from, flipped);
}
Function patches(std::int64_t p) {
  return of([p](const Array& x, const Array& w) {
    const std::int64_t b = x.shape(0), n = x.shape(1) / p;
    const Array parts = x.reshape(Shape{b, n, p, n, p, 3}).transpose({0, 1, 3, 2, 4, 5});
    return matmul(parts.reshape(b, n * n, p * p * 3), w);
  });
}

}  // namespace

std::vector<Row> images(const Extents& at) {
  const std::int64_t n = at(256, 16), b = at(8, 2), c = at(16, 3), wide = at(2048, 32);
  const std::int64_t crop = at(64, 16), many = at(256, 16), p = at.fixed(16, 4), n_patch = at.fixed(256, 32);
  const Shape tile{b, n / 4, n / 2, c}, stripe{b, n / 8, n, c};
  const PartitionSpec both = P(none, "x", "y");
  const Input image_xy = numbers({b, n, n, c}, both), image = numbers({b, n, n, c}, second),
              kernel = numbers({3, 3, c, c}, whole);
  // Of an even extent and stride 2, SAME pads behind only: a block needs one row of the next.
  const double next_row = borders(stripe, {0, 1}), both_rows = borders(stripe, {0, 2});
  return {
      {"conv2cut",
       "convolution 3x3 same, both spatial dims cut",
       xy42,
       {image_xy, kernel},
       {both},
       of(convolution),
       {borders(tile, {0, 2, 2}, true), {}, 164864},
       "F"},
      {"conv_rows42",
       "convolution 3x3 same, rows over x, batch over y",
       xy42,
       {numbers({b, n, n, c}, P("y", "x")), kernel},
       {P("y", "x")},
       of(convolution),
       {borders({b / 2, n / 4, n, c}, {0, 2})}},
      {"conv_stride2",
       "convolution 3x3 same, stride 2, rows cut",
       d8,
       {image, kernel},
       {second},
       of(convolution_by_two),
       {next_row, {}, 131072},
       "B"},
      {"avgpool3", "mean 3x3 by reduce_window same, rows cut", d8, {image}, {second}, of(mean_pool), {both_rows}},
      {"maxpool3",
       "max pool 3x3 same, stride 2, rows cut",
       d8,
       {image},
       {second},
       of(max_pool_by_two),
       {next_row, {}, 131072},
       "B"},
      {"median3",
       "median 3x3: stack of rolls, sort",
       xy42,
       {numbers({wide, wide}, xy)},
       {xy},
       of(median_of_nine),
       {borders({wide / 4, wide / 2}, {2, 2}, true), {}, 36864},
       "G"},
      {"random_crop",
       "crop and flip of each image, batch cut",
       d8,
       {numbers({many, crop, crop, 3}, cut), ids({many}, cut, 8), ids({many}, cut, 2)},
       {cut},
       of(crops),
       {0}},
      {"patchify",
       "patches by reshape and transpose, projected, rows cut",
       d8,
       {numbers({at(32, 2), n_patch, n_patch, 3}, second), numbers({p * p * 3, 64}, whole)},
       {},
       patches(p),
       {0}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
