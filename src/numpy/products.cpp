// NumPy-like products: matmul, dot, tensordot, einsum and their kin, all by dot_general.
#include <algorithm>
#include <map>
#include <set>

#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

using ops::Dims;

namespace {

std::string operands(const Array& x, const Array& y) { return "lhs " + x.type().str() + " and rhs " + y.type().str(); }
// Checked before the dims are brought together, so that errors show the user's own types.
void check_pair(const char* function, const Array& x, const Array& y, int dx, int dy) {
  std::int64_t a = x.shape()[static_cast<std::size_t>(dx)], b = y.shape()[static_cast<std::size_t>(dy)];
  if (a == b) return;
  bool turned = x.ndim() == 2 && y.ndim() == 2 && y.shape()[static_cast<std::size_t>(1 - dy)] == a;
  raise<ShapeError>(function,
                    "contracting dimensions differ: lhs " + x.type().str() + " dim " + std::to_string(dx) + " is " +
                        std::to_string(a) + ", rhs " + y.type().str() + " dim " + std::to_string(dy) + " is " +
                        std::to_string(b),
                    turned ? "Or did you mean the transpose of rhs? Write .T()." : "The two extents must be equal.");
}
using Preferred = std::optional<DType>;
Array product(const Array& x, const Array& y, const lax::DotDims& dims, Preferred preferred = {}) {
  std::vector<Array> xs = ops::same_dtype({x, y});
  return lax::dot_general(xs[0], xs[1], dims, preferred);
}

Array matmul_of(const Array& a, const Array& b, Preferred preferred) {
  if (a.ndim() == 0 || b.ndim() == 0)
    raise<ShapeError>("matmul", operands(a, b) + ": one is a scalar", "Scalars multiply by *.");
  int na = a.ndim(), nb = b.ndim();
  check_pair("matmul", a, b, na - 1, std::max(nb - 2, 0));
  if (na <= 2 && nb <= 2) return product(a, b, {{na - 1}, {0}, {}, {}}, preferred);
  if (nb <= 2) return product(a, b, {{na - 1}, {0}, {}, {}}, preferred);  // the stack's dims are free dims of lhs
  if (na == 1) return product(a, b, {{0}, {nb - 2}, {}, {}}, preferred);
  Shape left(Dims(a.shape().begin(), a.shape().end() - 2)), right(Dims(b.shape().begin(), b.shape().end() - 2));
  for (int d = 1; d <= std::min(left.ndim(), right.ndim()); ++d) {
    std::int64_t l = left[left.size() - static_cast<std::size_t>(d)],
                 r = right[right.size() - static_cast<std::size_t>(d)];
    if (l != r && l != 1 && r != 1)
      raise<ShapeError>(
          "matmul",
          operands(a, b) + ": the stacks do not broadcast, " + std::to_string(l) + " and " + std::to_string(r),
          "Leading extents must be equal or 1.");
  }
  Shape batch = ops::common_shape("matmul", {left, right});
  auto stacked = [&](const Array& m, const Shape& own) {
    if (own == batch) return m;
    Shape to = batch;
    to.push_back(m.shape()[m.ndim() - 2]);
    to.push_back(m.shape()[m.ndim() - 1]);
    return ops::spread_to(m, to);
  };
  int n = batch.ndim();
  return product(stacked(a, left), stacked(b, right), {{n + 1}, {n}, ops::range(0, n), ops::range(0, n)}, preferred);
}

Array dot_of(const Array& a, const Array& b, Preferred preferred) {
  if (a.ndim() == 0 || b.ndim() == 0) return product(a, b, {}, preferred);
  check_pair("dot", a, b, a.ndim() - 1, std::max(b.ndim() - 2, 0));
  return product(a, b, {{a.ndim() - 1}, {std::max(b.ndim() - 2, 0)}, {}, {}}, preferred);
}

}  // namespace

Array matmul(const In& x, const In& y) {
  CallScope scope(x.loc);
  return matmul_of(x.array, y.array, {});
}
Array matmul_with(const In& x, const In& y, DType preferred_element_type) {
  CallScope scope(x.loc);
  return matmul_of(x.array, y.array, preferred_element_type);
}
Array dot(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return dot_of(x.array, y.array, {});
}
Array dot_with(const In& x, const In& y, DType preferred_element_type) {
  CallScope scope(x.loc);
  return dot_of(x.array, y.array, preferred_element_type);
}
Array vdot(const In& x, const In& y) {
  CallScope scope(x.loc);
  if (x.array.size() != y.array.size())
    raise<ShapeError>("vdot",
                      operands(x.array, y.array) + " have " + std::to_string(x.array.size()) + " and " +
                          std::to_string(y.array.size()) + " elements",
                      "Both need as many.");
  return dot(conj(ravel(x.array)), ravel(y.array));
}
Array inner(const In& x, const In& y) {
  CallScope scope(x.loc);
  if (x.array.ndim() == 0 || y.array.ndim() == 0) return product(x.array, y.array, {});
  check_pair("inner", x.array, y.array, x.array.ndim() - 1, y.array.ndim() - 1);
  return product(x.array, y.array, {{x.array.ndim() - 1}, {y.array.ndim() - 1}, {}, {}});
}
Array outer(const In& x, const In& y) {
  CallScope scope(x.loc);
  return product(ravel(x.array), ravel(y.array), {});
}

Array tensordot(const In& x, const In& y, int n) {
  CallScope scope(x.loc);
  if (n < 0 || n > x.array.ndim() || n > y.array.ndim())
    raise<ShapeError>("tensordot", std::to_string(n) + " dims of " + operands(x.array, y.array),
                      n < 0 ? "Give 0 dims or more." : "Both need that many dims.");
  for (int i = 0; i < n; ++i) check_pair("tensordot", x.array, y.array, x.array.ndim() - n + i, i);
  return product(x.array, y.array, {ops::range(x.array.ndim() - n, x.array.ndim()), ops::range(0, n), {}, {}});
}
Array tensordot(const In& x, const In& y, const std::vector<int>& x_axes, const std::vector<int>& y_axes) {
  CallScope scope(x.loc);
  Dims a, b;
  for (int d : x_axes) a.push_back(ops::normal_axis("tensordot", d, x.array));
  for (int d : y_axes) b.push_back(ops::normal_axis("tensordot", d, y.array));
  if (a.size() != b.size())
    raise<ShapeError>("tensordot",
                      std::to_string(a.size()) + " axes of lhs and " + std::to_string(b.size()) +
                          " of rhs: " + operands(x.array, y.array),
                      "Name as many of either.");
  for (std::size_t i = 0; i < a.size(); ++i)
    check_pair("tensordot", x.array, y.array, static_cast<int>(a[i]), static_cast<int>(b[i]));
  return product(x.array, y.array, {a, b, {}, {}});
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
