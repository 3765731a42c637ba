#include "tutti/numpy/limits.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tutti {
namespace {

// Bits of the fraction and of the exponent.
struct Format {
  int fraction, exponent;
};
Format format_of(DType dtype) {
  if (dtype == float8_e4m3fn) return {3, 4};
  if (dtype == float8_e5m2) return {2, 5};
  if (dtype == bfloat16) return {7, 8};
  if (dtype == float16) return {10, 5};
  return dtype == float32 ? Format{23, 8} : Format{52, 11};
}

// Kinds in NumPy's order: what is of a later kind holds what is of an earlier one.
int kind_of(DType d) {
  return d.is_bool() ? 0 : d.is_unsigned() ? 1 : d.is_signed() ? 2 : d.is_floating() ? 3 : d.is_complex() ? 4 : 5;
}
int bits_of(DType d) { return d == int4 || d == uint4 ? 4 : static_cast<int>(d.size()) * 8; }
// Bits of whole numbers, without a sign, that are exact.
int whole_bits(DType d) {
  const int bits = bits_of(d);
  if (d.is_bool()) return 1;
  if (d.is_integer()) return d.is_signed() ? bits - 1 : bits;
  return format_of(real_dtype(d)).fraction + 1;
}
bool safely(DType from, DType to) {
  if (from == to) return true;
  if (from.is_key() || to.is_key() || kind_of(from) > kind_of(to)) return false;
  if (to.is_integer() || from.is_bool()) return whole_bits(from) <= whole_bits(to);
  // NumPy takes float64 for all of int64.
  if (from.is_integer()) return whole_bits(from) <= whole_bits(to) || real_dtype(to) == float64;
  const Format f = format_of(real_dtype(from)), t = format_of(real_dtype(to));
  return f.fraction <= t.fraction && f.exponent <= t.exponent;
}

}  // namespace

finfo::finfo(DType of, Loc loc) : dtype(real_dtype(of)) {
  if (!dtype.is_floating())
    raise<TypeError>("finfo", std::string(of.name()) + " is not floating", "Integers have iinfo.", loc);
  const Format f = format_of(dtype);
  bits = static_cast<int>(dtype.size()) * 8;
  nmant = f.fraction;
  nexp = f.exponent;
  const bool finite = dtype == float8_e4m3fn;  // its largest exponent has numbers, too
  maxexp = (1 << (nexp - 1)) + finite;
  minexp = 2 - (1 << (nexp - 1));
  precision = std::max(1, static_cast<int>(nmant * std::log10(2.0)));
  eps = std::ldexp(1.0, -nmant);
  epsneg = eps / 2;
  max = std::ldexp(2 - (finite ? 2 * eps : eps), maxexp - 1);
  min = -max;
  smallest_normal = tiny = std::ldexp(1.0, minexp);
  smallest_subnormal = std::ldexp(1.0, minexp - nmant);
  resolution = std::pow(10.0, -precision);
}

iinfo::iinfo(DType of, Loc loc) : dtype(of), bits(bits_of(of)) {
  if (!dtype.is_integer())
    raise<TypeError>("iinfo", std::string(of.name()) + " is no integer", "Floating types have finfo.", loc);
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  max = dtype.is_signed() ? all >> 1 : all;
  min = dtype.is_signed() ? -static_cast<std::int64_t>(max) - 1 : 0;
}

bool can_cast(DType from, DType to, OneOf<Casting> casting) {
  switch (casting) {
    case Casting::no:
    case Casting::equiv: return from == to;
    case Casting::safe: return safely(from, to);
    case Casting::same_kind:
      return safely(from, to) || (!from.is_key() && !to.is_key() && kind_of(from) <= kind_of(to) && !to.is_bool());
    default: return from.is_key() == to.is_key();
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
