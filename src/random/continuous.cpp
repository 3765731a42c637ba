// Draws of floating numbers. Each is a short formula on uniform bits; the constants are those of jax.random.
#include <cmath>

#include "random/threefry.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::random {
namespace {

// What the formulas need to know of a float type.
struct Format {
  int mantissa;  // bits without the leading one
  double tiny;   // least normal number
  DType bits;
  double eps() const { return std::ldexp(1.0, -mantissa); }
  double below_one() const { return std::ldexp(1.0, -mantissa - 1); }  // 1 minus the float before it
};
Format format_of(DType dtype, const char* function) {
  if (dtype == float32) return {23, 0x1p-126, uint32};
  if (dtype == float64) return {52, 0x1p-1022, uint64};
  if (dtype == bfloat16) return {7, 0x1p-126, uint16};
  if (dtype == float16) return {10, 0x1p-14, uint16};
  raise<TypeError>(function, "it draws no " + std::string(dtype.name()), "Ask for a floating dtype.");
}

Array uniform_between(const Words& key, const Shape& shape, const Array& lo, const Array& hi, DType dtype) {
  Format f = format_of(dtype, "random::uniform");
  int width = f.mantissa < 8 ? 8 : static_cast<int>(dtype.size()) * 8;
  Array drawn = random_bits(key, shape, width == 8 ? uint8 : f.bits);
  if (width == 8) drawn = lax::convert_element_type(drawn, f.bits);
  Array one = lax::bitcast_convert_type(constant(dtype, 1), f.bits);
  Array kept = lax::shift_right_logical(drawn, constant(f.bits, width - f.mantissa));
  Array unit = lax::sub(lax::bitcast_convert_type(lax::bitwise_or(kept, one), dtype), constant(dtype, 1));
  auto bound = [&](const Array& b) { return spread(lax::convert_element_type(b, dtype), shape, "random::uniform"); };
  Array least = bound(lo), span = lax::sub(bound(hi), least);
  // Rounded once, as XLA's fused multiply-add does; 16-bit types round the product and the sum.
  return lax::max(least, dtype.size() < 4 ? lax::add(lax::mul(unit, span), least) : lax::fma(unit, span, least));
}

Array uniform_between(const Words& key, const Shape& shape, double lo, double hi, DType dtype) {
  return uniform_between(key, shape, constant(dtype, lo), constant(dtype, hi), dtype);
}

// The next float after x, up or down, of any float type; infinities stay.
Array neighbour(const Array& x, bool up) {
  if (x.dtype().size() >= 4) return nextafter(x, constant(x.dtype(), up ? INFINITY : -INFINITY, x.shape()));
  auto every = [&](DType d, double v) { return constant(d, v, x.shape()); };
  Array y = up ? x : lax::neg(x);  // the next one up is one bit further from zero, or nearer to it when negative
  Array word = lax::bitcast_convert_type(y, uint16), one = every(uint16, 1), zero = every(x.dtype(), 0);
  Array next =
      lax::select(lax::gt(y, zero), lax::add(word, one), lax::select(lax::eq(y, zero), one, lax::sub(word, one)));
  next = lax::select(lax::eq(y, every(x.dtype(), INFINITY)), y, lax::bitcast_convert_type(next, x.dtype()));
  return up ? next : lax::neg(next);
}

Array times(double factor, const Array& x) { return lax::mul(constant(x.dtype(), factor), x); }

}  // namespace

Array bits(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::bits",
      [](const Array& key, const Shape& shape, DType dtype) {
        check_shape("random::bits", shape);
        return random_bits(words_of(key, "random::bits"), shape, canonical(dtype));
      },
      key.array, shape, dtype);
}

Array uniform(const In& key, const Shape& shape, const Operand& lo, const Operand& hi, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::uniform",
      [](const Array& key, const Shape& shape, const Array& lo, const Array& hi, DType dtype) {
        check_shape("random::uniform", shape);
        return uniform_between(words_of(key, "random::uniform"), shape, lo, hi, canonical(dtype));
      },
      key.array, shape, lo.array, hi.array, dtype);
}
Array uniform(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  check_shape("random::uniform", shape);
  return uniform(key, shape, 0.f, 1.f, dtype);
}

namespace {

// Drawn in `d`; the scaling, and the result, in `wide`.
Array normal_in(const char* function, const In& key, const Shape& shape, DType d, DType wide) {
  check_shape(function, shape);
  Format f = format_of(d, function);
  Array u = uniform_between(words_of(key.array, function), shape, -1 + f.below_one(), 1, d);  // open at -1
  return times(std::sqrt(2.0), lax::convert_element_type(lax::erf_inv(u), wide));
}

}  // namespace

Array normal(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::normal",
      [](const Array& key, const Shape& shape, DType dtype) {
        DType d = canonical(dtype);
        return normal_in("random::normal", key, shape, d, d);
      },
      key.array, shape, dtype);
}

