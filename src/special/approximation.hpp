// Functions by polynomials and quotients of polynomials over pieces of the line, as arithmetic of whole arrays: each
// becomes one loop. Every piece is computed for every element, so its argument is kept inside the piece.
#pragma once

#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/composite.hpp"
#include "tutti/transform/custom_rules.hpp"

namespace tutti::special {

inline constexpr double inf = std::numeric_limits<double>::infinity(),
                        no_number = std::numeric_limits<double>::quiet_NaN();

/// Coefficients, that of the power 0 first, for float64 and for float32.
struct Series {
  std::span<const double> f64, f32;
  std::span<const double> of(DType d) const { return d == float64 ? f64 : f32; }
};
struct Quotient {
  Series p, q;
};
/// The pieces of a function: the first of which the mask holds; the last has none.
struct Piece {
  Array mask;
  const Quotient* quotient;
};

Array polynomial(const Array& x, std::span<const double> coefficients);
inline Array value(const Series& s, const Array& x) { return polynomial(x, s.of(x.dtype())); }
inline Array value(const Quotient& q, const Array& x) { return value(q.p, x) / value(q.q, x); }
/// One quotient, of which each element has the coefficients of its piece.
Array value(std::initializer_list<Piece> pieces, const Array& x);

/// x as floats. TypeError where it is complex.
Array real_numbers(const char* function, const Array& x);
std::vector<Array> real_numbers(const char* function, const std::vector<Array>& xs);

/// f(x) with the derivative d(x, f(x)), computed in float32 at least. Both are functions without captures.
template <class F, class D> Array smooth(const char* name, F, D, const Array& x) {
  auto body = [](const Array& v) {
    auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& change) {
      const Array y = F()(std::get<0>(at));
      return std::pair{y, D()(std::get<0>(at), y) * std::get<0>(change)};
    };
    const bool narrow = v.dtype().size() < 4;
    return custom_jvp([](const Array& a) { return F()(a); }, rule)(narrow ? v.astype(float32) : v).astype(v.dtype());
  };
  return composite(name, body, real_numbers(name, x));
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
