// Options that are enums, taken as JAX's strings as well: convolve(x, k, "same"), meshgrid(xs, {.indexing = "ij"}).
//
// An enum says beside its definition what its strings are, and functions and options take a OneOf of it:
//
//     enum class Indexing { xy, ij };
//     constexpr Choices choices_of(Indexing) { return {"meshgrid", "indexing", "xy ij"}; }
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "tutti/base/error.hpp"

namespace tutti {

/// The strings of an enum with the values 0, 1, 2, ...: one word for each in that order, several for one value with |
/// between them. `operation` and `option` are for errors.
struct Choices {
  const char* operation;
  const char* option;
  const char* names;
};

namespace detail {
/// The value that `name` stands for. ValueError, which names all strings and the nearest one, for another name.
int value_of_choice(const Choices& choices, std::string_view name, Loc loc);
}  // namespace detail

/// A value of an enum, or the string that JAX has for it. ValueError for another string.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class E>
requires std::is_enum_v<E>
class OneOf {
 public:
  constexpr OneOf(E value) : value_(value) {}
  template <std::convertible_to<std::string_view> S>
  OneOf(const S& name, Loc loc = Loc::current())
      : value_(static_cast<E>(detail::value_of_choice(choices_of(E{}), name, loc))) {}
  constexpr operator E() const { return value_; }

 private:
  E value_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
