// Lanes: the body of an elementwise op is written once, as a generic expression over lanes. `Host<T>` computes it at
// once (eval); `Lane` records it in a VectorIR (the engine's lowering). Both have the same vocabulary, so that eval and
// engine agree to the bit.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "base/half.hpp"
#include "lane/complex_math.hpp"
#include "lane/library.hpp"
#include "lane/vector_ir.hpp"
#include "tutti/base/dtype.hpp"

namespace tutti::lane {

using Un = VectorIR::Un;
using Bin = VectorIR::Bin;
using Cmp = VectorIR::Cmp;

/// One value on the host. T: bool, an integer, float, double, complex<float> or complex<double>.
template <class T> struct Host { T v{}; };
/// One value per lane of a kernel that is being built.
struct Lane {
  VectorIR* ir = nullptr;
  Reg reg;
};

template <class L> inline constexpr bool is_lane = std::same_as<L, Lane>;
template <class T> inline constexpr bool is_lane<Host<T>> = true;
template <class L>
concept AnyLane = is_lane<L>;

// --- dtype of a lane, constants
template <class T> constexpr DType dtype_of(Host<T>) {
  if constexpr (std::same_as<T, bool>)
    return bool_;
  else if constexpr (std::same_as<T, float>)
    return float32;
  else if constexpr (std::same_as<T, double>)
    return float64;
  else if constexpr (is_complex_number<T>)
    return sizeof(T) == 8 ? complex64 : complex128;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? int8 : sizeof(T) == 2 ? int16 : sizeof(T) == 4 ? int32 : int64;
  else
    return sizeof(T) == 1 ? uint8 : sizeof(T) == 2 ? uint16 : sizeof(T) == 4 ? uint32 : uint64;
}
inline DType dtype_of(Lane x) { return x.reg.dtype; }

/// The constant `c` in the dtype of `like`.
template <class T> Host<T> constant(Host<T>, double c) {
  if constexpr (is_complex_number<T>)
    return {T(static_cast<typename T::value_type>(c), 0)};
  else
    return {static_cast<T>(c)};
}
inline Lane constant(Lane like, double c) {
  DType d = like.reg.dtype;
  return {like.ir, d.is_floating() ? like.ir->constant(d, c) : like.ir->constant_int(d, static_cast<std::int64_t>(c))};
}
/// The integer constant `c`, exact also where a double is not.
template <class T> Host<T> constant_int(Host<T>, std::int64_t c) { return {static_cast<T>(c)}; }
inline Lane constant_int(Lane like, std::int64_t c) { return {like.ir, like.ir->constant_int(like.reg.dtype, c)}; }

// --- the vocabulary of VectorIR
template <Un op, class T> Host<T> unary(Host<T> x) {
  if constexpr (op == Un::neg) {
    if constexpr (std::integral<T>)
      return {static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(x.v))};
    else
      return {-x.v};
  } else if constexpr (op == Un::abs) {
    if constexpr (std::unsigned_integral<T>)
      return x;
    else if constexpr (std::integral<T>)
      return x.v < 0 ? unary<Un::neg>(x) : x;
    else
      return {std::abs(x.v)};
  } else if constexpr (op == Un::sqrt)
    return {std::sqrt(x.v)};
  else if constexpr (op == Un::floor)
    return {std::floor(x.v)};
  else if constexpr (op == Un::ceil)
    return {std::ceil(x.v)};
  else if constexpr (op == Un::round_even)
    return {std::nearbyint(x.v)};
  else if constexpr (op == Un::trunc)
    return {std::trunc(x.v)};
  else if constexpr (op == Un::not_) {
    if constexpr (std::same_as<T, bool>)
      return {!x.v};
    else
      return {static_cast<T>(~x.v)};
  } else if constexpr (op == Un::popcount)
    return {static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x.v)))};
  else
    return {static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(x.v)))};
}
template <Un op> Lane unary(Lane x) { return {x.ir, x.ir->unary(op, x.reg)}; }

