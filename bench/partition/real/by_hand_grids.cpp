// Neighbours, images and transforms by hand: borders are sent, what is outside of the whole is put in their place.
#include <cmath>

#include "by_hand.hpp"

namespace bench::real {
namespace {

// Numbers of the rows of a block in the whole.
Array places(const Array& x, int dim, const Names& axis) {
  return lax::axis_index(axis) * static_cast<int>(x.shape(dim)) + arange(static_cast<int>(x.shape(dim)));
}
// The neighbours of every element along a dim; at the ends the element itself.
Array both_neighbours(const Array& u, int dim, const Names& axis, int n) {
  const Array wide = with_borders(u, dim, 1, 1, axis, n);
  Array at = places(u, dim, axis);
  if (dim == 0) at = expand_dims(at, 1);
  const int last = static_cast<int>(u.shape(dim)) * n - 1;
  return where(at == 0, u, part(wide, dim, 0, -2)) + where(at == last, u, part(wide, dim, 2, 0));
}
Array five_points(const Array& u) { return both_neighbours(u, 0, "x", 4) + both_neighbours(u, 1, "y", 2) - 4 * u; }
Array three_points_reflected(const Array& u) {
  const Array wide = with_borders(u, 0, 1, 1, "d", 8), at = expand_dims(places(u, 0, "d"), 1);
  const int last = static_cast<int>(u.shape(0)) * 8 - 1;
  const Array low = part(wide, 0, 0, -2), high = part(wide, 0, 2, 0);
  return where(at == 0, high, low) + where(at == last, low, high) - 2 * u;
}
Array heat(const Array& u) {
  const Array wide = with_borders(u, 0, 1, 1, "d", 8), at = expand_dims(places(u, 0, "d"), 1);
  const Array change = 0.1 * (part(wide, 0, 2, 0) - 2 * u + part(wide, 0, 0, -2));
  return where((at == 0) | (at == static_cast<int>(u.shape(0)) * 8 - 1), u, u + change);
}
Array difference(const Array& u) {
  const Array wide = with_borders(u, 0, 1, 0, "d", 8, 0);
  return u - part(wide, 0, 0, -1);
}
Array neighbours_alive(const Array& u) {
  const Array wide = with_borders(with_borders(u, 0, 1, 1, "x", 4), 1, 1, 1, "y", 2);
  const std::int64_t a = u.shape(0), b = u.shape(1);
  Array k = zeros_like(u);
  for (int i : {0, 1, 2})
    for (int j : {0, 1, 2})
      if (i != 1 || j != 1) k = k + wide(slice(i, i + a), slice(j, j + b));
  return ((k == 3) | ((k == 2) & (u == 1))).astype(int32);
}
Array halved(const Array& u) { return u.reshape(u.shape(0) / 2, 2, u.shape(1) / 2, 2).mean({1, 3}); }
Array doubled(const Array& u) {
  const Array next = part(with_borders(u, 0, 0, 1, "d", 8), 0, 1, 0);
  return stack({u, 0.5 * (u + next)}, 1).reshape(2 * u.shape(0), u.shape(1));
}
// [rows, columns]: bytes as of edges that are read by others.
Arrays maxwell_of_blocks(Array e, Array hx, Array hy) {
  const Array i = expand_dims(places(e, 0, "x"), 1), j = places(e, 1, "y");
  const int last = static_cast<int>(e.shape(0)) * 4 - 1, end = static_cast<int>(e.shape(1)) * 2 - 1;
  hx = where(j == end, hx, hx - 0.5 * (part(with_borders(e, 1, 0, 1, "y", 2), 1, 1, 0) - e));
  hy = where(i == last, hy, hy + 0.5 * (part(with_borders(e, 0, 0, 1, "x", 4), 0, 1, 0) - e));
  const Array curl =
      hy - part(with_borders(hy, 0, 1, 0, "x", 4), 0, 0, -1) - hx + part(with_borders(hx, 1, 1, 0, "y", 2), 1, 0, -1);
  return {where((i == 0) | (j == 0), e, e + 0.5 * curl), hx, hy};
}

Array valid(const Array& x, const Array& w, std::int64_t stride, std::int64_t columns_before, std::int64_t behind) {
  return lax::conv_general_dilated(x, w,
                                   {.window_strides = {stride, stride},
                                    .padding = {{0, 0}, {columns_before, behind}},
                                    .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
}
Array convolution_of_tiles(const Array& x, const Array& w) {
  return valid(with_borders(with_borders(x, 1, 1, 1, "x", 4, 0), 2, 1, 1, "y", 2, 0), w, 1, 0, 0);
}
Array convolution_by_two_of_blocks(const Array& x, const Array& w) {
  return valid(with_borders(x, 1, 0, 1, "d", 8, 0), w, 2, 0, 1);
}
Array pool_by_two(const Array& x) {
  return lax::reduce_window(
      with_borders(x, 1, 0, 1, "d", 8, -INFINITY), lax::WindowReduction::max,
      {.window_dimensions = {1, 3, 3, 1}, .window_strides = {1, 2, 2, 1}, .padding = {{0, 0}, {0, 0}, {0, 1}, {0, 0}}});
}
Array rolling_max_of_block(const Array& x) {
  return lax::reduce_window(with_borders(x, 0, 15, 0, "d", 8, -INFINITY), lax::WindowReduction::max,
                            {.window_dimensions = {16, 1}});
}

// Slabs: along the local dims, turned, along the other one, and the same way back.
Array filter_of_slabs(const Array& x, const Array& mask) {
  const Array there = lax::all_to_all(fft::fft2(x), "d", 1, 0, {.tiled = true});
  const Array back = fft::ifft(fft::fft(there, {}, 0) * mask, {}, 0);
  return fft::ifft2(lax::all_to_all(back, "d", 0, 1, {.tiled = true}));
}
// Frames of w samples, w / 4 apart: what is added behind the block goes to the next device.
Array frames_added(const Array& frames) {
  const std::int64_t count = frames.shape(0), w = frames.shape(1), hop = w / 4;
  Array sum = zeros({(count + 3) * hop});
  for (int k = 0; k < 4; ++k)
    sum =
        sum.at(slice(k * hop, (k + count) * hop)).add(frames(all, slice(k * hop, (k + 1) * hop)).reshape(count * hop));
  return sum(slice(none, count * hop)).at(slice(none, 3 * hop)).add(from_before(sum(slice(count * hop, none)), "d", 8));
}
Array reversed(const Array& x) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 8; ++i) pairs.push_back({i, 7 - i});
  return flip(lax::ppermute(x, "d", pairs), 0);
}

}  // namespace

std::vector<ByHand> grids_by_hand(const Extents&) {
  return {
      {"lap_edge", of(five_points)},
      {"lap_reflect1d", of(three_points_reflected)},
      {"jacobi_set1d", of(heat)},
      {"diff_prepend", of(difference)},
      {"life", of(neighbours_alive)},
      {"fdtd", of(maxwell_of_blocks)},
      {"mg_restrict2", of(halved)},
      {"mg_prolong_at", of(doubled)},
      {"conv2cut", of(convolution_of_tiles)},
      {"conv_stride2", of(convolution_by_two_of_blocks)},
      {"maxpool3", of(pool_by_two)},
      {"rolling_max", of(rolling_max_of_block)},
      {"fftn_slab", of(filter_of_slabs)},
      {"overlap_add", of(frames_added)},
      {"flip_slice", of(reversed)},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