Array truncated_normal(const In& key, const Operand& lower, const Operand& upper, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::truncated_normal",
      [](const Array& key, const Array& lower, const Array& upper, const Shape& shape, DType dtype) {
        check_shape("random::truncated_normal", shape);
        DType d = canonical(dtype);
        format_of(d, "random::truncated_normal");
        Array sqrt2 = constant(d, std::sqrt(2.0));
        Array lo = lax::convert_element_type(lower, d), hi = lax::convert_element_type(upper, d);
        Array a = lax::erf(lax::div(lo, spread(sqrt2, lo.shape(), "random::truncated_normal"))),
              b = lax::erf(lax::div(hi, spread(sqrt2, hi.shape(), "random::truncated_normal")));
        Array x = times(std::sqrt(2.0),
                        lax::erf_inv(uniform_between(words_of(key, "random::truncated_normal"), shape, a, b, d)));
        // The bounds themselves are not drawn.
        Array least = neighbour(lax::stop_gradient(lo), true), greatest = neighbour(lax::stop_gradient(hi), false);
        return lax::min(lax::max(x, spread(least, shape, "random::truncated_normal")),
                        spread(greatest, shape, "random::truncated_normal"));
      },
      key.array, lower.array, upper.array, shape, dtype);
}

Array gumbel(const In& key, const Shape& shape, DType dtype, OneOf<Resolution> mode) {
  CallScope scope(key.loc);
  return composite(
      "random::gumbel",
      [](const Array& key, const Shape& shape, DType dtype, Resolution mode) {
        check_shape("random::gumbel", shape);
        DType d = canonical(dtype);
        Format f = format_of(d, "random::gumbel");
        Words w = words_of(key, "random::gumbel");
        if (mode == Resolution::low) return -log(-log(uniform_between(w, shape, f.tiny, 1, d)));
        Shape both = shape;
        both.insert(0, 2);
        std::vector<Array> parts = split(uniform_between(w, both, 0., 1., d), 2, 0);
        Array high = reshape(parts[0], shape), low = reshape(parts[1], shape);
        Array x = where(high >= constant(d, 0.5), high, high + times(f.eps(), low) + constant(d, f.tiny));
        return -log(-log1p(-x));
      },
      key.array, shape, dtype, mode);
}

Array exponential(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::exponential",
      [](const Array& key, const Shape& shape, DType dtype) {
        check_shape("random::exponential", shape);
        format_of(canonical(dtype), "random::exponential");
        return -log1p(-uniform_between(words_of(key, "random::exponential"), shape, 0., 1., canonical(dtype)));
      },
      key.array, shape, dtype);
}

Array laplace(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::laplace",
      [](const Array& key, const Shape& shape, DType dtype) {
        check_shape("random::laplace", shape);
        DType d = canonical(dtype);
        Format f = format_of(d, "random::laplace");
        Array u = uniform_between(words_of(key, "random::laplace"), shape, -1 + f.below_one(), 1, d);
        return sign(u) * log1p(-abs(u));
      },
      key.array, shape, dtype);
}

Array logistic(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::logistic",
      [](const Array& key, const Shape& shape, DType dtype) {
        check_shape("random::logistic", shape);
        DType d = canonical(dtype);
        Array u =
            uniform_between(words_of(key, "random::logistic"), shape, format_of(d, "random::logistic").tiny, 1, d);
        return log(u / (1 - u));
      },
      key.array, shape, dtype);
}

Array cauchy(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::cauchy",
      [](const Array& key, const Shape& shape, DType dtype) {
        check_shape("random::cauchy", shape);
        DType d = canonical(dtype);
        Array u = uniform_between(words_of(key, "random::cauchy"), shape, format_of(d, "random::cauchy").eps(), 1, d);
        return tan(times(M_PI, u - constant(d, 0.5)));
      },
      key.array, shape, dtype);
}

Array lognormal(const In& key, const Operand& sigma, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::lognormal",
      [](const Array& key, const Array& sigma, const Shape& shape, DType dtype) {
        DType d = canonical(dtype), wide = d.size() < 4 ? float32 : d;  // exp enlarges the rounding of its argument
        Array drawn = normal_in("random::lognormal", key, shape, d, wide);
        return lax::convert_element_type(
            exp(drawn * lax::convert_element_type(lax::convert_element_type(sigma, d), wide)), d);
      },
      key.array, sigma.array, shape, dtype);
}

Array bernoulli(const In& key, const Operand& p) {
  CallScope scope(key.loc);
  return bernoulli(key, p, p.array.shape());
}
Array bernoulli(const In& key, const Operand& p, const Shape& shape, OneOf<Resolution> mode) {
  CallScope scope(key.loc);
  return composite(
      "random::bernoulli",
      [](const Array& key, const Array& p, const Shape& shape, Resolution mode) {
        check_shape("random::bernoulli", shape);
        DType d = p.dtype().is_floating() ? p.dtype() : float32;
        Words w = words_of(key, "random::bernoulli");
        Array chance = spread(lax::convert_element_type(p, d), shape, "random::bernoulli");
        if (mode == Resolution::low) return uniform_between(w, shape, 0., 1., d) < chance;
        Shape both = shape;
        both.insert(0, 2);
        std::vector<Array> parts = split(uniform_between(w, both, 0., 1., d), 2, 0);
        Array u1 = reshape(parts[0], shape), u2 = reshape(parts[1], shape);
        return times(format_of(d, "random::bernoulli").eps(), u2) < chance - u1;
      },
      key.array, p.array, shape, mode);
}

Array rademacher(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  return composite(
      "random::rademacher",
      [](const Array& key, const Shape& shape, DType dtype) {
        check_shape("random::rademacher", shape);
        return lax::convert_element_type(2 * lax::convert_element_type(bernoulli(key, 0.5f, shape), int32) - 1,
                                         canonical(dtype));
      },
      key.array, shape, dtype);
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
