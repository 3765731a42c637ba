// Fluids and waves on grids: finite volumes, lattice Boltzmann, spectral steps, spins.
#include "real.hpp"

namespace bench::real {
namespace {

struct Water {
  Array h, hu, hv;
};
Water shifted(const Water& w, int by, int axis) {
  return {roll(w.h, by, axis), roll(w.hu, by, axis), roll(w.hv, by, axis)};
}
Arrays flux_along_0(const Water& w) {
  const Array u = w.hu / (w.h + 1);
  return {w.hu, w.hu * u + 0.5 * w.h * w.h, w.hv * u};
}
Arrays flux_along_1(const Water& w) {
  const Array v = w.hv / (w.h + 1);
  return {w.hv, w.hu * v, w.hv * v + 0.5 * w.h * w.h};
}
// Lax and Friedrichs: the mean of the neighbours less the difference of their fluxes.
Arrays shallow_water_by_states(const Array& h, const Array& hu, const Array& hv) {
  const Water w{h, hu, hv}, n = shifted(w, 1, 0), s = shifted(w, -1, 0), e = shifted(w, -1, 1), o = shifted(w, 1, 1);
  const Arrays fn = flux_along_0(n), fs = flux_along_0(s), ge = flux_along_1(e), go = flux_along_1(o);
  const Arrays mean{n.h + s.h + e.h + o.h, n.hu + s.hu + e.hu + o.hu, n.hv + s.hv + e.hv + o.hv};
  Arrays out;
  for (std::size_t i = 0; i < 3; ++i) out.push_back(0.25 * mean[i] - 0.1 * (fs[i] - fn[i] + ge[i] - go[i]));
  return out;
}
Arrays shallow_water_by_fluxes(const Array& h, const Array& hu, const Array& hv) {
  const Water w{h, hu, hv};
  const Arrays states{h, hu, hv}, f = flux_along_0(w), g = flux_along_1(w);
  Arrays out;
  for (std::size_t i = 0; i < 3; ++i) {
    const Array& u = states[i];
    const Array mean = roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1);
    const Array change = roll(f[i], -1, 0) - roll(f[i], 1, 0) + roll(g[i], -1, 1) - roll(g[i], 1, 1);
    out.push_back(0.25 * mean - 0.1 * change);
  }
  return out;
}
// One dim, walls at both ends: fluxes at the faces between cells.
Array finite_volumes(const Array& u) {
  const Array flux = 0.5 * (square(u(rest)) + square(u(front))) - 0.5 * (u(rest) - u(front));
  return u(inner) - 0.1 * (flux(rest) - flux(front));
}
Array upwind(const Array& u) {
  const Array before = concatenate({zeros({1, u.shape(1)}), u(front)});
  return u - 0.5 * (u - before);
}
Array burgers(const Array& u) { return u - 0.1 * u * gradient(u, {}, 0)[0]; }
Two gradient_of_both(const Array& u) {
  const Arrays g = gradient(u);
  return {g[0], g[1]};
}

// Nine populations, each handed to the neighbour in its direction, then drawn to their mean.
Array lattice_boltzmann(const Array& populations) {
  auto step = [](const Array&, const Array& f) {
    Arrays moved;
    int at = 0;
    for (int i : {0, 1, -1})
      for (int j : {0, 1, -1}) moved.push_back(roll(f(at++), {i, j}, {0, 1}));
    const Array streamed = stack(moved);
    return streamed + 0.5 * (streamed.mean(0, true) - streamed);
  };
  return lax::fori_loop(0, 10, step, populations);
}

// Zeros outside, and a layer at the border that takes energy out.
Two absorbed_wave(const Array& now, const Array& last, const Array& damping) {
  auto step = [&](const Array&, const Two& c) {
    const Array p = pad(c.first, {{1, 1}, {1, 1}});
    const auto before = slice(none, -2), after = slice(2, none);
    const Array change = p(after, inner) + p(before, inner) + p(inner, after) + p(inner, before) - 4 * c.first;
    return Two{damping * (2 * c.first - c.second + 0.1 * change), c.first};
  };
  return lax::fori_loop(0, 10, step, Two{now, last});
}
Array wave_with_borders_set(const Array& u, const Array& last) {
  const Array next = 2 * u(inner) - last(inner) + 0.2 * (u(slice(2, none)) - 2 * u(inner) + u(slice(none, -2)));
  return u.at(inner).set(next).at(0).set(u(1)).at(-1).set(u(-2));
}

Array vorticity_step(const Array& w) {
  const std::int64_t n = w.shape(0);
  const Array kx = expand_dims(fft::fftfreq(n), 1), ky = fft::rfftfreq(n), k2 = kx * kx + ky * ky;
  const Array hat = fft::rfft2(w), stream = hat * where(k2 > 0, 1 / where(k2 > 0, k2, 1), 0);
  auto along = [](const Array& k, const Array& x) { return fft::irfft2(lax::complex(zeros_like(k), k) * x); };
  const Array u = along(ky, stream), v = -along(kx, stream), transport = u * along(kx, hat) + v * along(ky, hat);
  return fft::irfft2((hat - 0.01 * fft::rfft2(transport)) / (1 + 0.01 * k2));
}

Array spins(const Array& start, const Array& chance) {
  const int n = static_cast<int>(start.shape(0));
  const Array color = (expand_dims(arange(n), 1) + arange(n)) % 2;
  Array s = start;
  for (int which : {0, 1}) {
    const Array field = roll(s, 1, 0) + roll(s, -1, 0) + roll(s, 1, 1) + roll(s, -1, 1);
    s = where((color == which) & (chance < exp(-0.5 * s * field)), -s, s);
  }
  return s;
}

}  // namespace

