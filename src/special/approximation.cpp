#include "special/approximation.hpp"

#include <algorithm>

namespace tutti::special {
namespace {

Array chosen(std::initializer_list<Piece> pieces, const Array& x, Series Quotient::*part) {
  std::size_t terms = 0;
  for (const Piece& p : pieces) terms = std::max(terms, (p.quotient->*part).of(x.dtype()).size());
  Array sum;
  for (std::size_t k = terms; k-- > 0;) {
    Array coefficient;
    for (std::size_t i = pieces.size(); i-- > 0;) {
      const Piece& piece = pieces.begin()[i];
      const auto c = (piece.quotient->*part).of(x.dtype());
      const Array own = full_like(x, k < c.size() ? c[k] : 0.0);
      coefficient = coefficient.has_value() ? where(piece.mask, own, coefficient) : own;
    }
    sum = sum.has_value() ? sum * x + coefficient : coefficient;
  }
  return sum;
}

}  // namespace

Array polynomial(const Array& x, std::span<const double> c) {
  Array sum = full_like(x, c.back());
  for (std::size_t k = c.size() - 1; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

Array value(std::initializer_list<Piece> pieces, const Array& x) {
  return chosen(pieces, x, &Quotient::p) / chosen(pieces, x, &Quotient::q);
}

Array real_numbers(const char* function, const Array& x) {
  if (x.dtype().is_complex())
    raise<TypeError>(function, "an argument is " + type_text(x) + ", it takes real numbers",
                     "Give the real part: lax::real(x).");
  return floating(x);
}
std::vector<Array> real_numbers(const char* function, const std::vector<Array>& xs) {
  for (const Array& x : xs) real_numbers(function, x);
  return together(xs);
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
