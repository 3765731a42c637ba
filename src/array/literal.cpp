#include "array/literal.hpp"

#include <complex>
#include <cstring>

#include "base/half.hpp"

namespace tutti {

void write_scalar(const Scalar& value, DType dtype, void* out) {
  visit_dtype(dtype, [&]<class T>(Stored<T>) {
    T element;
    if constexpr (std::same_as<T, bool>)
      element = value.dtype.is_inexact() ? value.real != 0 || value.imag != 0 : value.integer != 0;
    else if constexpr (is_small_float<T>)
      element = T(value.as<float>());
    else if constexpr (is_small_integer<T>)
      element = T(value.as<std::int64_t>());
    else
      element = value.as<T>();
    std::memcpy(out, &element, sizeof element);
  });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
