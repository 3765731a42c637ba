// The family of elementwise ops: one result, computed element by element from operands of equal shape (or shape ()). A
// home gives the lane expression, which is eval and lowering at once, and its derivatives; types, factors, batching,
// transposes of sums over broadcast scalars and samples are said here for all.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/half.hpp"
#include "ir/op.hpp"
#include "lane/lane.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "tutti/base/error.hpp"

namespace tutti::ops {

/// Which element types an op takes.
enum Takes : unsigned {
  takes_bool = 1,
  takes_signed = 2,
  takes_unsigned = 4,
  takes_floating = 8,
  takes_complex = 16,
  takes_key = 32,
  takes_small = 64,  // 8-bit floats and 4-bit integers as they are stored (Op::small)
  takes_integer = takes_signed | takes_unsigned,
  takes_bits = takes_bool | takes_integer,
  takes_real = takes_integer | takes_floating,
  takes_inexact = takes_floating | takes_complex,
  takes_number = takes_real | takes_complex,
  takes_all = takes_number | takes_bool | takes_key,
};
unsigned class_of(DType dtype);

/// What a home says besides its lane expression.
struct Rules {
  std::function<V(V x, V y)> d = {};                 // unary: dy/dx from operand and result
  std::function<V(V x, V y, V z)> dx = {}, dy = {};  // binary: dz/dx and dz/dy from operands and result
  bool flat = false;                                 // derivative 0 wherever there is one
  std::vector<std::vector<int>> linear = {};
  std::vector<int> signs = {};
  decltype(Op::transpose) transpose = {};
  decltype(Op::adds_up) adds_up = {};
  decltype(Op::magnitude) magnitude = {};
  std::string not_differentiable = {};
  double lo = -2, hi = 2, ulp = 0;  // samples; ulp 0: eval and engine agree to the bit
  bool smooth = true;               // finite differences make sense on lo..hi
};

/// A lane expression of numbers that are not complex, and what it is of std::complex<T>.
template <class Real, class Complex> auto with_complex(Real real, Complex complex) {
  return [real, complex](auto x, auto... more) {
    if constexpr (requires { x.v.imag(); })
      return decltype(x){complex(lane::ComplexMath<std::remove_cvref_t<decltype(x.v.imag())>>{}, x.v, more.v...)};
    else
      return real(x, more...);
  };
}

// --- eval over storage types
template <class T> struct Element {
  using Compute = T;
  static T load(T x) { return x; }
  static T store(T x) { return x; }
};
template <> struct Element<BFloat16> {
  using Compute = float;
  static float load(BFloat16 x) { return x; }
  static BFloat16 store(float x) { return BFloat16(x); }
};
template <> struct Element<Float16> {
  using Compute = float;
  static float load(Float16 x) { return x; }
  static Float16 store(float x) { return Float16(x); }
};

/// What sums and products are computed in: those of floats are rounded once, from double.
template <class C> struct Accumulator { using type = C; };
template <> struct Accumulator<float> { using type = double; };
template <> struct Accumulator<std::complex<float>> { using type = std::complex<double>; };

/// The bounds of values in -1..1; complex ones have none.
inline Magnitude at_most_one(const Call& c, const std::vector<Magnitude>&) {
  return c.operands[0].dtype.is_complex() ? Magnitude{} : Magnitude{0, 1};
}

/// Calls fn.template operator()<T>() with the storage type of `dtype`; only classes in `mask` are instantiated.
template <unsigned mask, class Fn> void with_storage(DType dtype, Fn&& fn) {
  using K = DType::Kind;
  auto if_taken = [&]<unsigned c, class T>() {
    if constexpr ((mask & c) != 0)
      fn.template operator()<T>();
    else
      throw InternalError("no element code for " + std::string(dtype.name()));
  };
  switch (dtype.kind()) {
    case K::bool_: return if_taken.template operator()<takes_bool, bool>();
    case K::int8: return if_taken.template operator()<takes_signed, std::int8_t>();
    case K::int16: return if_taken.template operator()<takes_signed, std::int16_t>();
    case K::int32: return if_taken.template operator()<takes_signed, std::int32_t>();
    case K::int64: return if_taken.template operator()<takes_signed, std::int64_t>();
    case K::uint8: return if_taken.template operator()<takes_unsigned, std::uint8_t>();
    case K::uint16: return if_taken.template operator()<takes_unsigned, std::uint16_t>();
    case K::uint32: return if_taken.template operator()<takes_unsigned, std::uint32_t>();
    case K::uint64: return if_taken.template operator()<takes_unsigned, std::uint64_t>();
    case K::bfloat16: return if_taken.template operator()<takes_floating, BFloat16>();
    case K::float16: return if_taken.template operator()<takes_floating, Float16>();
    case K::float32: return if_taken.template operator()<takes_floating, float>();
    case K::float64: return if_taken.template operator()<takes_floating, double>();
    case K::complex64: return if_taken.template operator()<takes_complex, std::complex<float>>();
    case K::complex128: return if_taken.template operator()<takes_complex, std::complex<double>>();
    case K::prng_key: return if_taken.template operator()<takes_key, std::uint64_t>();
    case K::int4: return if_taken.template operator()<takes_small, Int4>();
    case K::uint4: return if_taken.template operator()<takes_small, UInt4>();
    case K::float8_e4m3fn: return if_taken.template operator()<takes_small, Float8E4M3FN>();
    case K::float8_e5m2: return if_taken.template operator()<takes_small, Float8E5M2>();
  }
}

/// out[i] = f(in0[i], in1[i], ...): operands of shape () are read again and again. All operands have storage type T,
/// the result R.
template <class T, class R, class F, std::size_t... i>
void eval_loop(const F& f, std::span<const HostView> in, const HostView& out, std::index_sequence<i...>) {
  using In = Element<T>;
  const T* p[] = {in[i].template as<const T>()...};
  const std::int64_t stride[] = {(in[i].type.ndim() == 0 ? 0 : 1)...};
  R* q = out.as<R>();
  for (std::int64_t k = 0; k < out.size(); ++k)
    q[k] = Element<R>::store(f(lane::Host<typename In::Compute>{In::load(p[i][k * stride[i]])}...).v);
}

/// Checks dtypes and shapes; the common shape of the operands. TypeError and ShapeError name the op.
Shape pointwise_shape(const Call& c, unsigned mask);
void check_equal_dtypes(const Call& c, std::size_t first = 0);
/// What all share: how they are cut and batched.
Op pointwise_frame(std::string name);
/// Everything that does not depend on the lane expression.
Op pointwise_frame(std::string name, std::size_t arity, unsigned mask, Rules rules);
Factors pointwise_factors(const Call& c, const std::vector<Type>& results);
Batched pointwise_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                        const BatchAxis& axis);
/// The cotangent of an operand: summed when the operand is a scalar that was read for every element.
Array cotangent_for(const Array& cotangent, const Type& operand);
/// Samples over the classes in `mask`.
std::vector<Sample> pointwise_samples(std::size_t arity, unsigned mask, const Rules& rules);

