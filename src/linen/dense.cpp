#include <algorithm>

#include "linen/promote.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linen/layers.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::linen {

void promote(Array& x, Array& kernel, Array& bias) {
  std::vector<Array> all{x, kernel};
  if (bias.has_value()) all.push_back(bias);
  DType dtype = result_type(all);
  if (!dtype.is_inexact()) dtype = float32;
  x = x.astype(dtype);
  kernel = kernel.astype(dtype);
  if (bias.has_value()) bias = bias.astype(dtype);
}

Array Dense::operator()(Scope& s, const Array& in) const {
  if (in.ndim() == 0)
    raise<ShapeError>("Dense", "x is " + type_text(in) + ", a scalar", "The last dim of x is its features.");
  Array x = in, kernel = s.param("kernel", kernel_init, {x.shape(-1), features}, param_dtype);
  Array bias = use_bias ? s.param("bias", bias_init, {features}, param_dtype) : Array();
  CallScope scope(Loc::current());
  promote(x, kernel, bias);
  Array y = lax::dot_general(x, kernel, {{x.ndim() - 1}, {0}, {}, {}});
  return use_bias ? y + bias : y;
}

namespace {

using Dims = std::vector<std::int64_t>;

// The axes as positions from the front. `what`: the member that holds them.
Dims positions(const char* what, const std::vector<int>& axes, const Array& x) {
  Dims out;
  for (int a : axes) {
    const int at = a < 0 ? a + x.ndim() : a;
    if (at < 0 || at >= x.ndim() || std::count(out.begin(), out.end(), at))
      raise<IndexError>("DenseGeneral",
                        std::string(what) + " names the axis " + std::to_string(a) + " of " + type_text(x),
                        "Axes are those of x, each of them once; negative ones count from the end.");
    out.push_back(at);
  }
  return out;
}
Shape product_of(const Shape& shape, int first, int last) {
  std::int64_t n = 1;
  for (int d = first; d < last; ++d) n *= shape[d];
  return {n};
}
void append(Shape& to, const Shape& more) {
  for (std::int64_t n : more) to.push_back(n);
}
// Drawn as a matrix, whose rows are what is contracted: so the fan is that of Dense.
Initializer as_matrix(const Initializer& init, int batch_and_rows, bool vector) {
  return [=](const Array& key, const Shape& shape, DType dtype) {
    Shape flat = product_of(shape, 0, batch_and_rows);
    if (vector)
      flat = product_of(shape, 0, shape.ndim());
    else
      append(flat, product_of(shape, batch_and_rows, shape.ndim()));
    return init(key, flat, dtype).reshape(shape);
  };
}

}  // namespace

Array DenseGeneral::operator()(Scope& s, const Array& in) const {
  const Dims rows = positions("axis", axis, in), batch = positions("batch_dims", batch_dims, in);
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (batch[i] != static_cast<std::int64_t>(i) || std::count(rows.begin(), rows.end(), batch[i]))
      raise<ValueError>("DenseGeneral",
                        "batch_dims names the axis " + std::to_string(batch[i]) + " of " + type_text(in),
                        "Batch dims are the leading ones, in order, and are not contracted.");
  Shape lead, contracted, wanted;
  for (std::int64_t d : batch) lead.push_back(in.shape(static_cast<int>(d)));
  for (std::int64_t d : rows) contracted.push_back(in.shape(static_cast<int>(d)));
  for (int n : features) wanted.push_back(n);
  const int rows_end = lead.ndim() + contracted.ndim();
  Shape kernel_shape = lead, bias_shape = lead;
  append(kernel_shape, contracted);
  append(kernel_shape, wanted);
  append(bias_shape, wanted);
  Array x = in, kernel = s.param("kernel", as_matrix(kernel_init, rows_end, false), kernel_shape, param_dtype);
  Array bias = use_bias ? s.param("bias", as_matrix(bias_init, 0, true), bias_shape, param_dtype) : Array();
  CallScope scope(Loc::current());
  promote(x, kernel, bias);
  Dims kernel_batch, kernel_rows;
  for (int d = 0; d < rows_end; ++d) (d < lead.ndim() ? kernel_batch : kernel_rows).push_back(d);
  Array y = lax::dot_general(x, kernel, {rows, kernel_rows, batch, kernel_batch});
  if (!use_bias) return y;
  Shape beside = lead;  // the dims of x that stay have extent 1 in the bias
  while (beside.ndim() < y.ndim() - wanted.ndim()) beside.push_back(1);
  append(beside, wanted);
  return y + bias.reshape(beside);
}

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
