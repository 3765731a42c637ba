// Reflection of aggregates: how many members a struct has, references to them, and their names. No macros, std only.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/tree/reflect_bindings.hpp"
#include "tutti/tree/reflect_braces.hpp"

namespace tutti::reflect {

/// The most members a reflected struct may have.
inline constexpr std::size_t max_members = 64;

/// Why a struct cannot be reflected; `none` when it can.
enum class Trouble { none, not_aggregate, base, c_array, too_many, no_count };

namespace detail {

// Converts to anything, so that `T{Any{}, Any{}}` asks only whether T takes that many initialisers. Never called; it
// has a body because clang asks for one where T has internal linkage.
struct Any {
  template <class T> operator T() const { __builtin_unreachable(); }
};

// Converts to proper bases of T only: aggregate initialisation puts bases before members.
template <class T> struct AnyBase {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const;
};

template <std::size_t> using AnyAt = Any;

template <class T, class I> inline constexpr bool takes = false;
template <class T, std::size_t... I> inline constexpr bool takes<T, std::index_sequence<I...>> = requires {
  T{AnyAt<I>{}...};
};

// Whether T takes `{}` after sizeof...(I) initialisers and before sizeof...(J) more.
template <class T, class I, class J> inline constexpr bool takes_brace_at = false;
template <class T, std::size_t... I, std::size_t... J>
inline constexpr bool takes_brace_at<T, std::index_sequence<I...>, std::index_sequence<J...>> = requires {
  T{AnyAt<I>{}..., {}, AnyAt<J>{}...};
};

inline constexpr std::size_t no_count = static_cast<std::size_t>(-1);

// Valid counts are an interval that need not start at 0 (a member without a default). One beyond max_members is tried
// so that "too many" is told from "none".
template <class T, std::size_t N = 0, bool Found = false> consteval std::size_t initialisers() {
  constexpr bool ok = takes<T, std::make_index_sequence<N>>;
  if constexpr (Found && !ok)
    return N - 1;
  else if constexpr (N > max_members)
    return ok ? N : no_count;
  else
    return initialisers<T, N + 1, ok>();
}

// A C array takes as many initialisers as it has elements, but one pair of braces; `{}` in its place then leaves too
// many initialisers for the rest. A member that has no default takes `{}` before no rest at all.
template <class T, std::size_t I, std::size_t Rest> consteval bool brace_fits_before_fewer() {
  if constexpr (takes_brace_at<T, std::make_index_sequence<I>, std::make_index_sequence<Rest>>)
    return true;
  else if constexpr (Rest == 0)
    return false;
  else
    return brace_fits_before_fewer<T, I, Rest - 1>();
}
template <class T, std::size_t N, std::size_t I = 0> consteval bool has_array_from() {
  if constexpr (I + 1 >= N)
    return false;
  else if constexpr (takes_brace_at<T, std::make_index_sequence<I>, std::make_index_sequence<N - 1 - I>>)
    return has_array_from<T, N, I + 1>();
  else
    return brace_fits_before_fewer<T, I, N - 2 - I>() || has_array_from<T, N, I + 1>();
}
template <class T, std::size_t N> consteval bool has_c_array() {
  if constexpr (takes_braces<T>(Count<N>{}))
    return false;  // the usual case, one question
  else
    return has_array_from<T, N>();
}

template <class T> consteval std::pair<Trouble, std::size_t> count() {
  if constexpr (!std::is_aggregate_v<T> || !std::is_class_v<T>)
    return {Trouble::not_aggregate, 0};
  else if constexpr (std::is_empty_v<T>)
    return {requires {T{AnyBase<T>{}};
}
? Trouble::base : Trouble::none, 0
};  // namespace detail
else if constexpr (requires { T{AnyBase<T>{}}; }) return {Trouble::base, 0};
else {
  constexpr std::size_t n = initialisers<T>();
  if constexpr (n == no_count)
    return {Trouble::no_count, 0};
  else if constexpr (n > max_members)
    return {Trouble::too_many, 0};
  else if constexpr (has_c_array<T, n>())
    return {Trouble::c_array, 0};
  else
    return {Trouble::none, n};
}
}  // namespace tutti::reflect
template <class T> inline constexpr std::pair<Trouble, std::size_t> counted = count<T>();

// A T that exists only to have addresses: the name of a member is in the text of a pointer to it.
template <class T> struct Holder { const T value; };
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
template <class T> extern const Holder<T> ghost;

// A class around the pointer: before 18 clang takes no bare pointer to a subobject as template argument.
template <class M> struct Pointer { M* p; };
template <class M> Pointer(M*) -> Pointer<M>;

// The result is a plain pointer: with string_view as result g++ adds text of its own after the argument.
template <auto Member> constexpr const char* text() { return __PRETTY_FUNCTION__; }

constexpr bool in_identifier(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr std::string_view last_identifier(std::string_view s) {
  while (!s.empty() && !in_identifier(s.back())) s.remove_suffix(1);
  std::size_t begin = s.size();
  while (begin > 0 && in_identifier(s[begin - 1])) --begin;
  return s.substr(begin);
}
template <class T, std::size_t I> consteval std::string_view name_of() {
  return last_identifier(text<Pointer{&std::get<I>(bind(ghost<T>.value, Count<counted<T>.second>{}))}>());
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class T, std::size_t I> inline constexpr std::string_view name = name_of<T, I>();

}  // namespace detail

/// Reflectability of T, with the reason why not.
template <class T> inline constexpr Trouble trouble = detail::counted<std::remove_cv_t<T>>.first;

/// A struct that can be reflected: an aggregate of at most 64 members, without bases and C arrays.
template <class T>
concept Aggregate = std::is_class_v<T> && std::is_aggregate_v<T> && trouble<T>
== Trouble::none;

/// The number of members of T.
template <class T> consteval std::size_t member_count() {
  static_assert(trouble<T> != Trouble::not_aggregate, "tutti: only aggregates can be reflected");
  static_assert(trouble<T> != Trouble::base, "tutti: a struct with a base class cannot be reflected");
  static_assert(trouble<T> != Trouble::c_array, "tutti: a struct with a C array cannot be reflected; use std::array");
  static_assert(trouble<T> != Trouble::too_many, "tutti: a struct of more than 64 members cannot be reflected");
  static_assert(trouble<T> != Trouble::no_count, "tutti: a struct with a reference member cannot be reflected");
  return detail::counted<std::remove_cv_t<T>>.second;
}

/// A std::tuple of references to the members of `t`, const where t is.
template <class T> constexpr auto tie(T& t) { return detail::bind(t, detail::Count<member_count<T>()>{}); }

/// The name of member I as it is written in the struct.
template <class T, std::size_t I> consteval std::string_view member_name() {
  static_assert(I < member_count<T>(), "tutti: the struct has fewer members");
  return detail::name<std::remove_cv_t<T>, I>;
}

/// Calls `f(name, member)` for each member in order.
template <class T, class F> constexpr void for_each(T& t, F&& f) {
  auto members = tie(t);
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(member_name<T, I>(), std::get<I>(members)), ...); }
  (std::make_index_sequence<member_count<T>()>{});
}

}  // namespace tutti::reflect

// SPDX-License-Identifier: Apache-2.0