template <std::size_t arity, unsigned mask, bool to_bool, class F, std::size_t... i>
Op define_pointwise(std::string name, F f, Rules rules, std::index_sequence<i...> all) {
  Op op = pointwise_frame(std::move(name), arity, mask, std::move(rules));
  op.infer = [](const Call& c) -> std::vector<Type> {
    Shape shape = pointwise_shape(c, mask);
    check_equal_dtypes(c);
    return {Type{to_bool ? bool_ : c.operands[0].dtype, shape, false, {}}};
  };
  op.eval = [f, all](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    with_storage<mask>(c.operands[0].dtype,
                       [&]<class T>() { eval_loop<T, std::conditional_t<to_bool, bool, T>>(f, in, out[0], all); });
  };
  op.pointwise = [f](VectorIR& ir, const Call&, std::span<const Reg> in) { return f(lane::Lane{&ir, in[i]}...).reg; };
  return op;
}

/// An op of one operand: `unary_op<takes_floating>("tanh", [](auto x) { return lane::tanh(x); }, {.d = [](V, V y) {
/// return 1 - y * y; }})`.
template <unsigned mask, class F> Op unary_op(std::string name, F f, Rules rules = {}) {
  return define_pointwise<1, mask, false>(std::move(name), f, std::move(rules), std::make_index_sequence<1>{});
}
template <unsigned mask, class F> Op binary_op(std::string name, F f, Rules rules = {}) {
  return define_pointwise<2, mask, false>(std::move(name), f, std::move(rules), std::make_index_sequence<2>{});
}
template <unsigned mask, class F> Op ternary_op(std::string name, F f, Rules rules = {}) {
  return define_pointwise<3, mask, false>(std::move(name), f, std::move(rules), std::make_index_sequence<3>{});
}
/// A complex number in a rule.
struct Parts {
  V re, im;
};
inline std::vector<Array> listed(const Parts& z) { return {z.re.a, z.im.a}; }
inline std::vector<Array> listed(const V& x) { return {x.a}; }
/// The op, said on parts for `n` complex operands: `f(Parts...)` gives Parts, or a V where the result is real.
template <std::size_t n, class F> Op with_parts(Op op, F f) {
  op.in_parts = [f](const Call&, const std::vector<Array>& p) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) { return listed(f(Parts{{p[2 * i]}, {p[2 * i + 1]}}...)); }
    (std::make_index_sequence<n>{});
  };
  return op;
}
/// A complex64 number in a register: its 8 bytes.
Reg complex_word(VectorIR& ir, Reg re, Reg im);
/// |z| of finite, infinite and NaN parts, without overflow in between.
V magnitude_of(const Parts& z);
/// x / y, as lane/complex_quotient.hpp says it. All parts of x have the shape of the result.
Parts quotient_of(const Parts& x, const Parts& y);

/// Ops whose result is bool.
template <unsigned mask, class F> Op predicate_op(std::string name, F f) {
  return define_pointwise<1, mask, true>(std::move(name), f, {.flat = true, .smooth = false},
                                         std::make_index_sequence<1>{});
}
template <unsigned mask, class F> Op comparison_op(std::string name, F f) {
  return define_pointwise<2, mask, true>(std::move(name), f, {.flat = true, .smooth = false},
                                         std::make_index_sequence<2>{});
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
