// Neighbours on grids: differences, sums of shifted arrays, boundary values.
#include "real.hpp"

namespace bench::real {
namespace {

const auto before = slice(none, -2), after = slice(2, none);

Array five_points_by_roll(const Array& u) {
  return roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u;
}
Array five_points_by_edge(const Array& u) {
  const Array p = pad(u, {{1, 1}, {1, 1}}, PadMode::edge);
  return p(after, inner) + p(before, inner) + p(inner, after) + p(inner, before) - 4 * u;
}
Array five_points_by_where(const Array& u) {
  const int n = static_cast<int>(u.shape(0));
  const Array j = arange(n), i = expand_dims(j, 1);
  return where(i == n - 1, u, roll(u, -1, 0)) + where(i == 0, u, roll(u, 1, 0)) + where(j == n - 1, u, roll(u, -1, 1)) +
         where(j == 0, u, roll(u, 1, 1)) - 4 * u;
}
Array three_points(const Array& u, PadMode mode) {
  const Array p = pad(u, {{1, 1}, {0, 0}}, mode);
  return p(after) + p(before) - 2 * u;
}
Array seven_points_by_edge(const Array& u) {
  const Array p = pad(u, {{1, 1}, {1, 1}, {1, 1}}, PadMode::edge);
  const auto m = inner, l = before, h = after;
  return p(l, m, m) + p(h, m, m) + p(m, l, m) + p(m, h, m) + p(m, m, l) + p(m, m, h) - 6 * u;
}
Array heat_step(const Array& u) { return u.at(inner).add(0.1 * (u(after) - 2 * u(inner) + u(before))); }
Array staggered(const Array& a) { return a(rest) - a(front); }
Array difference_with_prepend(const Array& a) { return diff(a, 1, {.axis = 0, .prepend = zeros({1, a.shape(1)})}); }

Two wave(const Array& now, const Array& last) {
  auto step = [](const Array&, const Two& c) {
    return Two{2 * c.first - c.second + 0.1 * five_points_by_roll(c.first), c.first};
  };
  return lax::fori_loop(0, 10, step, Two{now, last});
}
Array life(const Array& u) {
  Array k = zeros_like(u);
  for (int i : {-1, 0, 1})
    for (int j : {-1, 0, 1})
      if (i || j) k = k + roll(u, {i, j}, {0, 1});
  return ((k == 3) | ((k == 2) & (u == 1))).astype(int32);
}
Array red_black(Array u) {
  const Array black = u(slice(1, none, 2)), red = 0.5 * (black + roll(black, 1, 0));
  u = u.at(slice(0, none, 2)).set(red);
  return u.at(slice(1, none, 2)).set(0.5 * (red + roll(red, -1, 0)));
}
Arrays maxwell(Array e, Array hx, Array hy) {
  hx = hx.at(all, front).add(-0.5 * (e(all, rest) - e(all, front)));
  hy = hy.at(front).add(0.5 * (e(rest) - e(front)));
  const Array curl = hy(rest, rest) - hy(front, rest) - hx(rest, rest) + hx(rest, front);
  return {e.at(rest, rest).add(0.5 * curl), hx, hy};
}
Array with_boundary(const Array& u) { return u.at(0).set(0).at(-1).set(1).at(all, 0).set(2).at(all, -1).set(3); }

Array total_variation(const Array& u) {
  return abs(diff(u, 1, {.axis = 0})).sum() + abs(diff(u, 1, {.axis = 1})).sum();
}
Array squared_variation_by_roll(const Array& u) {
  const int n = static_cast<int>(u.shape(0));
  const Array d = roll(u, -1, 0) - u;
  return where(expand_dims(arange(n) < n - 1, 1), d * d, 0).sum();
}
Array rolling_sum(const Array& x) {
  const Array c = cumsum(x, 0);
  return c(slice(16, none)) - c(slice(none, -16));
}

}  // namespace

std::vector<Row> stencils(const Extents& at) {
  const std::int64_t n = at(4096, 32), even = at.fixed(4096, 32), n3 = at(256, 16), rows = at(65536, 256);
  const Shape block{n / 4, n / 2}, stripe{n / 8, n}, cube{n3 / 2, n3 / 2, n3 / 2};
  const Input square = numbers({n, n}, xy), striped = numbers({n, n}, cut);
  const double four_sides = borders(block, {2, 2}), two_sides = borders(stripe, {2}), one_side = borders(stripe, {1});
  const double sums_of_blocks = all_gather(8, 8 * 64 * 4), last_rows = 16 * 64 * 4;
  return {
      {"lap_roll", "5-point Laplacian by roll", xy42, {square}, {xy}, of(five_points_by_roll), {four_sides}},
      {"lap_edge",
       "5-point Laplacian: pad edge, slices",
       xy42,
       {square},
       {xy},
       of(five_points_by_edge),
       {four_sides, {}, 167980},
       "A"},
      {"lap_where",
       "5-point Laplacian: roll, where at the border",
       xy42,
       {square},
       {xy},
       of(five_points_by_where),
       {four_sides}},
      {"lap_edge1d",
       "3 points along one dim: pad edge, slices",
       d8,
       {striped},
       {cut},
       of([](const Array& u) { return three_points(u, PadMode::edge); }),
       {two_sides}},
      {"lap_reflect1d",
       "3 points along one dim: pad reflect, slices",
       d8,
       {striped},
       {cut},
       of([](const Array& u) { return three_points(u, PadMode::reflect); }),
       {two_sides, {}, 638976},
       "J"},
      {"lap3_edge",
       "7-point Laplacian in 3 dims: pad edge, slices",
       xyz222,
       {numbers({n3, n3, n3}, xyz)},
       {xyz},
       of(seven_points_by_edge),
       {borders(cube, {2, 2, 2}), {}, 594444},
       "A"},
      {"jacobi_set1d",
       "heat step, at(1:-1).add, one dim",
       d8,
       {striped},
       {cut},
       of(heat_step),
       {two_sides, {}, 117489664},
       "A"},
      {"stag_slices",
       "staggered difference a[1:] - a[:-1]",
       d8,
       {striped},
       {},
       of(staggered),
       {one_side, {}, 16384},
       "A"},
      {"diff_prepend",
       "diff with prepend",
       d8,
       {striped},
       {cut},
       of(difference_with_prepend),
       {one_side, {}, 14809088},
       "A"},
      {"wave10", "wave equation, 10 steps by roll", xy42, {square, square}, {xy, xy}, of(wave), {10 * four_sides}},
      {"life",
       "Game of Life: 8 neighbours by roll of two dims",
       xy42,
       {ids({n, n}, xy, 2)},
       {xy},
       of(life),
       {borders(block, {2, 2}, true), {}, 73728},
       "G"},
      {"redblack_strided",
       "red-black in one dim: strided slices, at.set",
       d8,
       {numbers({even, even}, cut)},
       {cut},
       of(red_black),
       {two_sides, {}, 58767360},
       "B"},  // red reads a row before it, black one behind it
      {"fdtd",
       "Maxwell by at(slices).add",
       xy42,
       {square, square, square},
       {xy, xy, xy},
       of(maxwell),
       {four_sides, {}, 184598528},
       "A"},  // e from behind in both dims, then hx and hy from before in one each
      {"boundary_set", "boundary rows and columns by at.set", xy42, {square}, {xy}, of(with_boundary), {0}},
      {"tv_grad",
       "total variation by diff, value and gradient",
       xy42,
       {square},
       {whole, xy},
       of([](const Array& u) { return value_and_grad(total_variation)(u); }),
       {four_sides + scalar_sum, {}, 20500},
       "A"},
      {"tv_by_roll",
       "squared variation along one dim: roll and a mask",
       d8,
       {striped},
       {whole},
       of(squared_variation_by_roll),
       {one_side + scalar_sum}},
      {"rolling_cumsum",
       "sums of 16 rows as a difference of cumsums",
       d8,
       {numbers({rows, 64}, cut)},
       {},
       of(rolling_sum),
       {sums_of_blocks + last_rows, {}, 14687232},
       "A"},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
