// What the homes of linear algebra share: operands are stacks of matrices (the last two dims), which are computed each
// for itself. Leading dims are batch dims: they may be split; those of the matrices may not.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "ir/home.hpp"
#include "ops/linalg/element.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {

// --- types
inline std::int64_t rows_of(const Shape& s) { return s[s.size() - 2]; }
inline std::int64_t cols_of(const Shape& s) { return s.back(); }
/// The leading dims, without the last `core`.
Shape batch_shape(const Shape& shape, int core = 2);
std::int64_t batch_size(const Shape& shape, int core = 2);
/// batch + (extents...).
Shape with_core(Shape batch, std::initializer_list<std::int64_t> core);
/// Raises a TypeError unless operand `i` is float32, float64 or complex, a ShapeError unless it has matrices whose
/// extents LAPACK can count, and square ones where asked.
void check_matrices(const Call& c, std::size_t i, bool square);
/// Raises a ShapeError where LAPACK's room for singular or eigenvalues, a few n^2, would be beyond its 32-bit counts.
void check_room(const Call& c);
/// Raises a ShapeError unless all operands have the same batch dims, `core[i]` dims not counted, and one dtype.
void check_batches(const Call& c, const std::vector<int>& core);

/// Calls f.template operator()<T>() with the element type.
template <class F> void with_matrix_element(DType dtype, F&& f) {
  if (dtype == float32) return f.template operator()<float>();
  if (dtype == float64) return f.template operator()<double>();
  if (dtype == complex64) return f.template operator()<std::complex<float>>();
  if (dtype == complex128) return f.template operator()<std::complex<double>>();
  throw InternalError("no linear algebra for " + std::string(dtype.name()));
}

// --- rules
/// Right-hand sides of a solve: vectors along one of the last two dims of an operand, each for itself, and so along
/// the same dim of result 0.
struct Sides {
  int operand = -1;  // -1: there are none
  int dim = -1;      // from the end
};
/// Batch dims are the same factors everywhere; the last `operand[i]` and `result[i]` dims cannot be split, but for that
/// along which the right-hand sides are listed.
Factors matrix_factors(const Call& c, const std::vector<Type>& results, const std::vector<int>& operand_core,
                       const std::vector<int>& result_core, Sides sides = {});
/// The op over one more batch dim, which every operand gets.
Batched matrix_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                     const BatchAxis& axis);
/// The transpose of the last two dims, without and with a conjugate.
Array turned(const Array& x);
Array adjoint(const Array& x);
/// n x n ones on the diagonal, in the dtype of `like`.
Array identity(std::int64_t n, const Array& like);
/// The diagonal of the last two dims, and a matrix with these on its diagonal.
Array diagonal_of(const Array& x);
Array diagonal_matrix(const Array& d);
/// The real part, also of what is real.
Array real_part(const Array& x);
/// The Hermitian matrix of which the lower (upper) triangle is given.
Array hermitian_from(const Array& x, bool lower);
/// a^-1 b, by a factorization of its own.
Array solved(const Array& a, const Array& b);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
