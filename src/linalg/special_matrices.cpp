#include "tutti/linalg/special_matrices.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "linalg/inexact.hpp"

namespace tutti::linalg {
namespace {

const Array& vector_of(const char* function, const Array& x, std::int64_t least = 1) {
  if (x.ndim() < 1 || cols_of(x) < least)
    raise<ShapeError>(function, "the vector is " + type_text(x),
                      "Its last dim has " + std::to_string(least) + " elements or more.");
  return x;
}
void check_order(const char* function, const Dim& n) {
  if (n.value < 1) raise<ValueError>(function, "the order is " + std::to_string(n.value), "Give 1 or more.");
}
// [..., rows, cols] of the vector's elements at places(i, j), zeros where a place is negative.
Array picked(const Array& x, std::int64_t rows, std::int64_t cols,
             const std::function<std::int64_t(std::int64_t, std::int64_t)>& place) {
  std::vector<int> at;
  std::vector<bool> inside;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const std::int64_t k = place(i, j);
      at.push_back(static_cast<int>(std::max<std::int64_t>(k, 0)));
      inside.push_back(k >= 0);
    }
  const Array values = take(x, array(at, Shape{rows, cols}), -1, TakeMode::clip);
  return where(array(inside, Shape{rows, cols}), values, 0);
}
using Formula = std::function<double(std::int64_t, std::int64_t)>;
Array computed(std::int64_t rows, std::int64_t cols, const Formula& f) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) values.push_back(f(i, j));
  return array(values, Shape{rows, cols});
}
double binomial(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return 0;
  double out = 1;  // each step is a whole number
  for (std::int64_t i = 1; i <= std::min(k, n - k); ++i)
    out = out * static_cast<double>(n - std::min(k, n - k) + i) / static_cast<double>(i);
  return std::round(out);
}
double sign_of(std::int64_t k) { return k % 2 ? -1 : 1; }

}  // namespace

Array circulant(const In& c) {
  CallScope scope(c.loc);
  const std::int64_t n = cols_of(vector_of("circulant", c.array));
  return picked(c.array, n, n, [n](std::int64_t i, std::int64_t j) { return (i - j + n) % n; });
}
Array hankel(const In& c) {
  CallScope scope(c.loc);
  return hankel(c.array, zeros_like(vector_of("hankel", c.array)));
}
Array hankel(const In& c, const In& r) {
  CallScope scope(c.loc);
  vector_of("hankel", r.array);
  const auto [column, row] = same_batch("hankel", vector_of("hankel", c.array), r.array, 1, 1);
  const Array values = concatenate({column, row(ellipsis, slice(1, none))}, -1);
  return picked(values, cols_of(column), cols_of(row), [](std::int64_t i, std::int64_t j) { return i + j; });
}
Array companion(const In& a) {
  CallScope scope(a.loc);
  const Array x = inexact(vector_of("companion", a.array, 2));
  const std::int64_t n = cols_of(x) - 1;
  const Array first = expand_dims(-x(ellipsis, slice(1, none)) / x(ellipsis, slice(0, 1)), -2);
  const Array below = broadcast_to(eye(n - 1, n, 0, x.dtype()), joined(batch_of(x, 1), {n - 1, n}));
  return concatenate({first, below}, -2);
}
Array fiedler_companion(const In& a) {
  CallScope scope(a.loc);
  const Array x = inexact(vector_of("fiedler_companion", a.array));
  const std::int64_t n = cols_of(x) - 1;
  if (n == 0) return zeros(joined(batch_of(x, 1), {0, 0}), x.dtype());
  // 1 and the coefficients, of which the pattern takes each once.
  const Array values =
      concatenate({ones_like(x(ellipsis, slice(0, 1))), -x(ellipsis, slice(1, none)) / x(ellipsis, slice(0, 1))}, -1);
  return picked(values, n, n, [](std::int64_t i, std::int64_t j) -> std::int64_t {
    if (i == 0 && j == 0) return 1;
    if (i == 1 && j == 0) return 0;
    if (i % 2 == 0) {
      if (j == i + 1) return i + 2;
      if (j == i + 2) return 0;
      if (i >= 2 && j == i - 1) return i + 1;
    } else if (i >= 3 && j == i - 2) {
      return 0;
    }
    return -1;
  });
}
Array fiedler(const In& a) {
  CallScope scope(a.loc);
  const Array& x = vector_of("fiedler", a.array);
  return abs(expand_dims(x, -1) - expand_dims(x, -2));
}
Array leslie(const In& f, const In& s) {
  CallScope scope(f.loc);
  const std::int64_t n = cols_of(vector_of("leslie", f.array, 2));
  if (s.array.ndim() < 1 || cols_of(s.array) != n - 1)
    raise<ShapeError>("leslie", "f is " + type_text(f.array) + ", s " + type_text(s.array), "s is shorter by one.");
  const auto [first, rates] = same_batch("leslie", f.array, s.array, 1, 1);
  const Array below = picked(rates, n - 1, n, [](std::int64_t i, std::int64_t j) { return i == j ? i : -1; });
  return concatenate({expand_dims(first, -2), below}, -2);
}
Array convolution_matrix(const In& a, Dim n, OneOf<ConvolveMode> mode) {
  CallScope scope(a.loc);
  check_order("convolution_matrix", n);
  const std::int64_t m = cols_of(vector_of("convolution_matrix", a.array)), cols = n.value, all_rows = m + cols - 1;
  const std::int64_t less = std::min(m, cols) - 1;
  const std::int64_t before = mode == ConvolveMode::full ? 0 : mode == ConvolveMode::same ? less / 2 : less;
  const std::int64_t after = mode == ConvolveMode::full ? 0 : mode == ConvolveMode::same ? less - less / 2 : less;
  return picked(a.array, all_rows - before - after, cols, [=](std::int64_t i, std::int64_t j) {
    const std::int64_t k = i + before - j;
    return k < m ? k : -1;
  });
}

