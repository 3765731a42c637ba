#include "ops/linalg/qr_across.hpp"

#include "array/literal.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/linalg/cholesky.hpp"
#include "ops/linalg/matrix.hpp"
#include "ops/linalg/qr.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "tutti/lax/complex.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

struct Factored {
  Array q, r;
};
Factored factored(const Array& a) {
  const Arrays out = tutti::bind(qr, QrForm{false}, {a});
  return {out[0], out[1]};
}

Array spread(const Array& scalar, const Shape& shape) { return lax::broadcast_in_dim(scalar, shape, {}); }

// `n` of the rows from `first` on.
Array rows_from(const Array& x, const Array& first, std::int64_t n) {
  Arrays operands(static_cast<std::size_t>(x.ndim()) + 1, literal(int32, 0));
  operands[0] = x;
  operands[static_cast<std::size_t>(x.ndim()) - 1] = first;
  Shape sizes = x.shape();
  sizes[sizes.ndim() - 2] = n;
  return bind1(dynamic_slice, DynamicSlice{sizes}, operands);
}

// Rows times numbers, and columns times numbers.
Array times_rows(const Array& x, const Array& by) {
  return lax::mul(x, lax::broadcast_in_dim(by, x.shape(), range(0, x.ndim() - 1)));
}
Array times_columns(const Array& x, const Array& by) {
  Dims dims = range(0, x.ndim() - 1);
  dims.back() = x.ndim() - 1;
  return lax::mul(x, lax::broadcast_in_dim(by, x.shape(), dims));
}

// What a number is multiplied with to be real and at least 0, of the modulus 1.
Array back_to_positive(const Array& z) {
  const Array size = abs(z), none = lax::eq(size, zeros(size.type()));
  auto ones = [](const Type& t) { return spread(literal(t.dtype, 1), t.shape); };
  const Array over = lax::select(none, ones(size.type()), size);
  const Array by =
      z.dtype() == over.dtype() ? over : bind1(convert_element_type, ConvertElementType{z.dtype(), false}, {over});
  const Array unit = lax::div(tutti::conj(z), by);
  return lax::select(none, ones(z.type()), unit);
}

// The block, with zeros in rows that are padding.
Array without_padding(const Array& x, const Line& line) {
  const std::int64_t block = x.shape()[line.dim];
  if (block * line.blocks == line.extent) return x;
  const Array left = lax::sub(literal(int32, static_cast<double>(line.extent)),
                              lax::mul(line.position(), literal(int32, static_cast<double>(block))));
  return lax::select(lax::lt(lax::iota(int32, x.shape(), line.dim), spread(left, x.shape())), x, zeros(x.type()));
}

// The diagonal that reflections make of columns q that are orthonormal: its elements are 1 or -1. They depend on the
// first rows, `top`, and on lengths of columns alone, so that the rows below may be any with the same products.
Array diagonal_of_reflections(const Array& top) {
  const std::int64_t n = cols_of(top.shape());
  const double little = real_dtype(top.dtype()) == float64 ? 1e-12 : 1e-5;
  const Shape square{n, n};
  const Array on = lax::eq(lax::iota(int32, square, 0), lax::iota(int32, square, 1));
  const Array more = lax::select(on, spread(literal(top.dtype(), 1 + little), square), zeros(top.dtype(), square));
  const Dims last = range(top.ndim() - 2, top.ndim());
  const Array products = lax::sub(lax::broadcast_in_dim(more, top.shape(), last), matmul(adjoint(top), top));
  const Array below = adjoint(bind1(cholesky, {}, {products}));
  return diagonal_of(factored(lax::concatenate({top, below}, top.ndim() - 2)).r);
}

}  // namespace

std::shared_ptr<const Across> qr_across() {
  Across out;
  out.padded = true;
  out.run = [](const Call&, const Arrays& blocks, const Line& line) -> Arrays {
    const std::int64_t n = cols_of(blocks[0].shape());
    const int rows = blocks[0].ndim() - 2;
    const Factored here = factored(without_padding(blocks[0], line));
    // [blocks, ..., n, n] -> [..., blocks * n, n]
    const Array triangles = line.gathered(here.r);
    Dims order = range(1, rows + 1);
    order.push_back(0);
    order.push_back(rows + 1);
    order.push_back(rows + 2);
    Shape stacked = here.r.shape();
    stacked[rows] = line.blocks * n;
    const Factored all = factored(lax::reshape(lax::transpose(triangles, order), stacked));
    const Array first = lax::mul(line.position(), literal(int32, static_cast<double>(n)));
    Array q = matmul(here.q, rows_from(all.q, first, n)), r = all.r;
    const Array unit = back_to_positive(diagonal_of(r));
    r = times_rows(r, unit);
    q = times_columns(q, tutti::conj(unit));
    // The first rows of all are those of the first device.
    const Array signs = diagonal_of_reflections(rows_from(q, literal(int32, 0), n));
    const Array is_first = spread(lax::eq(line.position(), literal(int32, 0)), signs.shape());
    const Array turned = back_to_positive(line.summed(lax::select(is_first, signs, zeros(signs.type()))));
    return {times_columns(q, turned), times_rows(r, tutti::conj(turned))};
  };
  out.received = [](const Call& c, int dim, std::int64_t blocks) -> std::optional<double> {
    const Type& a = c.operands[0];
    const std::int64_t n = cols_of(a.shape);
    if (dim != a.ndim() - 2 || c.get<QrForm>().full || n == 0 || rows_of(a.shape) < n) return std::nullopt;
    const auto others = static_cast<double>(blocks - 1);
    const auto columns = static_cast<double>(batch_size(a.shape) * n * a.dtype.size());
    return others * static_cast<double>(n) * columns + 2 * others / static_cast<double>(blocks) * columns;
  };
  return std::make_shared<const Across>(std::move(out));
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