template <Bin op> Host<bool> binary_bool(Host<bool> x, Host<bool> y) {
  if constexpr (op == Bin::and_ || op == Bin::min || op == Bin::mul)
    return {x.v && y.v};
  else if constexpr (op == Bin::or_ || op == Bin::max || op == Bin::add)
    return {x.v || y.v};
  else {
    static_assert(op == Bin::xor_);
    return {x.v != y.v};
  }
}
/// Towards zero; by zero it is -1, and the rest is x.
template <Bin op, std::integral T> Host<T> divide(Host<T> x, Host<T> y) {
  constexpr bool rest = op == Bin::rem;
  if (y.v == 0) return rest ? x : Host<T>{static_cast<T>(-1)};
  if constexpr (std::signed_integral<T>)
    if (y.v == -1) return rest ? Host<T>{0} : unary<Un::neg>(x);  // of the least it would overflow
  return {static_cast<T>(rest ? x.v % y.v : x.v / y.v)};
}
template <Bin op, std::integral T> Host<T> binary_integer(Host<T> x, Host<T> y) {
  // Wide enough and unsigned: no promotion to int, no overflow.
  using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const U a = static_cast<U>(x.v), b = static_cast<U>(y.v);
  if constexpr (op == Bin::add)
    return {static_cast<T>(a + b)};
  else if constexpr (op == Bin::sub)
    return {static_cast<T>(a - b)};
  else if constexpr (op == Bin::mul)
    return {static_cast<T>(a * b)};
  else if constexpr (op == Bin::div || op == Bin::rem)
    return divide<op>(x, y);
  else if constexpr (op == Bin::min)
    return y.v < x.v ? y : x;
  else if constexpr (op == Bin::max)
    return x.v < y.v ? y : x;
  else if constexpr (op == Bin::and_)
    return {static_cast<T>(a & b)};
  else if constexpr (op == Bin::or_)
    return {static_cast<T>(a | b)};
  else if constexpr (op == Bin::xor_)
    return {static_cast<T>(a ^ b)};
  else if constexpr (op == Bin::shl)
    return {static_cast<T>(a << b)};
  else if constexpr (op == Bin::shr_logical)
    return {static_cast<T>(static_cast<std::make_unsigned_t<T>>(x.v) >> b)};
  else
    return {static_cast<T>(static_cast<std::make_signed_t<T>>(x.v) >> b)};
}
template <Bin op, class T> Host<T> binary_floating(Host<T> x, Host<T> y) {
  if constexpr (op == Bin::add)
    return {x.v + y.v};
  else if constexpr (op == Bin::sub)
    return {x.v - y.v};
  else if constexpr (op == Bin::mul)
    return {x.v * y.v};
  else if constexpr (op == Bin::div)
    return {x.v / y.v};
  else if constexpr (op == Bin::scale)
    return {y.v == y.v ? std::ldexp(x.v, static_cast<int>(y.v)) : y.v};
  else if constexpr (op == Bin::min)  // NaN wins; -0 is less than 0
    return x.v != x.v || x.v < y.v || (x.v == y.v && std::signbit(x.v)) ? x : y;
  else {
    static_assert(op == Bin::max);
    return x.v != x.v || x.v > y.v || (x.v == y.v && !std::signbit(x.v)) ? x : y;
  }
}
template <Bin op, class T> Host<std::complex<T>> binary(Host<std::complex<T>> x, Host<std::complex<T>> y) {
  if constexpr (op == Bin::add)
    return {x.v + y.v};
  else if constexpr (op == Bin::sub)
    return {x.v - y.v};
  else if constexpr (op == Bin::mul)
    return {ComplexMath<T>::mul(x.v, y.v)};
  else {
    static_assert(op == Bin::div);
    return {ComplexMath<T>::div(x.v, y.v)};
  }
}
template <Bin op, class T> Host<T> binary(Host<T> x, Host<T> y) {
  if constexpr (std::same_as<T, bool>)
    return binary_bool<op>(x, y);
  else if constexpr (std::integral<T>)
    return binary_integer<op>(x, y);
  else
    return binary_floating<op>(x, y);
}
template <Bin op> Lane binary(Lane x, Lane y) { return {x.ir, x.ir->binary(op, x.reg, y.reg)}; }

template <Cmp op, class T> Host<bool> compare(Host<T> x, Host<T> y) {
  if constexpr (op == Cmp::eq)
    return {x.v == y.v};
  else if constexpr (op == Cmp::ne)
    return {x.v != y.v};
  else if constexpr (op == Cmp::lt)
    return {x.v < y.v};
  else if constexpr (op == Cmp::le)
    return {x.v <= y.v};
  else if constexpr (op == Cmp::gt)
    return {x.v > y.v};
  else
    return {x.v >= y.v};
}
template <Cmp op> Lane compare(Lane x, Lane y) { return {x.ir, x.ir->compare(op, x.reg, y.reg)}; }

template <class T> Host<T> select(Host<bool> condition, Host<T> if_true, Host<T> if_false) {
  return condition.v ? if_true : if_false;
}
inline Lane select(Lane condition, Lane if_true, Lane if_false) {
  return {condition.ir, condition.ir->select(condition.reg, if_true.reg, if_false.reg)};
}

template <class T> Host<T> fma(Host<T> a, Host<T> b, Host<T> c) { return {std::fma(a.v, b.v, c.v)}; }
inline Lane fma(Lane a, Lane b, Lane c) { return {a.ir, a.ir->fma(a.reg, b.reg, c.reg)}; }

/// Numeric conversion as astype does it.
template <class To, class T> Host<To> convert(Host<T> x) { return {convert_number<To>(x.v)}; }
template <class To> Lane convert(Lane x) { return {x.ir, x.ir->convert(x.reg, dtype_of(Host<To>{}))}; }
template <class To, class T> Host<To> bitcast(Host<T> x) { return {std::bit_cast<To>(x.v)}; }
template <class To> Lane bitcast(Lane x) { return {x.ir, x.ir->bitcast(x.reg, dtype_of(Host<To>{}))}; }

