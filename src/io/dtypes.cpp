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
std::optional<NpyType> npy_dtype(std::string_view descr) {
  if (descr.empty() || std::string_view("<>=|").find(descr[0]) == descr.npos) return std::nullopt;
  for (const StoredType& s : kStored)
    if (!s.npy.empty() && descr.substr(1) == s.npy) return NpyType{s.dtype, descr[0] == '>' && s.dtype.size() > 1};
  return std::nullopt;
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const StoredType& s : kStored)
    if (s.dtype.name() == name) return s.dtype;
  return name == prng_key.name() ? std::optional(prng_key) : std::nullopt;
}

}  // namespace tutti::io::detail
