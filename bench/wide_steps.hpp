// Steps of the simulations among the cases, for what is written by hand beside them.
#pragma once

#include "case.hpp"

namespace bench {

/// A step of the lattice Boltzmann method on nine velocities, of densities (9, rows, columns).
Array lattice_step(const Array& f);
/// A step of Conway's game, of cells that are 0 or 1.
Array life_step(const Array& g);
/// Of bodies at x (n, 3).
Array energy(const Array& x);
/// The sum of prices by Black and Scholes: now, strike, years, rate, volatility.
Array option_price(const Array& s, const Array& k, const Array& t, const Array& r, const Array& v);
/// Of the rows `ids` of a table.
Array embedding_loss(const Array& table, const Array& ids);
/// Lloyd's step: the mean of the points that are nearest to each of the centres.
Array kmeans_step(const Array& x, const Array& centers);

}  // namespace bench
