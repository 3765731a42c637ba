// Norms and condition numbers.
#include <cmath>

#include "linalg/inexact.hpp"

namespace tutti::linalg {
namespace {

bool is(const Ord& ord, double p) { return ord.number && *ord.number == p; }
bool is_default(const Ord& ord) { return !ord.number && ord.name.empty(); }
std::string text(const Ord& ord) {
  if (!ord.number) return "'" + ord.name + "'";
  const double p = *ord.number;
  return p == std::floor(p) && std::abs(p) < 1e9 ? std::to_string(static_cast<long>(p)) : std::to_string(p);
}
constexpr double infinity = std::numeric_limits<double>::infinity();

// Squares and sums of 16-bit floats overflow long before their roots: these are taken in float32.
bool is_short(const Array& x) { return x.dtype().is_floating() && x.dtype().size() < 4; }

Array frobenius(const Array& x, const Axes& axes, bool keepdims) {
  const Array squares = x.dtype().is_complex() ? square(real(x)) + square(imag(x)) : x * x;
  return sqrt(sum(squares, axes, keepdims));
}
Array largest(const Array& x, const Axes& axes, bool keepdims) {
  return max_with(x, {.axes = axes, .keepdims = keepdims, .initial = 0.});
}

Array of_matrices(const Array& x, const Ord& ord, int rows, int cols, bool keepdims) {
  if (is_default(ord) || ord.name == "fro" || ord.name == "f") return frobenius(x, {rows, cols}, keepdims);
  const bool by_columns = is(ord, 1) || is(ord, -1), by_rows = is(ord, infinity) || is(ord, -infinity);
  if (by_columns || by_rows) {
    const int first = by_columns ? rows : cols, second = by_columns ? cols : rows;
    const Array sums = sum(abs(x), first, true);
    Array out = *ord.number > 0 ? largest(sums, second, true) : min(sums, second, true);
    return keepdims ? out : squeeze(out, {rows, cols});
  }
  if (!is(ord, 2) && !is(ord, -2) && ord.name != "nuc")
    raise<ValueError>("norm", "invalid order " + text(ord) + " for a matrix norm",
                      "Matrices have \"fro\", \"nuc\", 1, -1, 2, -2 and the infinities.");
  const int a = rows, b = cols;
  std::vector<int> order;
  for (int d = 0; d < x.ndim(); ++d)
    if (d != a && d != b) order.push_back(d);
  order.push_back(a);
  order.push_back(b);
  const Array s = lax::linalg::svdvals(transpose(x, order));
  const Array out = ord.name == "nuc" ? sum(s, -1) : is(ord, 2) ? largest(s, -1, false) : min(s, -1);
  return keepdims ? expand_dims(out, std::vector<int>{std::min(a, b), std::max(a, b)}) : out;
}

}  // namespace

Array vector_norm(const In& in, const Ord& ord, const Axes& axes, bool keepdims) {
  CallScope scope(in.loc);
  const Array x = inexact(in.array);
  if (is_short(x)) return vector_norm(x.astype(float32), ord, axes, keepdims).astype(x.dtype());
  if (is_default(ord) || is(ord, 2)) return frobenius(x, axes, keepdims);
  if (!ord.number)
    raise<ValueError>("norm", "invalid order " + text(ord) + " for a vector norm",
                      "Vectors have numbers, infinities too.");
  const double p = *ord.number;
  const Array size = abs(x);
  if (p == infinity) return largest(size, axes, keepdims);
  if (p == -infinity) return min(size, axes, keepdims);
  if (p == 0) return sum(astype(x != zero_of(x), real_dtype(x)), axes, keepdims);
  if (p == 1) return sum(size, axes, keepdims);
  const Array powers = p == std::floor(p) && std::abs(p) < 1e6 ? power(size, static_cast<int>(p)) : power(size, p);
  return power(sum(powers, axes, keepdims), 1 / p);
}

Array norm(const In& in, const Ord& ord, const std::vector<int>& axes, bool keepdims) {
  CallScope scope(in.loc);
  const Array x = inexact(in.array);
  if (is_short(x)) return norm(x.astype(float32), ord, axes, keepdims).astype(x.dtype());
  if (axes.empty() && is_default(ord)) return frobenius(x, all, keepdims);
  std::vector<int> at = axes;
  if (axes.empty())
    for (int d = 0; d < x.ndim(); ++d) at.push_back(d);
  if (at.size() == 1) return vector_norm(x, ord, at[0], keepdims);
  if (at.size() != 2)
    raise<ValueError>("norm", std::to_string(at.size()) + " axes of " + type_text(x),
                      "Give one axis for vectors, two for matrices, or use vector_norm.");
  for (int& a : at) {
    (void)Axes{a}.resolve(x.ndim());
    a += a < 0 ? x.ndim() : 0;
  }
  if (at[0] == at[1])
    raise<ValueError>("norm", "rows and columns are both dim " + std::to_string(at[0]) + " of " + type_text(x),
                      "Name two dims.");
  return of_matrices(x, ord, at[0], at[1], keepdims);
}
Array norm(const In& x, const Ord& ord, int axis, bool keepdims) {
  CallScope scope(x.loc);
  return norm(x.array, ord, std::vector<int>{axis}, keepdims);
}

Array matrix_norm(const In& x, const Ord& ord, bool keepdims) {
  CallScope scope(x.loc);
  need_matrices("matrix_norm", x.array);
  return norm(x.array, ord, std::vector<int>{-2, -1}, keepdims);
}

Array cond(const In& in, const Ord& p) {
  CallScope scope(in.loc);
  const Array x = inexact(need_matrices("cond", in.array));
  if (rows_of(x) == 0 || cols_of(x) == 0)
    raise<ShapeError>("cond", "the matrices of " + type_text(x) + " are empty", "Give matrices with elements.");
  Array out;
  if (is_default(p) || is(p, 2) || is(p, -2)) {
    const Array s = lax::linalg::svdvals(x), first = s(ellipsis, 0), last = s(ellipsis, -1);
    if (!is(p, -2)) return first / last;
    out = last / first;
  } else {
    need_square("cond", x);
    out = norm(x, p, std::vector<int>{-2, -1}) * norm(inv(x), p, std::vector<int>{-2, -1});
  }
  const Array was_nan = any(isnan(x.dtype().is_complex() ? abs(x) : x), {-2, -1});
  return where(isnan(out) & logical_not(was_nan), infinity, out);
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
