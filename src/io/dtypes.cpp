#include "io/dtypes.hpp"

#include <array>

namespace tutti::io::detail {
namespace {

struct StoredType {
  DType dtype;
  std::string_view safetensors, npy;  // npy: kind and bytes, without the order of bytes
};
constexpr std::array<StoredType, 19> kStored = {{{bool_, "BOOL", "b1"},
                                                 {int8, "I8", "i1"},
                                                 {int16, "I16", "i2"},
                                                 {int32, "I32", "i4"},
                                                 {int64, "I64", "i8"},
                                                 {uint8, "U8", "u1"},
                                                 {uint16, "U16", "u2"},
                                                 {uint32, "U32", "u4"},
                                                 {uint64, "U64", "u8"},
                                                 {int4, "", ""},
                                                 {uint4, "", ""},
                                                 {float8_e4m3fn, "F8_E4M3", ""},
                                                 {float8_e5m2, "F8_E5M2", ""},
                                                 {bfloat16, "BF16", ""},
                                                 {float16, "F16", "f2"},
                                                 {float32, "F32", "f4"},
                                                 {float64, "F64", "f8"},
                                                 {complex64, "C64", "c8"},
                                                 {complex128, "C128", "c16"}}};

}  // namespace

std::string_view safetensors_name(DType dtype) {
  for (const StoredType& s : kStored)
    if (s.dtype == dtype) return s.safetensors;
  return "";
}
std::optional<DType> safetensors_dtype(std::string_view name) {
  for (const StoredType& s : kStored)
    if (!s.safetensors.empty() && s.safetensors == name) return s.dtype;
  return std::nullopt;
}

std::string_view npy_name(DType dtype) {
  for (const StoredType& s : kStored)
    if (s.dtype == dtype) return s.npy;
  return "";
}
namespace {

// Other spellings than kind and bytes: letters, which may follow an order of bytes, and names, which stand alone.
// Source: numpy.dtype, where C's long has 64 bits.
struct Spelling {
  std::string_view text;
  DType dtype;
};
constexpr std::array<Spelling, 20> kLetters = {
    {{"?", bool_},  {"b", int8},    {"B", uint8},   {"h", int16},   {"H", uint16},    {"i", int32},     {"I", uint32},
     {"l", int64},  {"L", uint64},  {"q", int64},   {"Q", uint64},  {"n", int64},     {"N", uint64},    {"p", int64},
     {"P", uint64}, {"e", float16}, {"f", float32}, {"d", float64}, {"F", complex64}, {"D", complex128}}};
constexpr std::array<Spelling, 23> kNames = {
    {{"bool_", bool_},       {"int", int64},          {"int_", int64},        {"long", int64},
     {"longlong", int64},    {"intp", int64},         {"uint", uint64},       {"ulong", uint64},
     {"ulonglong", uint64},  {"uintp", uint64},       {"intc", int32},        {"uintc", uint32},
     {"short", int16},       {"ushort", uint16},      {"byte", int8},         {"ubyte", uint8},
     {"half", float16},      {"single", float32},     {"float", float64},     {"double", float64},
     {"csingle", complex64}, {"cdouble", complex128}, {"complex", complex128}}};

template <std::size_t N> std::optional<DType> spelt(const std::array<Spelling, N>& spellings, std::string_view text) {
  for (const Spelling& s : spellings)
    if (s.text == text) return s.dtype;
  return std::nullopt;
}
bool has_order(std::string_view descr) {
  return !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
}

}  // namespace

std::optional<NpyType> npy_dtype(std::string_view descr) {
  const std::string_view code = descr.substr(has_order(descr) ? 1 : 0);
  const bool swapped = descr.starts_with('>');
  for (const StoredType& s : kStored) {
    if (s.npy.empty()) continue;
    if (code == s.npy) return NpyType{s.dtype, swapped && s.dtype.size() > 1};
    if (descr == s.dtype.name()) return NpyType{s.dtype};
  }
  if (const auto dtype = spelt(kLetters, code)) return NpyType{*dtype, swapped && dtype->size() > 1};
  if (const auto dtype = spelt(kNames, descr)) return NpyType{*dtype};
  return std::nullopt;
}

std::string_view npy_foreign_kind(std::string_view descr) {
  const std::string_view code = descr.substr(has_order(descr) ? 1 : 0);
  switch (code.empty() ? '\0' : code[0]) {
    case 'O': return "Python objects";
    case 'U':
    case 'S': return "text";
    case 'V': return "bytes without a meaning";
    case 'M': return "dates";
    case 'm': return "differences of dates";
    case 'g':
    case 'G': return "numbers of C's long double";
    default: return "";
  }
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const StoredType& s : kStored)
    if (s.dtype.name() == name) return s.dtype;
  return name == prng_key.name() ? std::optional(prng_key) : std::nullopt;
}

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
