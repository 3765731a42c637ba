// Equidistant numbers, grids of positions, positions as numbers, windows. Source of names and meanings: jax.numpy.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

// --- equidistant numbers

struct LinspaceOptions {
  Dim n = 50;
  bool endpoint = true;
  int axis = 0;  // of the result, where the numbers lie
  std::optional<DType> dtype = {};
};
/// n equidistant numbers from each element of start to that of stop, which broadcast.
Array linspace(const Array& start, const Array& stop, const LinspaceOptions& options = {}, Loc loc = Loc::current());
/// The distance of two of them.
double linspace_step(double start, double stop, std::int64_t n, bool endpoint = true);
/// base^start to base^stop, with equidistant exponents.
Array logspace(const Operand& start, const Operand& stop, Dim n = 50, bool endpoint = true, double base = 10);
Array logspace(const Operand& start, const Operand& stop, const LinspaceOptions& options, double base = 10);
/// start to stop, each the same multiple of the one before it; both have one sign.
Array geomspace(const Operand& start, const Operand& stop, Dim n = 50, bool endpoint = true);
Array geomspace(const Operand& start, const Operand& stop, const LinspaceOptions& options);
/// eye(n).
Array identity(Dim n, DType dtype = float64, Loc loc = Loc::current());

// --- grids

enum class Indexing { xy, ij };
constexpr Choices choices_of(Indexing) { return {"meshgrid", "indexing", "xy ij"}; }
struct MeshgridOptions {
  OneOf<Indexing> indexing = Indexing::xy;  // xy: the first vector varies along dim 1
  bool sparse = false;                      // extents of 1 instead of repeated numbers
};
/// An array for each vector, which varies along its own dim: meshgrid({x, y})[0][i, j] is x[j].
std::vector<Array> meshgrid(const ArrayList& vectors, const MeshgridOptions& options = {});
/// The position along each dim: [ndim, ...dimensions]; `sparse`: meshgrid's.
Array indices(const Shape& dimensions, DType dtype = canonical(int64), Loc loc = Loc::current());
std::vector<Array> sparse_indices(const Shape& dimensions, DType dtype = canonical(int64), Loc loc = Loc::current());
/// Vectors as an open grid: the ith has its extent in dim i, 1 elsewhere. Bools stand for the positions of true.
std::vector<Array> ix_(const ArrayList& vectors);
/// Rows and columns of the elements at and below (above) diagonal k of a matrix[n, m]; m = n when left out.
std::pair<Array, Array> tril_indices(Dim n, Dim k = 0, std::optional<Dim> m = {}, Loc loc = Loc::current());
std::pair<Array, Array> triu_indices(Dim n, Dim k = 0, std::optional<Dim> m = {}, Loc loc = Loc::current());
/// The same for a matrix.
std::pair<Array, Array> tril_indices_from(const In& x, Dim k = 0);
std::pair<Array, Array> triu_indices_from(const In& x, Dim k = 0);
/// Positions on the main diagonal: `ndim` times 0 to n - 1.
std::vector<Array> diag_indices(Dim n, int ndim = 2, Loc loc = Loc::current());
std::vector<Array> diag_indices_from(const In& x);
/// The positions in each dim of a flat position; negative ones count from the end, what is out of range is clipped.
std::vector<Array> unravel_index(const In& indices, const Shape& shape);
enum class RavelMode { raise, wrap, clip, ignore };
constexpr Choices choices_of(RavelMode) { return {"ravel_multi_index", "mode", "raise wrap clip ignore"}; }
/// The flat position of positions in each dim; `fortran`: the first dim is the fastest. RavelMode::raise throws
/// ValueError for what is out of range, and needs concrete arrays.
Array ravel_multi_index(const ArrayList& indices, const Shape& shape, OneOf<RavelMode> mode = RavelMode::raise,
                        bool fortran = false);
/// A matrix with the flat x on diagonal k.
Array diagflat(const In& x, Dim k = 0);

// --- windows of n numbers: 0 to 1 and back

Array bartlett(Dim n, Loc loc = Loc::current());
Array blackman(Dim n, Loc loc = Loc::current());
Array hamming(Dim n, Loc loc = Loc::current());
Array hanning(Dim n, Loc loc = Loc::current());
/// Kaiser's window: i0(beta sqrt(1 - t^2)) / i0(beta), t from -1 to 1.
Array kaiser(Dim n, const Operand& beta);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
