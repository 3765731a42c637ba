// Texts with fields, `x = {}, {name:.3f}`, whose values are arrays that may not be known yet.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace debug {

/// A value for the field of this name.
template <class T> struct Named {
  std::string name;
  const T& value;
};
/// `debug::print("x = {x}", debug::named("x", x))`.
template <class T> Named<T> named(std::string name, const T& value) { return {std::move(name), value}; }

}  // namespace debug

namespace detail {

/// A text with fields, and the user's line.
struct FormatText {
  std::string text;
  Loc loc;
  template <class T>
  requires std::is_convertible_v<const T&, std::string_view> FormatText(const T& t, Loc l = Loc::current())
      : text(std::string_view(t)), loc(l) {}
};

/// A value of a field: a number or text, an array, or a tree with the paths of its arrays.
struct TextValue {
  using Plain = std::variant<std::monostate, bool, long long, unsigned long long, double, std::string>;
  std::string name;  // empty: by place
  Plain plain;       // monostate: arrays
  bool is_tree = false;
  std::vector<Array> arrays;
  std::vector<std::string> paths;
};

template <class T> TextValue text_value(const T& x) {
  TextValue out;
  if constexpr (std::is_same_v<T, Array>) {
    out.arrays = {x};
  } else if constexpr (std::is_same_v<T, bool>) {
    out.plain = x;
  } else if constexpr (std::is_floating_point_v<T>) {
    out.plain = static_cast<double>(x);
  } else if constexpr (std::is_unsigned_v<T>) {
    out.plain = static_cast<unsigned long long>(x);
  } else if constexpr (std::is_integral_v<T>) {
    out.plain = static_cast<long long>(x);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out.plain = std::string(std::string_view(x));
  } else if constexpr (requires { std::string(x.str()); }) {
    out.plain = std::string(x.str());
  } else if constexpr (std::is_convertible_v<const T&, Array>) {
    out.arrays = {Array(x)};  // an element, a slice
  } else {
    out.is_tree = true;
    for (auto& [path, leaf] : tree::leaves_with_path(x)) {
      out.paths.push_back(path.str());
      out.arrays.push_back(leaf);
    }
  }
  return out;
}
template <class T> TextValue text_value(const debug::Named<T>& x) {
  TextValue out = text_value(x.value);
  out.name = x.name;
  return out;
}

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
