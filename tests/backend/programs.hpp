// Programs built by hand, and running them on two backends.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/half.hpp"
#include "ir/op.hpp"

namespace tutti::test {

class Builder {
 public:
  ValueId input(Type t) {
    const ValueId v = value(std::move(t));
    program.inputs.push_back(v);
    return v;
  }
  std::vector<ValueId> adds(const Op& op, Params params, std::vector<Atom> operands,
                            std::vector<ProgramPtr> subs = {}) {
    std::vector<Type> types;
    for (const Atom& a : operands) types.push_back(program.type(a));
    std::vector<ValueId> results;
    for (Type& t : infer_types(op, params, types, subs)) results.push_back(value(t));
    program.eqns.push_back(Eqn{&op, std::move(params), std::move(operands), results, std::move(subs), {}});
    return results;
  }
  ValueId add(const Op& op, std::vector<Atom> operands) { return adds(op, {}, std::move(operands))[0]; }
  ValueId add(const Op& op, Params params, std::vector<Atom> operands) {
    return adds(op, std::move(params), std::move(operands))[0];
  }
  const Shape& shape(ValueId v) const { return program.type(v).shape; }
  void output(Atom a) { program.outputs.push_back(a); }

  Program program;

 private:
  ValueId value(Type t) {
    program.types.push_back(std::move(t));
    return static_cast<ValueId>(program.types.size()) - 1;
  }
};

inline Type f32(Shape shape) { return Type{float32, std::move(shape), false, {}}; }

/// Random elements in [lo, hi] (integers rounded; bools and keys any).
inline BufferPtr random_buffer(const Type& t, double lo, double hi, std::mt19937& random) {
  HostPtr b = allocate_buffer(static_cast<std::size_t>(t.nbytes()));
  std::uniform_real_distribution<double> real(lo, hi);
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    char* at = static_cast<char*>(b->data()) + i * t.dtype.size();
    auto put = [&](auto v) { std::memcpy(at, &v, sizeof v); };
    const double x = real(random);
    const auto n = static_cast<std::int64_t>(std::llround(t.dtype.is_unsigned() ? std::abs(x) : x));
    switch (t.dtype.kind()) {
      case DType::Kind::bool_: put(static_cast<unsigned char>(random() & 1)); break;
      case DType::Kind::int8:
      case DType::Kind::uint8: put(static_cast<std::int8_t>(n)); break;
      case DType::Kind::int16:
      case DType::Kind::uint16: put(static_cast<std::int16_t>(n)); break;
      case DType::Kind::int32:
      case DType::Kind::uint32: put(static_cast<std::int32_t>(n)); break;
      case DType::Kind::bfloat16: put(BFloat16(static_cast<float>(x))); break;
      case DType::Kind::float16: put(Float16(static_cast<float>(x))); break;
      case DType::Kind::float8_e4m3fn: put(Float8E4M3FN(static_cast<float>(x))); break;
      case DType::Kind::float8_e5m2: put(Float8E5M2(static_cast<float>(x))); break;
      case DType::Kind::int4: put(Int4(n)); break;
      case DType::Kind::uint4: put(UInt4(n)); break;
      case DType::Kind::float32: put(static_cast<float>(x)); break;
      case DType::Kind::float64: put(x); break;
      case DType::Kind::complex64:
        put(std::complex<float>(static_cast<float>(x), static_cast<float>(real(random))));
        break;
      default: put(n);
    }
  }
  return b;
}

inline double element(const Type& t, const void* data, std::int64_t i) {
  const char* at = static_cast<const char*>(data) + i * t.dtype.size();
  auto get = [&]<class T>(T v) {
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  switch (t.dtype.kind()) {
    case DType::Kind::bool_:
    case DType::Kind::uint8: return get(std::uint8_t{});
    case DType::Kind::int8: return get(std::int8_t{});
    case DType::Kind::int16: return get(std::int16_t{});
    case DType::Kind::uint16: return get(std::uint16_t{});
    case DType::Kind::int32: return get(std::int32_t{});
    case DType::Kind::uint32: return get(std::uint32_t{});
    case DType::Kind::bfloat16: return static_cast<float>(get(BFloat16{}));
    case DType::Kind::float16: return static_cast<float>(get(Float16{}));
    case DType::Kind::float8_e4m3fn: return static_cast<float>(get(Float8E4M3FN{}));
    case DType::Kind::float8_e5m2: return static_cast<float>(get(Float8E5M2{}));
    case DType::Kind::int4: return get(Int4{});
    case DType::Kind::uint4: return get(UInt4{});
    case DType::Kind::float32: return get(float{});
    case DType::Kind::float64: return get(double{});
    default: return static_cast<double>(get(std::int64_t{}));
  }
}

/// Spacing of the type's numbers around x; 0 for exact types.
inline double ulp_at(DType d, double x) {
  if (!d.is_floating()) return 0;
  const int digits = d == bfloat16 ? 8 : d == float16 ? 11 : d == float32 ? 24 : 53;
  const int lowest = d == float64 ? -1074 : d == float16 ? -24 : d == float32 ? -149 : -133;
  return std::ldexp(1.0, std::max(x == 0 || !std::isfinite(x) ? lowest : std::ilogb(x) + 1 - digits, lowest));
}

/// "" when the buffers agree within `ulps` + `relative`; else where they differ first.
inline std::string difference(const Type& t, const void* got, const void* want, double ulps, double relative = 0,
                              double absolute = 0) {
  if (std::memcmp(got, want, static_cast<std::size_t>(t.nbytes())) == 0) return "";
  if (t.dtype.is_complex()) {
    Type real{float32, {t.num_elements() * 2}, false, {}};
    return difference(real, got, want, ulps, relative, absolute);
  }
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    const double g = element(t, got, i), w = element(t, want, i);
    if (std::isnan(g) && std::isnan(w)) continue;
    if (g == w) continue;
    if (std::abs(g - w) <= ulps * ulp_at(t.dtype, w) + relative * std::abs(w) + absolute) continue;
    return "element " + std::to_string(i) + ": " + field::text(g) + " instead of " + field::text(w);
  }
  return "";
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
