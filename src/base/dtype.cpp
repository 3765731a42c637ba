#include "tutti/base/dtype.hpp"

#include <ostream>

#include <array>

#include "base/recording.hpp"
#include "base/settings.hpp"

namespace tutti {

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype.name(); }

std::string_view DType::name() const {
  static constexpr std::array<std::string_view, 20> names = {
      "bool",    "int4",    "int8",    "int16",     "int32",         "int64",       "uint4",
      "uint8",   "uint16",  "uint32",  "uint64",    "float8_e4m3fn", "float8_e5m2", "bfloat16",
      "float16", "float32", "float64", "complex64", "complex128",    "key<fry>"};
  return names[static_cast<std::size_t>(kind_)];
}

void enable_x64(bool on) {
  if (on != x64_enabled()) refuse_while_recording("enable_x64");
  settings::set(settings::x64, on);
}
bool x64_enabled() { return settings::get(settings::x64) != 0; }

DType canonical(DType dtype) {
  if (x64_enabled()) return dtype;
  if (dtype == int64) return int32;
  if (dtype == uint64) return uint32;
  if (dtype == float64) return float32;
  if (dtype == complex128) return complex64;
  return dtype;
}
DType inexact(DType dtype) {
  if (dtype.is_inexact()) return dtype;
  return canonical(float64) == float64 && dtype.size() == 8 ? float64 : float32;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
