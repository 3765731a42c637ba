// Arithmetic for derivative rules: `(1 - y * y) / x` over arrays, through the strict layer, with numbers in the arrays'
// dtype.
#pragma once

#include "ir/op.hpp"
#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

/// An array in a rule.
struct V {
  Array a;
};

/// The number `c` as a scalar in the dtype of `like`; weak, so that it decides no type.
inline Array number_like(const Array& like, double c) { return array_from_scalar(Scalar(c).to(like.dtype()), true); }

/// What an op of one operand gives.
inline V apply(const Op& op, const V& x) { return {bind1(op, {}, {x.a})}; }

inline V operator-(const V& x) { return {lax::neg(x.a)}; }
inline V operator+(const V& x, const V& y) { return {lax::add(x.a, y.a)}; }
inline V operator-(const V& x, const V& y) { return {lax::sub(x.a, y.a)}; }
inline V operator*(const V& x, const V& y) { return {lax::mul(x.a, y.a)}; }
inline V operator/(const V& x, const V& y) { return {lax::div(x.a, y.a)}; }
inline V operator+(const V& x, double c) { return {lax::add(x.a, number_like(x.a, c))}; }
inline V operator-(const V& x, double c) { return {lax::sub(x.a, number_like(x.a, c))}; }
inline V operator*(const V& x, double c) { return {lax::mul(x.a, number_like(x.a, c))}; }
inline V operator/(const V& x, double c) { return {lax::div(x.a, number_like(x.a, c))}; }
inline V operator+(double c, const V& x) { return x + c; }
inline V operator*(double c, const V& x) { return x * c; }
inline V operator-(double c, const V& x) { return {lax::sub(number_like(x.a, c), x.a)}; }
inline V operator/(double c, const V& x) { return {lax::div(number_like(x.a, c), x.a)}; }
inline V operator==(const V& x, const V& y) { return {lax::eq(x.a, y.a)}; }
inline V operator<(const V& x, const V& y) { return {lax::lt(x.a, y.a)}; }
inline V operator>(const V& x, const V& y) { return {lax::gt(x.a, y.a)}; }
inline V operator==(const V& x, double c) { return {lax::eq(x.a, number_like(x.a, c))}; }
inline V operator>=(const V& x, double c) { return {lax::ge(x.a, number_like(x.a, c))}; }
inline V operator<(const V& x, double c) { return {lax::lt(x.a, number_like(x.a, c))}; }
inline V operator>(const V& x, double c) { return {lax::gt(x.a, number_like(x.a, c))}; }
inline V choose(const V& condition, const V& if_true, const V& if_false) {
  return {lax::select(condition.a, if_true.a, if_false.a)};
}
/// `c` everywhere in the shape of `like`.
inline V full_like(const V& like, double c) {
  Array n = number_like(like.a, c);
  return {like.a.ndim() == 0 ? n : lax::broadcast_in_dim(n, like.a.shape(), {})};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
