#include "compile/body.hpp"

#include <bit>
#include <stdexcept>
#include <tuple>

#include "base/half.hpp"
#include "ir/params.hpp"

namespace tutti::compile {
namespace {

using Kind = Inst::Kind;
bool is_narrow(DType d) { return register_type(d) != d; }

double rounded(DType d, double v) {
  if (d == bfloat16) return static_cast<float>(BFloat16(static_cast<float>(v)));
  if (d == float16) return static_cast<float>(Float16(static_cast<float>(v)));
  if (d == float8_e4m3fn) return static_cast<float>(Float8E4M3FN(static_cast<float>(v)));
  if (d == float8_e5m2) return static_cast<float>(Float8E5M2(static_cast<float>(v)));
  if (d == float32) return static_cast<float>(v);
  return v;
}

}  // namespace

DType register_type(DType d) { return d == bfloat16 || d == float16 ? float32 : arithmetic_dtype(d); }

Reg Recorder::push(Inst i) {
  const bool is_made = i.kind != Kind::load && i.kind != Kind::constant;
  if (when_ >= 0 && is_made && !known_.contains(i)) i.when = when_;
  auto [it, fresh] = known_.emplace(i, static_cast<int>(body_.insts.size()));
  if (fresh) body_.insts.push_back(i);
  return {it->second, i.dtype};
}

Reg Recorder::load(int access, DType dtype) {
  Reg r = push({.kind = Kind::load, .dtype = register_type(dtype), .bits = access});
  if (is_narrow(dtype)) narrow_[r.id] = dtype;
  return r;
}

Reg Recorder::stored(Reg x, DType dtype) {
  if (x.dtype != register_type(dtype)) x = convert(x, register_type(dtype));
  auto it = narrow_.find(x.id);
  if (!is_narrow(dtype) || (it != narrow_.end() && it->second == dtype)) return x;
  Reg r = push(
      {.kind = Kind::narrow, .sub = static_cast<std::uint8_t>(dtype.kind()), .dtype = register_type(dtype), .a = x.id});
  narrow_[r.id] = dtype;
  return r;
}

Reg Recorder::constant(DType dtype, double value) {
  if (!dtype.is_floating()) return constant_int(dtype, static_cast<std::int64_t>(value));
  return push({.kind = Kind::constant,
               .dtype = register_type(dtype),
               .bits = std::bit_cast<std::int64_t>(rounded(dtype, value))});
}
Reg Recorder::literal(const Scalar& x) {
  const bool floating = x.dtype.is_floating();
  return push({.kind = Kind::constant,
               .sub = 1,
               .dtype = register_type(x.dtype),
               .bits = floating ? std::bit_cast<std::int64_t>(rounded(x.dtype, x.real)) : x.integer});
}
Reg Recorder::constant_int(DType dtype, std::int64_t value) {
  if (dtype.is_floating()) return constant(dtype, static_cast<double>(value));
  return push({.kind = Kind::constant, .dtype = register_type(dtype), .bits = value});
}
Reg Recorder::unary(Un op, Reg x) {
  return push({.kind = Kind::unary, .sub = static_cast<std::uint8_t>(op), .dtype = x.dtype, .a = x.id});
}
Reg Recorder::binary(Bin op, Reg x, Reg y) {
  return push({.kind = Kind::binary, .sub = static_cast<std::uint8_t>(op), .dtype = x.dtype, .a = x.id, .b = y.id});
}
Reg Recorder::compare(Cmp op, Reg x, Reg y) {
  return push({.kind = Kind::compare, .sub = static_cast<std::uint8_t>(op), .dtype = bool_, .a = x.id, .b = y.id});
}
Reg Recorder::select(Reg condition, Reg if_true, Reg if_false) {
  Reg r = push({.kind = Kind::select, .dtype = if_true.dtype, .a = condition.id, .b = if_true.id, .c = if_false.id});
  auto t = narrow_.find(if_true.id), f = narrow_.find(if_false.id);
  if (t != narrow_.end() && f != narrow_.end() && t->second == f->second) narrow_[r.id] = t->second;
  return r;
}
Reg Recorder::fma(Reg a, Reg b, Reg c) {
  return push({.kind = Kind::fma, .dtype = a.dtype, .a = a.id, .b = b.id, .c = c.id});
}

Reg Recorder::convert(Reg x, DType dtype) {
  if (is_narrow(dtype)) return stored(convert(x, register_type(dtype)), dtype);
  if (x.dtype == dtype) return x;
  return push({.kind = Kind::convert, .dtype = dtype, .a = x.id});
}

Reg Recorder::bitcast(Reg x, DType dtype) {
  auto it = narrow_.find(x.id);
  const bool from_narrow = it != narrow_.end() && it->second.size() == dtype.size(), to_narrow = is_narrow(dtype);
  if (x.dtype == dtype || (from_narrow && it->second == dtype)) return x;
  if (from_narrow && to_narrow) return bitcast(bitcast(x, dtype.size() == 1 ? uint8 : uint16), dtype);
  DType half = from_narrow ? it->second : to_narrow ? dtype : bool_;
  Reg r = push(
      {.kind = Kind::bitcast, .sub = static_cast<std::uint8_t>(half.kind()), .dtype = register_type(dtype), .a = x.id});
  if (to_narrow) narrow_[r.id] = dtype;
  return r;
}

Reg Recorder::library(const char* name, Reg x) {
  return push({.kind = Kind::library, .dtype = x.dtype, .a = x.id, .name = name});
}
Reg Recorder::library(const char* name, Reg x, Reg y) {
  return push({.kind = Kind::library, .dtype = x.dtype, .a = x.id, .b = y.id, .name = name});
}
Reg Recorder::library(const char* name, Reg x, Reg y, Reg z) {
  return push({.kind = Kind::library, .dtype = x.dtype, .a = x.id, .b = y.id, .c = z.id, .name = name});
}
Reg Recorder::rare(Reg condition, const char* name, Reg x, Reg otherwise) {
  return push({.kind = Kind::rare, .dtype = x.dtype, .a = condition.id, .b = x.id, .c = otherwise.id, .name = name});
}

std::string Body::str() const {
  static const char* kinds[] = {"load",    "constant", "",       "", "",     "select", "fma",
                                "convert", "bitcast",  "narrow", "", "rare", "rotate"};
  static const char* un[] = {"neg", "abs", "sqrt", "floor", "ceil", "round_even", "trunc", "not", "popcount", "clz"};
  static const char* bin[] = {
      "add",  "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr_logical", "shr_arithmetic",
      "scale"};
  static const char* cmp[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  std::string out;
  for (std::size_t k = 0; k < insts.size(); ++k) {
    const Inst& i = insts[k];
    out += "r" + std::to_string(k) + ":" + std::string(i.dtype.name()) + " = ";
    out += i.kind == Kind::unary     ? un[i.sub]
           : i.kind == Kind::binary  ? bin[i.sub]
           : i.kind == Kind::compare ? cmp[i.sub]
                                     : kinds[static_cast<int>(i.kind)];
    if (i.name) out += std::string(" ") + i.name;
    if (i.kind == Kind::load) out += " @" + std::to_string(i.bits);
    if (i.kind == Kind::constant)
      out += " " + (i.dtype.is_floating() ? field::text(std::bit_cast<double>(i.bits)) : std::to_string(i.bits));
    if (i.kind == Kind::narrow || i.kind == Kind::bitcast)
      out += " " + std::string(DType(static_cast<DType::Kind>(i.sub)).name());
    if (i.kind == Kind::rotate) out += " " + std::to_string(i.bits);
    for (int operand : {i.a, i.b, i.c})
      if (operand >= 0) out += " r" + std::to_string(operand);
    if (i.when >= 0) out += " when r" + std::to_string(i.when);
    out += "\n";
  }
  return out;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
