#include "tutti/linalg/polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/inexact.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/differences.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/rearrange.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {
namespace {

DType inexact_dtype(const std::vector<Array>& xs) { return inexact(result_type(xs)); }
std::vector<Array> both(const Array& x, const Array& y, bool inexact) {
  const DType d = inexact ? inexact_dtype({x, y}) : result_type({x, y});
  return {x.astype(d), y.astype(d)};
}
Array coefficients(const char* name, const Array& p) {
  if (p.ndim() != 1) raise<ShapeError>(name, "the coefficients are " + type_text(p), "They are a vector.");
  return p;
}
void check_order(const char* name, int m) {
  if (m < 0) raise<ValueError>(name, "the order is " + std::to_string(m), "Give 0 or more.");
}

}  // namespace

Array polyval(const In& p, const Operand& x) {
  CallScope scope(p.loc);
  if (p.array.ndim() == 0) raise<ShapeError>("polyval", "the coefficients are a scalar", "They are a vector.");
  const std::vector<Array> xs = both(p.array, x.array, false);
  return composite(
      "polyval",
      [](const Array& c, const Array& at) {  // Horner's scheme
        Array y;
        for (std::int64_t i = 0; i < c.shape()[0]; ++i) y = y.has_value() ? y * at + c[i] : zeros_like(at) + c[i];
        return y.has_value() ? y : zeros_like(at);
      },
      xs[0], xs[1]);
}
Array polyadd(const In& p, const In& q) {
  CallScope scope(p.loc);
  std::vector<Array> xs = both(coefficients("polyadd", p.array), coefficients("polyadd", q.array), false);
  const std::int64_t n = std::max(xs[0].size(), xs[1].size());
  for (Array& x : xs) x = pad(x, PadWidths{{n - x.size(), 0}});
  return xs[0] + xs[1];
}
Array polysub(const In& p, const In& q) {
  CallScope scope(p.loc);
  return polyadd(p, -q.array);
}
Array polymul(const In& p, const In& q, bool trim) {
  CallScope scope(p.loc);
  std::vector<Array> xs = both(coefficients("polymul", p.array), coefficients("polymul", q.array), true);
  for (Array& x : xs) {
    if (trim && x.size() > 1) x = trim_zeros(x, "f");
    if (x.size() == 0) x = zeros({1}, x.dtype());
  }
  return convolve(xs[0], xs[1]);
}
std::pair<Array, Array> polydiv(const In& p, const In& q, bool trim) {
  CallScope scope(p.loc);
  const std::vector<Array> xs = both(coefficients("polydiv", p.array), coefficients("polydiv", q.array), true);
  Array rest = xs[0];
  const std::int64_t m = rest.size() - 1, n = xs[1].size() - 1;
  std::vector<Array> quotient;
  for (std::int64_t k = 0; k <= m - n; ++k) {
    quotient.push_back(rest[k] / xs[1][0]);
    rest = rest.at(slice(k, k + n + 1)).add(-quotient.back() * xs[1]);
  }
  if (trim) rest = trim_zeros(where(abs(rest) > std::sqrt(0x1p-23), rest, 0), "f");
  return {quotient.empty() ? zeros({1}, rest.dtype()) : stack(quotient), rest};
}
Array polyder(const In& p, int m) {
  CallScope scope(p.loc);
  check_order("polyder", m);
  Array y = coefficients("polyder", p.array).astype(inexact_dtype({p.array}));
  for (int i = 0; i < m; ++i) {
    const std::int64_t n = y.size();
    if (n == 0) break;
    y = y(slice(0, n - 1)) * flip(lax::iota(y.dtype(), {n - 1}, 0) + 1);
  }
  return y;
}
Array polyint(const In& p, int m, const Array& k) {
  CallScope scope(p.loc);
  check_order("polyint", m);
  Array y = coefficients("polyint", p.array).astype(inexact_dtype({p.array}));
  if (k.has_value() && k.ndim() > 0 && k.size() != 1 && k.size() != m)
    raise<ValueError>("polyint", "the constants are " + type_text(k), "Give one, or one per integral.");
  for (int i = 0; i < m; ++i) {
    Array constant = Array(0.f);
    if (k.has_value()) constant = k.size() == 1 ? ravel(k)[0] : k[i];
    const Array powers = flip(lax::iota(y.dtype(), {y.size()}, 0) + 1);
    y = concatenate({y / powers, reshape(constant, {1}).astype(y.dtype())});
  }
  return y;
}
Array poly(const In& in) {
  CallScope scope(in.loc);
  Array zeros_of = atleast_1d(in.array.astype(inexact_dtype({in.array})));
  if (zeros_of.ndim() == 2 && zeros_of.shape()[0] == zeros_of.shape()[1] && zeros_of.size())
    zeros_of = linalg::eigvals(zeros_of);
  if (zeros_of.ndim() != 1)
    raise<ShapeError>("poly", "the roots are " + type_text(in.array), "Give a vector, or a square matrix.");
  Array y = ones({1}, zeros_of.dtype());
  for (std::int64_t i = 0; i < zeros_of.size(); ++i)
    y = pad(y, PadWidths{{0, 1}}) - zeros_of[i] * pad(y, PadWidths{{1, 0}});
  return zeros_of.size() ? y : ones({}, zeros_of.dtype());
}
Array roots(const In& in, bool strip_zeros) {
  CallScope scope(in.loc);
  const Array given = atleast_1d(in.array.astype(inexact_dtype({in.array})));
  const Array p = strip_zeros ? trim_zeros(coefficients("roots", given), "f") : coefficients("roots", given);
  const std::int64_t n = p.size();
  if (n < 2) return zeros({0}, complex_dtype(p.dtype()));
  return linalg::eigvals(diag(ones({n - 2}, p.dtype()), -1).at(0).set(-p(slice(1, none)) / p[0]));
}