inline Host<float> library(const Library& f, Host<float> x) { return {f.f32(x.v)}; }
inline Host<double> library(const Library& f, Host<double> x) { return {f.f64(x.v)}; }
inline Lane library(const Library& f, Lane x) { return {x.ir, x.ir->library(f.name, x.reg)}; }
inline Host<float> library(const Library& f, Host<float> x, Host<float> y) { return {f.f32_2(x.v, y.v)}; }
inline Host<double> library(const Library& f, Host<double> x, Host<double> y) { return {f.f64_2(x.v, y.v)}; }
inline Lane library(const Library& f, Lane x, Lane y) { return {x.ir, x.ir->library(f.name, x.reg, y.reg)}; }
/// The library's function where `condition` holds, which is rare: the engine branches around the call. A function of
/// two numbers finds the second one in `otherwise`, where that is not needed.
template <class T> Host<T> rare(Host<bool> condition, const Library& f, Host<T> x, Host<T> otherwise) {
  if (!condition.v) return otherwise;
  return f.takes_two() ? library(f, x, otherwise) : library(f, x);
}
inline Lane rare(Lane condition, const Library& f, Lane x, Lane otherwise) {
  return {x.ir, x.ir->rare(condition.reg, f.name, x.reg, otherwise.reg)};
}

/// `careful()` where `condition` holds, which is rare: the engine branches around it.
template <class T, class F> Host<T> unlikely(Host<bool> condition, Host<T> otherwise, F careful) {
  return condition.v ? careful() : otherwise;
}
template <class F> Lane unlikely(Lane condition, Lane otherwise, F careful) {
  condition.ir->begin_unlikely(condition.reg);
  const Lane found = careful();
  condition.ir->end_unlikely();
  return select(condition, found, otherwise);
}

// --- operators, with numbers on either side
template <AnyLane L> L operator-(L x) { return unary<Un::neg>(x); }
template <AnyLane L> L operator+(L x, L y) { return binary<Bin::add>(x, y); }
template <AnyLane L> L operator-(L x, L y) { return binary<Bin::sub>(x, y); }
template <AnyLane L> L operator*(L x, L y) { return binary<Bin::mul>(x, y); }
template <AnyLane L> L operator/(L x, L y) { return binary<Bin::div>(x, y); }
template <AnyLane L> L operator%(L x, L y) { return binary<Bin::rem>(x, y); }
template <AnyLane L> L operator&(L x, L y) { return binary<Bin::and_>(x, y); }
template <AnyLane L> L operator|(L x, L y) { return binary<Bin::or_>(x, y); }
template <AnyLane L> L operator^(L x, L y) { return binary<Bin::xor_>(x, y); }
template <AnyLane L> L operator~(L x) { return unary<Un::not_>(x); }
template <AnyLane L> auto operator==(L x, L y) { return compare<Cmp::eq>(x, y); }
template <AnyLane L> auto operator!=(L x, L y) { return compare<Cmp::ne>(x, y); }
template <AnyLane L> auto operator<(L x, L y) { return compare<Cmp::lt>(x, y); }
template <AnyLane L> auto operator<=(L x, L y) { return compare<Cmp::le>(x, y); }
template <AnyLane L> auto operator>(L x, L y) { return compare<Cmp::gt>(x, y); }
template <AnyLane L> auto operator>=(L x, L y) { return compare<Cmp::ge>(x, y); }

template <AnyLane L> L operator+(L x, double c) { return x + constant(x, c); }
template <AnyLane L> L operator-(L x, double c) { return x - constant(x, c); }
template <AnyLane L> L operator*(L x, double c) { return x * constant(x, c); }
template <AnyLane L> L operator/(L x, double c) { return x / constant(x, c); }
template <AnyLane L> L operator-(double c, L x) { return constant(x, c) - x; }
template <AnyLane L> L operator/(double c, L x) { return constant(x, c) / x; }
template <AnyLane L> auto operator==(L x, double c) { return x == constant(x, c); }
template <AnyLane L> auto operator!=(L x, double c) { return x != constant(x, c); }
template <AnyLane L> auto operator<(L x, double c) { return x < constant(x, c); }
template <AnyLane L> auto operator<=(L x, double c) { return x <= constant(x, c); }
template <AnyLane L> auto operator>(L x, double c) { return x > constant(x, c); }
template <AnyLane L> auto operator>=(L x, double c) { return x >= constant(x, c); }

template <AnyLane L> L abs(L x) { return unary<Un::abs>(x); }
template <AnyLane L> L sqrt(L x) { return unary<Un::sqrt>(x); }
template <AnyLane L> L floor(L x) { return unary<Un::floor>(x); }
template <AnyLane L> L round_even(L x) { return unary<Un::round_even>(x); }
template <AnyLane L> L trunc(L x) { return unary<Un::trunc>(x); }
template <AnyLane L> L min(L x, L y) { return binary<Bin::min>(x, y); }
template <AnyLane L> L max(L x, L y) { return binary<Bin::max>(x, y); }
template <AnyLane L> L scale(L x, L y) { return binary<Bin::scale>(x, y); }
template <AnyLane L> L fma(L a, double b, L c) { return fma(a, constant(a, b), c); }

}  // namespace tutti::lane

#include "lane/complex_quotient.hpp"  // of ComplexMath

// SPDX-License-Identifier: Apache-2.0
