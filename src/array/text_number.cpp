#include "array/text_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/half.hpp"

namespace tutti::text {
namespace {

constexpr int precision = 8;  // most digits behind the point in arrays

/// digits[0].digits[1]digits[2]... * 10^exponent, without sign.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal parse(const char* begin, const char* end) {
  Decimal d;
  const char* e = std::find(begin, end, 'e');
  for (const char* c = begin; c < e; ++c)
    if (*c != '.') d.digits += *c;
  if (e != end) d.exponent = std::atoi(std::string(e + 1, end).c_str());
  return d;
}

// `v` rounded to `count` digits: ties to even, from the exact value.
Decimal rounded(double v, int count) {
  char text[1100];
  return parse(text, std::to_chars(text, text + sizeof text, v, std::chars_format::scientific, count - 1).ptr);
}

// The next number of as many digits.
Decimal above(Decimal d) {
  for (std::size_t i = d.digits.size(); i-- > 0; d.digits[i] = '0')
    if (d.digits[i] != '9') {
      ++d.digits[i];
      return d;
    }
  d.digits.front() = '1';
  ++d.exponent;
  return d;
}

double value_of(const Decimal& d) {
  std::string s = d.digits + "e" + std::to_string(d.exponent - static_cast<int>(d.digits.size()) + 1);
  return std::strtod(s.c_str(), nullptr);
}

// The fewest digits that read back as `v`, in its own type.
Decimal shortest(double v, DType dtype) {
  char text[64];
  if (dtype == float64) return parse(text, std::to_chars(text, text + 64, v, std::chars_format::scientific).ptr);
  if (dtype == float32)
    return parse(text, std::to_chars(text, text + 64, static_cast<float>(v), std::chars_format::scientific).ptr);
  // Below a power of two numbers lie twice as dense: there the nearest text may be too low while the one above fits.
  for (int count = 1;; ++count) {
    Decimal d = rounded(v, count);
    if (static_cast<double>(Float16(static_cast<float>(value_of(d)))) == v) return d;
    d = above(std::move(d));
    if (static_cast<double>(Float16(static_cast<float>(value_of(d)))) == v) return d;
  }
}

void strip_zeros(std::string& digits, std::size_t keep) {
  while (digits.size() > keep && digits.back() == '0') digits.pop_back();
}

std::string with_point(std::string whole, const std::string& fraction, Trim trim) {
  if (!fraction.empty()) return whole + "." + fraction;
  return trim == Trim::bare ? whole : trim == Trim::zero ? whole + ".0" : whole + ".";
}

std::string sign(double v, bool plus) { return std::signbit(v) ? "-" : plus ? "+" : ""; }

std::string special(double v, bool plus) {
  if (std::isnan(v)) return plus ? "+nan" : "nan";
  return (v < 0 ? "-" : plus ? "+" : "") + std::string("inf");
}

std::string padded(std::string s, std::size_t columns) {
  return s.size() < columns ? std::string(columns - s.size(), ' ') + s : s;
}

// From which size on numbers of a type are written with exponents: what its digits hold for sure.
double large(DType dtype) { return dtype == float16 ? 1e3 : dtype == float32 ? 1e6 : 1e8; }

double in_dtype(double v, DType dtype) {
  if (dtype == float64) return v;
  return dtype == float32 ? static_cast<float>(v) : static_cast<float>(Float16(static_cast<float>(v)));
}

std::string lone(double v, DType dtype, Trim trim, bool plus) {
  if (!std::isfinite(v)) return special(v, plus);
  double size = std::abs(v), limit = dtype == float64 ? 1e16 : large(dtype);
  if (size == 0 || (size >= 1e-4 && size < limit)) return positional(v, dtype, {.trim = trim, .plus = plus});
  return scientific(v, dtype, {.trim = Trim::bare, .plus = plus});
}

}  // namespace

std::string scientific(double v, DType dtype, const NumberStyle& style) {
  double size = std::abs(v);
  Decimal d = shortest(size, dtype);
  int behind = static_cast<int>(d.digits.size()) - 1;
  if (style.most >= 0 && behind > style.most)
    d = rounded(size, style.most + 1);
  else if (behind < style.least)
    d = rounded(size, style.least + 1);
  strip_zeros(d.digits, static_cast<std::size_t>(style.least) + 1);
  std::string exponent = std::to_string(std::abs(d.exponent));
  if (exponent.size() < static_cast<std::size_t>(style.exponent_digits))
    exponent.insert(0, style.exponent_digits - exponent.size(), '0');
  return sign(v, style.plus) + with_point(d.digits.substr(0, 1), d.digits.substr(1), style.trim) +
         (d.exponent < 0 ? "e-" : "e+") + exponent;
}

