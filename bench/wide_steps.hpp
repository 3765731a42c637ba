// What some of the cases compute, for what is written by hand beside them.
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
/// A carry that is halved and added to in each step; the carries are stacked.
std::pair<Array, Array> scan_halves(const Array& c, const Array& xs);
/// A counter and what a thousand steps make of x.
std::pair<Array, Array> while_below_1000(const Array& x);
/// 200 steps of Runge and Kutta's method for pendulums (n, 2).
Array pendulums(const Array& ys);
/// In how many of 50 steps each of the points (2, 1024, 1024) stays inside.
Array mandelbrot_counts(const Array& c);
Array mandelbrot_points();

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