Array dft(Dim n, OneOf<DftScale> scale, Loc loc) {
  CallScope scope(loc, {"", "linalg::dft", 0});
  check_order("dft", n);
  const double by = static_cast<double>(n.value);
  const double factor = scale == DftScale::sqrtn ? 1 / std::sqrt(by) : scale == DftScale::n ? 1 / by : 1;
  auto angle = [&](std::int64_t i, std::int64_t j) {
    return -2 * std::numbers::pi * static_cast<double>(i * j % n.value) / by;
  };
  return lax::complex(
      computed(n.value, n.value, [&](std::int64_t i, std::int64_t j) { return factor * std::cos(angle(i, j)); }),
      computed(n.value, n.value, [&](std::int64_t i, std::int64_t j) { return factor * std::sin(angle(i, j)); }));
}
Array hadamard(Dim n, DType dtype, Loc loc) {
  CallScope scope(loc, {"", "linalg::hadamard", 0});
  check_order("hadamard", n);
  if (n.value & (n.value - 1))
    raise<ValueError>("hadamard", "the order is " + std::to_string(n.value), "Give a power of 2.");
  return computed(n.value, n.value,
                  [](std::int64_t i, std::int64_t j) {
                    return __builtin_parityll(static_cast<unsigned long long>(i & j)) ? -1. : 1.;
                  })
      .astype(dtype);
}
Array helmert(Dim n, bool full_matrix, Loc loc) {
  CallScope scope(loc, {"", "linalg::helmert", 0});
  check_order("helmert", n);
  const double root = 1 / std::sqrt(static_cast<double>(n.value));
  const std::int64_t first = full_matrix ? 0 : 1;
  return computed(n.value - first, n.value, [=](std::int64_t row, std::int64_t j) {
    const std::int64_t i = row + first;
    if (i == 0) return root;
    const double k = static_cast<double>(i), size = std::sqrt(k * (k + 1));
    return j < i ? 1 / size : j == i ? -k / size : 0;
  });
}
Array hilbert(Dim n, Loc loc) {
  CallScope scope(loc, {"", "linalg::hilbert", 0});
  check_order("hilbert", n);
  return computed(n.value, n.value, [](std::int64_t i, std::int64_t j) { return 1 / static_cast<double>(i + j + 1); });
}
Array invhilbert(Dim order, Loc loc) {
  CallScope scope(loc, {"", "linalg::invhilbert", 0});
  check_order("invhilbert", order);
  const std::int64_t n = order.value;
  return computed(n, n, [n](std::int64_t i, std::int64_t j) {
    return sign_of(i + j) * static_cast<double>(i + j + 1) * binomial(n + i, n - j - 1) * binomial(n + j, n - i - 1) *
           std::pow(binomial(i + j, i), 2);
  });
}
Array pascal(Dim n, OneOf<PascalKind> kind, Loc loc) {
  CallScope scope(loc, {"", "linalg::pascal", 0});
  check_order("pascal", n);
  const PascalKind which = kind;
  return computed(n.value, n.value, [which](std::int64_t i, std::int64_t j) {
    return which == PascalKind::symmetric ? binomial(i + j, i)
           : which == PascalKind::lower   ? binomial(i, j)
                                          : binomial(j, i);
  });
}
Array invpascal(Dim n, OneOf<PascalKind> kind, Loc loc) {
  CallScope scope(loc, {"", "linalg::invpascal", 0});
  check_order("invpascal", n);
  const PascalKind which = kind;
  return computed(n.value, n.value, [which, order = n.value](std::int64_t i, std::int64_t j) {
    if (which != PascalKind::symmetric)
      return sign_of(i + j) * (which == PascalKind::lower ? binomial(i, j) : binomial(j, i));
    double out = 0;
    for (std::int64_t k = std::max(i, j); k < order; ++k) out += binomial(k, i) * binomial(k, j);
    return sign_of(i + j) * out;
  });
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