std::string positional(double v, DType dtype, const NumberStyle& style) {
  double size = std::abs(v);
  Decimal d = shortest(size, dtype);
  int behind = static_cast<int>(d.digits.size()) - 1 - d.exponent;
  std::string whole, fraction;
  if (style.most >= 0 && behind > style.most) {
    char text[400];
    char* end = std::to_chars(text, text + sizeof text, size, std::chars_format::fixed, style.most).ptr;
    char* point = std::find(text, end, '.');
    whole.assign(text, point);
    fraction.assign(point == end ? end : point + 1, end);
  } else if (d.exponent < 0) {
    whole = "0";
    fraction = std::string(static_cast<std::size_t>(-d.exponent - 1), '0') + d.digits;
  } else {
    std::size_t before = static_cast<std::size_t>(d.exponent) + 1;
    if (d.digits.size() < before) d.digits.resize(before, '0');
    whole = d.digits.substr(0, before);
    fraction = d.digits.substr(before);
  }
  strip_zeros(fraction, 0);
  return sign(v, style.plus) + with_point(whole, fraction, style.trim);
}

std::string lone_number(double v, DType dtype) {
  return dtype == bfloat16 || dtype.size() == 1 ? general(static_cast<float>(v)) : lone(v, dtype, Trim::zero, false);
}

std::string lone_complex(double real, double imag, DType part) {
  if (real == 0 && !std::signbit(real)) return lone(imag, part, Trim::bare, false) + "j";
  return "(" + lone(real, part, Trim::bare, false) + lone(imag, part, Trim::bare, true) + "j)";
}

std::string general(float v) {
  if (!std::isfinite(v)) return special(v, false);
  char text[64];
  return std::string(text, std::to_chars(text, text + 64, v, std::chars_format::general, 6).ptr);
}

FloatFormat::FloatFormat(const std::vector<double>& values, DType dtype, bool plus) : dtype_(dtype) {
  style_.plus = plus;
  style_.most = precision;
  double largest = 0, smallest = 0;
  bool any_special = false, negative_infinity = plus;
  for (double v : values) {
    any_special |= !std::isfinite(v);
    negative_infinity |= std::isinf(v) && v < 0;
    double size = std::abs(v);
    if (!std::isfinite(v) || size == 0) continue;
    largest = std::max(largest, size);
    smallest = smallest == 0 ? size : std::min(smallest, size);
  }
  if (largest > 0)
    scientific_ =
        largest >= large(dtype) || smallest < in_dtype(1e-4, dtype) || in_dtype(largest / smallest, dtype) > 1000;
  std::size_t exponent = 0;
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    std::string s = scientific_ ? text::scientific(v, dtype, style_) : text::positional(v, dtype, style_);
    std::size_t point = s.find('.'), e = std::min(s.find('e'), s.size());
    left_ = std::max(left_, point);
    right_ = std::max(right_, e - point - 1);
    if (e < s.size()) exponent = std::max(exponent, s.size() - e - 2);
  }
  if (scientific_) {
    style_.most = style_.least = static_cast<int>(right_);
    style_.exponent_digits = static_cast<int>(exponent);
    right_ += exponent + 2;
  }
  if (!any_special) return;
  auto at_least = [&](std::size_t columns) {
    if (columns > right_ + 1) left_ = std::max(left_, columns - right_ - 1);
  };
  at_least(3);
  at_least(negative_infinity ? 4 : 3);
}

std::string FloatFormat::operator()(double v) const {
  if (!std::isfinite(v)) return padded(special(v, style_.plus), left_ + right_ + 1);
  std::string s = scientific_ ? text::scientific(v, dtype_, style_) : text::positional(v, dtype_, style_);
  std::size_t point = std::min(s.find('.'), s.size());
  s = padded(s, s.size() + (left_ > point ? left_ - point : 0));
  if (s.size() < left_ + right_ + 1) s.append(left_ + right_ + 1 - s.size(), ' ');
  return s;
}

}  // namespace tutti::text

// SPDX-License-Identifier: Apache-2.0