std::vector<Row> flows(const Extents& at) {
  const std::int64_t n = at(4096, 32), lattice = at(2048, 32), even = at.fixed(2048, 32);
  const Input square = numbers({n, n}, xy), striped = numbers({n, n}, cut);
  const double four_sides = borders({n / 4, n / 2}, {2, 2}), two_rows = borders({n / 8, n}, {2}),
               one_row = borders({n / 8, n}, {1});
  const PartitionSpec sites = P(none, "x", "y");
  // Six of nine populations cross each cut dim.
  const double streamed = borders({lattice / 4, lattice / 2}, {6, 6});
  const double half = as_double(even / 8 * ((even / 2 + 1 + 7) / 8 * 8) * 8);
  return {
      {"shallow_states",
       "shallow water: fluxes of rolled states",
       xy42,
       {square, square, square},
       {xy, xy, xy},
       of(shallow_water_by_states),
       {3 * four_sides},
       "G"},
      // Fluxes of what a neighbour sent cost less than their being sent.
      {"shallow_fluxes",
       "shallow water: rolled states and rolled fluxes",
       xy42,
       {square, square, square},
       {xy, xy, xy},
       of(shallow_water_by_fluxes),
       {3 * four_sides},
       "G"},
      {"finite_volumes",
       "fluxes at faces: u[1:], u[:-1], then their differences",
       d8,
       {striped},
       {},
       of(finite_volumes),
       {two_rows},
       "A"},
      {"upwind", "upwind: concatenate(inflow, u[:-1])", d8, {striped}, {cut}, of(upwind), {one_row}},
      {"burgers_gradient", "Burgers by gradient along the cut dim", d8, {striped}, {cut}, of(burgers), {two_rows}, "A"},
      {"gradient42", "gradient along both cut dims", xy42, {square}, {xy, xy}, of(gradient_of_both), {four_sides}, "A"},
      {"lattice_boltzmann",
       "9 populations, 10 steps: rolls in 8 directions, stack",
       xy42,
       {numbers({9, lattice, lattice}, sites)},
       {sites},
       of(lattice_boltzmann),
       {10 * streamed}},
      {"wave_sponge",
       "wave, 10 steps: pad zeros, slices, a damping layer",
       xy42,
       {square, square, square},
       {xy, xy},
       of(absorbed_wave),
       {10 * four_sides}},
      {"wave_borders",
       "wave: at(1:-1).set, borders copied by at(0).set",
       d8,
       {striped, striped},
       {cut},
       of(wave_with_borders_set),
       {two_rows},
       "A"},
      // Forward and back for vorticity, forward for transport, back for four derivatives: seven transforms.
      {"spectral_flow",
       "vorticity: rfft2, four irfft2, rfft2, irfft2",
       d8,
       {numbers({even, even}, cut)},
       {cut},
       of(vorticity_step),
       {7 * all_to_all(8, half)},
       "E"},
      {"ising",
       "spins: two colours by masks, neighbours by roll",
       xy42,
       {square, square},
       {xy},
       of(spins),
       {2 * four_sides}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
