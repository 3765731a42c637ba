// Functions of the C library that lanes may call, by name. Float ones are computed in double and rounded once, so that
// the engine and eval give the same well rounded bits whatever the platform's float versions do.
#pragma once

#include <string_view>

namespace tutti::lane {

/// One function in its four forms; those it does not have are null.
struct Library {
  const char* name;
  float (*f32)(float) = nullptr;
  double (*f64)(double) = nullptr;
  float (*f32_2)(float, float) = nullptr;
  double (*f64_2)(double, double) = nullptr;
};

extern const Library lib_exp, lib_exp2, lib_expm1, lib_log, lib_log1p, lib_sin, lib_cos, lib_tan, lib_asin, lib_acos,
    lib_atan, lib_sinh, lib_cosh, lib_tanh, lib_asinh, lib_acosh, lib_atanh, lib_erf, lib_erfc, lib_erf_inv,
    lib_logistic, lib_cbrt, lib_pow, lib_atan2, lib_nextafter;

/// The function of this name, or nullptr.
const Library* find_library(std::string_view name);

}  // namespace tutti::lane
