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
  bool takes_two() const { return f32_2 != nullptr; }
};

extern const Library lib_sin, lib_cos, lib_tan, lib_fmod;

/// The function of this name, or nullptr.
const Library* find_library(std::string_view name);

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
