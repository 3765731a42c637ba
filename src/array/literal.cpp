#include "array/literal.hpp"

#include <complex>
#include <cstring>

#include "base/half.hpp"

namespace tutti {

void write_scalar(const Scalar& value, DType dtype, void* out) {
  auto put = [&](auto v) { std::memcpy(out, &v, sizeof v); };
  switch (dtype.kind()) {
    case DType::Kind::bool_:
      return put(static_cast<unsigned char>(value.dtype.is_inexact() ? value.real != 0 || value.imag != 0
                                                                     : value.integer != 0));
    case DType::Kind::int8: return put(value.as<std::int8_t>());
    case DType::Kind::int16: return put(value.as<std::int16_t>());
    case DType::Kind::int32: return put(value.as<std::int32_t>());
    case DType::Kind::int64: return put(value.as<std::int64_t>());
    case DType::Kind::uint8: return put(value.as<std::uint8_t>());
    case DType::Kind::uint16: return put(value.as<std::uint16_t>());
    case DType::Kind::uint32: return put(value.as<std::uint32_t>());
    case DType::Kind::uint64:
    case DType::Kind::prng_key: return put(value.as<std::uint64_t>());
    case DType::Kind::bfloat16: return put(BFloat16(value.as<float>()));
    case DType::Kind::float16: return put(Float16(value.as<float>()));
    case DType::Kind::float32: return put(value.as<float>());
    case DType::Kind::float64: return put(value.as<double>());
    case DType::Kind::complex64: return put(value.as<std::complex<float>>());
  }
}

}  // namespace tutti
