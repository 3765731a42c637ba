#include "lane/library.hpp"

#include <cmath>

namespace tutti::lane {
namespace {

template <double (*f)(double)> constexpr Library one(const char* name) {
  return {.name = name, .f32 = [](float x) { return static_cast<float>(f(x)); }, .f64 = [](double x) { return f(x); }};
}
template <double (*f)(double, double)> constexpr Library two(const char* name) {
  return {.name = name,
          .f32_2 = [](float x, float y) { return static_cast<float>(f(x, y)); },
          .f64_2 = [](double x, double y) { return f(x, y); }};
}

}  // namespace

constinit const Library lib_sin = one<std::sin>("sin"), lib_cos = one<std::cos>("cos"), lib_tan = one<std::tan>("tan"),
                        lib_fmod = two<std::fmod>("fmod");

const Library* find_library(std::string_view name) {
  static const Library* const all[] = {&lib_sin, &lib_cos, &lib_tan, &lib_fmod};
  for (const Library* f : all)
    if (name == f->name) return f;
  return nullptr;
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
