// Solvers on grids: levels of multigrid, conjugate gradients, alternating directions.
#include "real.hpp"

namespace bench::real {
namespace {

Array restricted_by_slices(const Array& u) {
  const auto even = slice(0, none, 2), odd = slice(1, none, 2);
  return 0.25 * (u(even, even) + u(even, odd) + u(odd, even) + u(odd, odd));
}
Array middle_of_next(const Array& u) { return 0.5 * (u + roll(u, -1, 0)); }
Array prolonged_by_stack(const Array& u) {
  return stack({u, middle_of_next(u)}, 1).reshape(2 * u.shape(0), u.shape(1));
}
Array prolonged_by_at(const Array& u) {
  const Array fine = zeros({2 * u.shape(0), u.shape(1)});
  return fine.at(slice(0, none, 2)).set(u).at(slice(1, none, 2)).set(middle_of_next(u));
}

Array conjugate_gradients(const Array& b) {
  auto matrix = [](const Array& u) { return 5 * u - roll(u, 1, 0) - roll(u, -1, 0) - roll(u, 1, 1) - roll(u, -1, 1); };
  auto step = [&](const Array&, const Arrays& c) {
    const Array q = matrix(c[2]), t = c[3] / (c[2] * q).sum();
    const Array x = c[0] + t * c[2], residual = c[1] - t * q, norm = square(residual).sum();
    return Arrays{x, residual, residual + norm / c[3] * c[2], norm};
  };
  return lax::fori_loop(0, 10, step, Arrays{zeros_like(b), b, b, square(b).sum()})[0];
}

Array alternating_directions(const Array& x) {
  const std::int64_t n = x.shape(0);
  const Array side = full({n}, -0.3), low = side.at(0).set(0), middle = full({n}, 2.0), high = side.at(-1).set(0);
  const Array y = linalg::tridiagonal_solve(low, middle, high, x.T()).T();
  return linalg::tridiagonal_solve(low, middle, high, y);
}

}  // namespace

std::vector<Row> grids(const Extents& at) {
  const std::int64_t n = at.fixed(4096, 32), any = at(4096, 32), lines = at(2048, 32);
  const double next_row = borders({any / 8, any}, {1}), four_sides = borders({any / 4, any / 2}, {2, 2});
  const double block = as_double(lines * lines * 4) / 8;
  return {
      {"mg_restrict2",
       "restriction by u[::2] + u[1::2]",
       xy42,
       {numbers({n, n}, xy)},
       {xy},
       of(restricted_by_slices),
       {0, {}, 0},
       "B"},
      {"mg_prolong",
       "linear prolongation: stack and reshape",
       d8,
       {numbers({any, any}, cut)},
       {cut},
       of(prolonged_by_stack),
       {next_row}},
      {"mg_prolong_at",
       "linear prolongation: zeros.at[::2].set, at[1::2].set",
       d8,
       {numbers({any, any}, cut)},
       {cut},
       of(prolonged_by_at),
       {next_row, {}, 117485568},
       "B"},
      {"cg_stencil",
       "conjugate gradients, 10 steps, 5 points by roll",
       xy42,
       {numbers({any, any}, xy)},
       {xy},
       of(conjugate_gradients),
       {10 * (four_sides + 2 * scalar_sum) + scalar_sum}},
      // The array turned so that whole lines lie on a device, and back.
      {"adi",
       "tridiagonal solves along one dim, then the cut one",
       d8,
       {numbers({lines, lines}, cut)},
       {cut},
       of(alternating_directions),
       {2 * all_to_all(8, block), {}, 14680064}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
