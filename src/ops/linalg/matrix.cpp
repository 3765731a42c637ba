#include "ops/linalg/matrix.hpp"

#include "ops/linalg/lu.hpp"
#include "ops/linalg/solve.hpp"
#include "tutti/lax/complex.hpp"

namespace tutti::ops {

Shape batch_shape(const Shape& shape, int core) {
  return Shape(Dims(shape.begin(), shape.end() - std::min(core, shape.ndim())));
}
std::int64_t batch_size(const Shape& shape, int core) { return batch_shape(shape, core).num_elements(); }
Shape with_core(Shape batch, std::initializer_list<std::int64_t> core) {
  for (std::int64_t d : core) batch.push_back(d);
  return batch;
}
void check_matrices(const Call& c, std::size_t i, bool square) {
  const Type& t = c.operands[i];
  if (t.dtype != float32 && t.dtype != float64 && !t.dtype.is_complex())
    raise<TypeError>(c.op.name, "does not take " + t.str(),
                     "It takes float32, float64, complex64 and complex128: convert with astype().");
  if (t.ndim() < 2)
    raise<ShapeError>(c.op.name, t.str() + " is no matrix", "It needs two dims or more: the last two are the matrix.");
  if (square && rows_of(t.shape) != cols_of(t.shape))
    raise<ShapeError>(c.op.name, "the matrices of " + t.str() + " are not square",
                      "The last two extents must be equal.");
  for (std::int64_t d : {rows_of(t.shape), cols_of(t.shape)})
    if (d > INT32_MAX / 64)
      raise<ShapeError>(c.op.name, t.str() + " has an extent that LAPACK does not count",
                        "Extents of matrices are at most " + std::to_string(INT32_MAX / 64) + ".");
}

void check_room(const Call& c) {
  constexpr std::int64_t kMost = 20000;
  const Type& a = c.operands[0];
  if (std::min(rows_of(a.shape), cols_of(a.shape)) > kMost)
    raise<ShapeError>(c.op.name, a.str() + " is too large for LAPACK",
                      "The smaller extent is at most " + std::to_string(kMost) + ".");
}

void check_batches(const Call& c, const std::vector<int>& core) {
  const Type& first = c.operands[0];
  for (std::size_t i = 1; i < core.size(); ++i) {
    const Type& t = c.operands[i];
    if (t.dtype.is_inexact() && t.dtype != first.dtype)
      raise<TypeError>(c.op.name, "operands are " + first.str() + " and " + t.str(), "Convert them to one dtype.");
    if (batch_shape(t.shape, core[i]) != batch_shape(first.shape, core[0]) || t.ndim() < core[i])
      raise<ShapeError>(c.op.name, "the leading dims of " + first.str() + " and " + t.str() + " differ",
                        "Broadcast one of them, or use the functions of tutti::linalg, which do.");
  }
}

Factors matrix_factors(const Call& c, const std::vector<Type>& results, const std::vector<int>& operand_core,
                       const std::vector<int>& result_core, Sides sides) {
  FactorBuilder b(c, results);
  const int batch = c.operands[0].ndim() - operand_core[0];
  for (int d = 0; d < batch; ++d) {
    const int factor = b.add(c.operands[0].shape[d]);
    for (auto& dims : b.f.operands) dims[d] = {factor};
    for (auto& dims : b.f.results) dims[d] = {factor};
  }
  const int side = sides.operand < 0 ? -1 : results[0].ndim() + sides.dim;
  if (side >= 0) b.share(sides.operand, side, side, results[0].shape[side]);
  for (int i = 0; i < std::ssize(c.operands); ++i)
    for (int d = c.operands[i].ndim() - operand_core[i]; d < c.operands[i].ndim(); ++d)
      if (i != sides.operand || d != side) b.fixed_operand(i, d, c.operands[i].shape[d]);
  for (int i = 0; i < std::ssize(results); ++i)
    for (int d = results[i].ndim() - result_core[i]; d < results[i].ndim(); ++d)
      if (i != 0 || d != side) b.fixed_result(d, results[i].shape[d], i);
  return b.f;
}

Batched matrix_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  std::vector<Array> all;
  for (std::size_t i = 0; i < operands.size(); ++i) all.push_back(batched(operands[i], mapped[i], axis.size));
  std::vector<Array> out = tutti::bind(c.op, c.params, std::move(all));
  return {out, std::vector<bool>(out.size(), true)};
}

Array turned(const Array& x) { return swapaxes(x, -1, -2); }
Array adjoint(const Array& x) { return tutti::conj(turned(x)); }
Array identity(std::int64_t n, const Array& like) {
  const Shape shape{n, n};
  return lax::convert_element_type(lax::eq(lax::iota(int32, shape, 0), lax::iota(int32, shape, 1)), like.dtype());
}

namespace {

Array on_diagonal(std::int64_t n) {
  const Shape shape{n, n};
  return lax::eq(lax::iota(int32, shape, 0), lax::iota(int32, shape, 1));
}

}  // namespace

Array diagonal_of(const Array& x) {
  // Every (n + 1)th element: a strided reading of the matrix.
  const std::int64_t n = std::min(rows_of(x.shape()), cols_of(x.shape())), cols = cols_of(x.shape());
  Shape flat = batch_shape(x.shape());
  const int last = flat.ndim();
  if (n == 0)
    return lax::reshape(lax::slice(x, Dims(x.ndim(), 0), with_core(flat, {0, 0}).dims()), with_core(flat, {0}));
  flat.push_back(rows_of(x.shape()) * cols);
  Dims start(flat.size(), 0), limit = flat.dims(), strides(flat.size(), 1);
  limit[last] = (n - 1) * (cols + 1) + 1;
  strides[last] = cols + 1;
  return lax::slice(lax::reshape(x, flat), start, limit, strides);
}
Array diagonal_matrix(const Array& d) {
  const std::int64_t n = d.shape().back();
  return where(on_diagonal(n), expand_dims(d, -1), zeros(d.dtype(), Shape{}));
}
Array real_part(const Array& x) { return x.dtype().is_complex() ? lax::real(x) : x; }

Array hermitian_from(const Array& x, bool lower) {
  Array half = lower ? tril(x, -1) : triu(x, 1);
  return half + adjoint(half) + diagonal_matrix(lax::convert_element_type(real_part(diagonal_of(x)), x.dtype()));
}

Array solved(const Array& a, const Array& b) {
  std::vector<Array> factors = tutti::bind(lu, {}, {a});
  return bind1(solve, Solve{}, {a, factors[0], factors[1], b});
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
