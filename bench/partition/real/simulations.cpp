// Particles and fields, rings of bodies, sampling, gates.
#include <cmath>

#include "real.hpp"

namespace bench::real {
namespace {

Array pulls(const Array& x, const Array& others, const Array& mass) {
  const Array d = expand_dims(others, 1) - expand_dims(x, 2), r = square(d).sum(-1) + 0.01;
  return (d * expand_dims(expand_dims(mass, 1) / (r * sqrt(r)), 3)).sum(2);
}
// [blocks, bodies, 3]: every block meets the others as they go round.
Array ring_of_bodies(const Array& x, const Array& mass) {
  Array others = x, weights = mass, force = pulls(x, others, weights);
  for (int i = 1; i < 8; ++i) {
    others = roll(others, 1, 0);
    weights = roll(weights, 1, 0);
    force = force + pulls(x, others, weights);
  }
  return force;
}
Array ring_by_loop(const Array& x, const Array& mass) {
  auto step = [&](const Array&, const Arrays& c) {
    const Array others = roll(c[0], 1, 0), weights = roll(c[1], 1, 0);
    return Arrays{others, weights, c[2] + pulls(x, others, weights)};
  };
  return lax::fori_loop(0, 7, step, Arrays{x, mass, pulls(x, x, mass)})[2];
}

struct Corner {
  Array i, j, weight;
};
std::vector<Corner> corners(const Array& position, std::int64_t g) {
  const Array x = position * as_double(g - 2), part = x - floor(x), cell = floor(x).astype(int32);
  std::vector<Corner> out;
  for (int dx : {0, 1})
    for (int dy : {0, 1}) {
      const Array wx = dx ? part(all, 0) : 1 - part(all, 0), wy = dy ? part(all, 1) : 1 - part(all, 1);
      out.push_back({cell(all, 0) + dx, cell(all, 1) + dy, wx * wy});
    }
  return out;
}
Function charge_by_at(std::int64_t g) {
  return of([=](const Array& position) {
    Array field = zeros({g, g});
    for (const Corner& c : corners(position, g)) field = field.at(c.i, c.j).add(c.weight);
    return field;
  });
}
Function charge_by_segments(std::int64_t g) {
  return of([=](const Array& position) {
    Array field = zeros({g * g});
    for (const Corner& c : corners(position, g))
      field = field + segment_sum(c.weight, c.i * static_cast<int>(g) + c.j, g * g);
    return field.reshape(g, g);
  });
}
Function charge_by_bincount(std::int64_t g) {
  return of([=](const Array& position) {
    Arrays places, weights;
    for (const Corner& c : corners(position, g)) {
      places.push_back(c.i * static_cast<int>(g) + c.j);
      weights.push_back(c.weight);
    }
    return bincount(concatenate(places), {.weights = concatenate(weights), .length = g * g}).reshape(g, g);
  });
}
// Positions whole, what each particle's neighbours do to it.
Array forces_of_neighbours(const Array& x, const Array& neighbours) {
  const Array d = x(neighbours) - expand_dims(x, 1), q = square(d).sum(-1, true) + 0.1;
  return (d / (q * q)).sum(1);
}
Two leapfrog(const Array& x, const Array& v, const Array& neighbours) {
  auto step = [&](const Array&, const Two& s) {
    const Array v = s.second + 1e-3 * forces_of_neighbours(s.first, neighbours);
    return Two{s.first + 1e-3 * v, v};
  };
  return lax::fori_loop(0, 10, step, Two{x, v});
}
// Draws with replacement from a whole sample.
Array bootstrap_means(const Array& draws, const Array& sample) { return sample(draws).mean(1); }
Array metropolis(const Array& start, const Array& steps, const Array& chances) {
  auto energy = [](const Array& x) { return square(x).sum(-1); };
  auto step = [&](const Array& x, const std::pair<Array, Array>& in) {
    const Array next = x + in.first, accepted = in.second < exp(energy(x) - energy(next));
    return std::pair{where(expand_dims(accepted, 1), next, x), accepted.astype(float32).mean()};
  };
  const auto [last, rate] = lax::scan(step, start, std::pair{steps, chances});
  return concatenate({last.mean(0), rate.mean().reshape(1)});
}
Array gates_on_axes(Array state) {
  const Array h = array({{0.7071f, 0.7071f}, {0.7071f, -0.7071f}}).astype(complex64);
  for (int k = 0; k < state.ndim(); ++k) state = moveaxis(tensordot(h, state, {1}, {k}), 0, k);
  return state;
}
// A phase for every pair of neighbouring bits that are both 1.
Array phases(const Array& state) {
  const Array at = arange(state.shape(0));
  const Array both = ((at & (at >> 1)) & 0x5555).astype(float32);
  return state * lax::complex(cos(both), sin(both));
}

}  // namespace

std::vector<Row> simulations(const Extents& at) {
  const std::int64_t bodies = at(2048, 8), points = at(1 << 20, 256), g = at(256, 16), atoms = at(65536, 64),
                     near = at(32, 4);
  const std::int64_t draws = at(1024, 16), sample = at(65536, 64), chains = at(4096, 16), d = at(16, 4),
                     steps = at(64, 4);
  const int qubits = static_cast<int>(at.fixed(16, 6));
  const Input positions = numbers({points, 2}, cut), field = numbers({8, bodies, 3}, cut),
              mass = numbers({8, bodies}, cut);
  const double ring = 7 * as_double(bodies) * (3 + 1) * 4, charges = all_reduce(8, as_double(g * g) * 4);
  const double of_atoms = all_gather(8, as_double(atoms) * 3 * 4);
  const PartitionSpec first_three = P("x", "y", "z");
  const Input atoms_cut = numbers({atoms, 3}, cut), lists = ids({atoms, near}, cut, atoms);
  return {
      {"nbody_ring",
       "N-body: blocks of bodies go round, roll unrolled",
       d8,
       {field, mass},
       {cut},
       of(ring_of_bodies),
       {ring}},
      {"nbody_ring_loop",
       "N-body: blocks of bodies go round, roll in fori_loop",
       d8,
       {field, mass},
       {cut},
       of(ring_by_loop),
       {ring}},
      {"charge_at",
       "charges of cut particles: field.at(i, j).add",
       d8,
       {positions},
       {whole},
       charge_by_at(g),
       {charges},
       "C"},
      {"charge_segments",
       "charges: segment_sum at i * g + j",
       d8,
       {positions},
       {whole},
       charge_by_segments(g),
       {charges},
       "C"},
      {"charge_bincount",
       "charges: one bincount of all corners",
       d8,
       {positions},
       {whole},
       charge_by_bincount(g),
       {charges},
       "J"},
      {"md_neighbours",
       "forces by lists of neighbours, atoms cut",
       d8,
       {atoms_cut, lists},
       {cut},
       of(forces_of_neighbours),
       {of_atoms}},
      {"md_leapfrog",
       "10 steps with lists of neighbours, atoms cut",
       d8,
       {atoms_cut, atoms_cut, lists},
       {cut, cut},
       of(leapfrog),
       {10 * of_atoms}},
      {"bootstrap",
       "means of draws with replacement, draws cut",
       d8,
       {ids({draws, sample}, cut, sample), numbers({sample}, whole)},
       {cut},
       of(bootstrap_means),
       {0}},
      {"metropolis",
       "Metropolis steps by scan, chains cut, means",
       d8,
       {numbers({chains, d}, cut), numbers({steps, chains, d}, second), numbers({steps, chains}, second)},
       {whole},
       of(metropolis),
       {all_reduce(8, as_double(d + 1) * 4)}},
      // Three qubits are axes of the mesh: they change places with local ones, and back.
      {"quantum_axes",
       "Hadamard on each of 16 axes by tensordot and moveaxis",
       xyz222,
       {complex_numbers(Shape(std::vector<std::int64_t>(static_cast<std::size_t>(qubits), 2)), first_three)},
       {first_three},
       of(gates_on_axes),
       {2 * all_to_all(8, std::exp2(qubits) * 8 / 8)},
       "K"},
      {"quantum_phases",
       "phases by bits of arange, flat state cut",
       d8,
       {complex_numbers({std::int64_t{1} << qubits}, cut)},
       {cut},
       of(phases),
       {0}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