namespace {

struct Fit {
  Polyfit fit;
  Array lhs, scale;
};
Fit fitted(const Array& x_in, const Array& y_in, int deg, const PolyfitOptions& o) {
  if (deg < 0) raise<ValueError>("polyfit", "the degree is " + std::to_string(deg), "Give 0 or more.");
  if (x_in.ndim() != 1 || x_in.size() == 0 || y_in.ndim() < 1 || y_in.ndim() > 2 || y_in.shape()[0] != x_in.size())
    raise<ShapeError>("polyfit", "x is " + type_text(x_in) + ", y " + type_text(y_in),
                      "x is a vector, y has as many elements or rows.");
  const DType dtype = inexact_dtype({x_in, y_in});
  const Array x = x_in.astype(dtype);
  Array rhs = y_in.astype(dtype), lhs = vander(x, deg + 1);
  if (o.w.has_value()) {
    if (o.w.ndim() != 1 || o.w.size() != x.size())
      raise<ShapeError>("polyfit", "the weights are " + type_text(o.w), "Give one per point.");
    const Array w = expand_dims(o.w, 1);
    lhs = lhs * w;
    rhs = rhs.ndim() == 2 ? rhs * w : rhs * o.w;
  }
  Fit out;
  out.scale = sqrt(sum(lhs * lhs, 0));
  out.lhs = lhs / out.scale;
  const double precision = dtype == float64 ? 0x1p-52 : 0x1p-23;
  out.fit.rcond = o.rcond.value_or(static_cast<double>(x.size()) * precision);
  const linalg::Lstsq solved = linalg::lstsq(out.lhs, rhs, out.fit.rcond);
  out.fit.p = solved.x / (solved.x.ndim() > 1 ? expand_dims(out.scale, 1) : out.scale);
  out.fit.residuals = solved.residuals;
  out.fit.rank = solved.rank;
  out.fit.singular_values = solved.s;
  return out;
}

}  // namespace

Array polyfit(const In& x, const In& y, int deg, const PolyfitOptions& o) {
  CallScope scope(x.loc);
  return fitted(x.array, y.array, deg, o).fit.p;
}
Polyfit polyfit_full(const In& x, const In& y, int deg, const PolyfitOptions& o) {
  CallScope scope(x.loc);
  return fitted(x.array, y.array, deg, o).fit;
}
std::pair<Array, Array> polyfit_cov(const In& x, const In& y, int deg, const PolyfitOptions& o, bool scaled) {
  CallScope scope(x.loc);
  const Fit f = fitted(x.array, y.array, deg, o);
  Array base = linalg::inv(matmul(matrix_transpose(f.lhs), f.lhs)) / outer(f.scale, f.scale), factor = Array(1.f);
  const std::int64_t free = x.array.size() - (deg + 1);
  if (scaled) {
    if (free <= 0)
      raise<ValueError>("polyfit_cov", std::to_string(x.array.size()) + " points for degree " + std::to_string(deg),
                        "Give more points than coefficients, or scaled = false.");
    factor = f.fit.residuals / static_cast<double>(free);
  }
  if (y.array.ndim() == 1) return {f.fit.p, base * factor};
  return {f.fit.p, expand_dims(base, 2) * factor};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
