// Particles, chains and circuits.
#include "real.hpp"

namespace bench::real {
namespace {

Array forces(const Array& x, const Array& mass) {
  const Array d = expand_dims(x, 0) - expand_dims(x, 1), r = square(d).sum(-1) + 0.01;
  return (d * expand_dims(mass / (r * sqrt(r)), 2)).sum(1);
}
// [rows, columns, particles of a cell, 2]
Array forces_of_cells(const Array& x) {
  Array f = zeros_like(x);
  for (int i : {-1, 0, 1})
    for (int j : {-1, 0, 1}) {
      const Array d = expand_dims(x, 3) - expand_dims(roll(x, {i, j}, {0, 1}), 2);
      const Array q = square(d).sum(-1, true) + 0.1;
      f = f + (d / (q * q)).sum(3);
    }
  return f;
}
Array field_at(const Array& position, const Array& field) {
  const Array x = position * (as_double(field.shape(0) - 2) / 1.2), part = x - floor(x);
  const Array cell = floor(x).astype(int32);
  Array out = zeros({position.shape(0)});
  for (int dx : {0, 1})
    for (int dy : {0, 1}) {
      const Array wx = dx ? part(all, 0) : 1 - part(all, 0), wy = dy ? part(all, 1) : 1 - part(all, 1);
      out = out + field(cell(all, 0) + dx, cell(all, 1) + dy) * wx * wy;
    }
  return out;
}
Two hamiltonian(const Array& x, const Array& y, const Array& q, const Array& p) {
  auto energy = [&](const Array& q) {
    const Array z = matmul(q, x.T());
    return (nn::softplus(z) - y * z).sum();
  };
  auto step = [&](const Array&, const Two& s) {
    const Array p = s.second - 1e-4 * grad(energy)(s.first);
    return Two{s.first + 1e-3 * p, p};
  };
  return lax::fori_loop(0, 10, step, Two{q, p});
}
Array hadamard_on_all(Array state) {
  const std::int64_t n = state.shape(0);
  const Array h = array({{0.7071f, 0.7071f}, {0.7071f, -0.7071f}}).astype(complex64);
  for (std::int64_t before = 1; before < n; before *= 2)
    state = einsum("ab,mbn->man", {h, state.reshape(before, 2, n / (2 * before))}).reshape(n);
  return state;
}

// Pairs of a 4x2 grid: rows of a pair are gathered over y, columns over x, sums scattered over y.
double bytes_of_pairs(std::int64_t n) {
  const double positions = as_double(n) * 3 * 4, mass = as_double(n) * 4;
  return all_gather(2, positions / 4) + all_gather(4, (positions + mass) / 2) + reduce_scatter(2, positions / 4);
}

}  // namespace

std::vector<Row> particles(const Extents& at) {
  const std::int64_t n = at(16384, 64), cells = at(64, 16), c = at(16, 4), points = at(1 << 20, 256), g = at(256, 16);
  const std::int64_t data = at(65536, 64), chains = at(16, 4), size = at(64, 8), state = at.fixed(1 << 16, 64);
  const PartitionSpec both = P(axes("x", "y"));
  return {
      {"nbody42",
       "N-body, all pairs, bodies over both axes",
       xy42,
       {numbers({n, 3}, both), numbers({n}, both)},
       {both},
       of(forces),
       {bytes_of_pairs(n), {}, 229376}},
      {"md_cells",
       "forces of 9 neighbouring cells by roll",
       xy42,
       {numbers({cells, cells, c, 2}, xy)},
       {xy},
       of(forces_of_cells),
       {borders({cells / 4, cells / 2, c, 2}, {2, 2}, true), {}, 36864},
       "G"},
      {"interp_grid",
       "bilinear read of a whole field at cut particles",
       d8,
       {numbers({points, 2}, cut), numbers({g, g}, whole)},
       {cut},
       of(field_at),
       {0}},
      {"hmc_chains",
       "Hamiltonian steps, chains over y, data over x",
       xy42,
       {numbers({data, size}, P("x")), numbers({data}, P("x")), numbers({chains, size}, P("y")),
        numbers({chains, size}, P("y"))},
       {P("y"), P("y")},
       of(hamiltonian),
       {10 * all_reduce(4, as_double(chains / 2 * size) * 4)}},
      // Three qubits are the device: they change places with local ones, and back.
      {"quantum_flat",
       "Hadamard on each of 16 qubits, reshape and einsum",
       d8,
       {complex_numbers({state}, cut)},
       {cut},
       of(hadamard_on_all),
       {2 * all_to_all(8, as_double(state) * 8 / 8), {}, 196608},
       "K"},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
