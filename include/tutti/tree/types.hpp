// Types that are trees, and reasons why others are not.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/tree/reflect.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti {

/// Specialise for classes that are not aggregates, with the members that are trees; the others are copied along.
///
///     template <> struct tutti::tree_traits<Model> { static constexpr auto members = std::tuple{&Model::w, &Model::b};
///     };
template <class T> struct tree_traits {};

/// A T whose arrays grad leaves alone: its gradients are empty.
template <class T> struct Frozen : T {
  Frozen() = default;
  Frozen(T value) : T(std::move(value)) {}
};

namespace tree::detail {

enum class Sort { array, record, traits, list, tuple, map, optional, variant, frozen, custom, value, refused };
enum class Problem {
  none,
  pointer,
  smart_pointer,
  function,
  unordered,
  closure,
  c_array,
  reference,
  constant,
  base,
  too_many,
  move_only,
  opaque
};

// The name of T, from the compiler's text for this function.
template <class T> constexpr const char* type_text() { return __PRETTY_FUNCTION__; }
template <class T> constexpr std::string_view type_name() {
  std::string_view s = type_text<T>();
  s.remove_prefix(s.find("T = ") + 4);
  return s.substr(0, s.find_last_of(']'));
}

template <class T, template <class...> class C> inline constexpr bool is_a = false;
template <class... A, template <class...> class C> inline constexpr bool is_a<C<A...>, C> = true;

template <class T> inline constexpr bool is_std_array = false;
template <class T, std::size_t N> inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_function_pointer = std::is_pointer_v<T>&& std::is_function_v<std::remove_pointer_t<T>>;
template <class T>
inline constexpr bool is_complex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
// Values whose bytes are their identity. A long double has padding, so it is compared by ==.
template <class T>
inline constexpr bool is_bits =
    (std::is_arithmetic_v<T> && !std::same_as<T, long double>) || std::is_enum_v<T> || is_complex<T>;
template <class T>
inline constexpr bool is_text =
    std::same_as<T, std::string> || std::same_as<T, std::string_view> || std::same_as<T, const char*>;
template <class T> inline constexpr bool is_numbers = false;
template <class T> inline constexpr bool is_numbers<std::vector<T>> = is_bits<T> && !std::same_as<T, bool>;
template <class T, std::size_t N> inline constexpr bool is_numbers<std::array<T, N>> = is_bits<T>&& N > 0;

template <class T>
concept HasTraits = requires {
  tree_traits<T>::members;
};
template <class T>
concept HasVisit = requires(T& t, Visitor& v) {
  t.visit_tree(v);
};
template <class T>
concept HasHashMember = requires(const T& t) {
  { t.hash() } -> std::convertible_to<std::size_t>;
};
template <class T>
concept HasStdHash = requires(const T& t) {
  { std::hash<T>{}(t) } -> std::convertible_to<std::size_t>;
};
template <class T>
concept HasText = requires(const T& t) {
  { t.str() } -> std::convertible_to<std::string>;
};
// Some hash: its own, or of its bytes, or of its text.
template <class T>
concept Hashable = HasStdHash<T> || HasHashMember<T> || HasText<T> || std::has_unique_object_representations_v<T>;
template <class T>
concept Comparable = requires(const T& a, const T& b) {
  { a == b } -> std::convertible_to<bool>;
};
template <class T>
concept MapKey = std::same_as<T, std::string> || std::integral<T>;

struct Class {
  Sort sort;
  Problem problem = Problem::none;
};
template <class T> consteval Class classify();
template <class T> inline constexpr Class class_of = classify<T>();

// The first problem among the elements of a container. The members of an aggregate are asked when it is walked, so that
// types may contain themselves.
template <class... E> consteval Class container(Sort sort) {
  Problem problem = Problem::none;
  ((problem == Problem::none ? void(problem = class_of<E>.problem) : void()), ...);
  return {problem == Problem::none ? sort : Sort::refused, problem};
}
template <class T> inline constexpr Class elements = {Sort::refused, Problem::opaque};
template <class E, class A> inline constexpr Class elements<std::vector<E, A>> = container<E>(Sort::list);
template <class E, std::size_t N> inline constexpr Class elements<std::array<E, N>> = container<E>(Sort::list);
template <class... E> inline constexpr Class elements<std::tuple<E...>> = container<E...>(Sort::tuple);
template <class A, class B> inline constexpr Class elements<std::pair<A, B>> = container<A, B>(Sort::tuple);
template <class E> inline constexpr Class elements<std::optional<E>> = container<E>(Sort::optional);
template <class... E> inline constexpr Class elements<std::variant<E...>> = container<E...>(Sort::variant);
template <MapKey K, class E, class C, class A>
inline constexpr Class elements<std::map<K, E, C, A>> = container<E>(Sort::map);

consteval Problem problem_of(reflect::Trouble t) {
  switch (t) {
    case reflect::Trouble::base: return Problem::base;
    case reflect::Trouble::c_array: return Problem::c_array;
    case reflect::Trouble::too_many: return Problem::too_many;
    case reflect::Trouble::no_count: return Problem::reference;
    default: return Problem::none;
  }
}

template <class T> consteval Class classify() {
  constexpr std::string_view name = type_name<T>();
  if constexpr (std::same_as<T, Array>)
    return {Sort::array};
  else if constexpr (std::is_reference_v<T>)
    return {Sort::refused, Problem::reference};
  else if constexpr (std::is_const_v<T>)
    return {Sort::refused, Problem::constant};
  else if constexpr (is_a<T, Frozen>)
    return {Sort::frozen};
  else if constexpr (HasVisit<T>)
    return {Sort::custom};
  else if constexpr (HasTraits<T>)
    return {Sort::traits};
  else if constexpr (is_bits<T> || is_text<T> || is_numbers<T> || is_function_pointer<T>)
    return {Sort::value};
  else if constexpr (std::is_pointer_v<T>)
    return {Sort::refused, Problem::pointer};
  else if constexpr (std::is_array_v<T>)
    return {Sort::refused, Problem::c_array};
  else if constexpr (std::same_as<T, std::vector<bool>>)
    return {Sort::value};
  else if constexpr (elements<T>.problem != Problem::opaque || elements<T>.sort != Sort::refused)
    return elements<T>;
  else if constexpr (is_a<T, std::shared_ptr> || is_a<T, std::unique_ptr> || is_a<T, std::weak_ptr>)
    return {Sort::refused, Problem::smart_pointer};
  else if constexpr (std::is_aggregate_v<T> && std::is_class_v<T>) {
    constexpr Problem p = problem_of(reflect::trouble<T>);
    return {p == Problem::none ? Sort::record : Sort::refused, p};
  } else if constexpr (!std::is_copy_constructible_v<T>)
    return {Sort::refused, Problem::move_only};
  else if constexpr (std::is_empty_v<T>)
    return {Sort::value};
  else if constexpr (Hashable<T> && Comparable<T>)
    return {Sort::value};
  else if constexpr (name.starts_with("std::function<"))
    return {Sort::refused, Problem::function};
  else if constexpr (name.starts_with("std::unordered_"))
    return {Sort::refused, Problem::unordered};
  else if constexpr (name.find("lambda") != name.npos)
    return {Sort::refused, Problem::closure};
  else
    return {Sort::refused, Problem::opaque};
}

// Says why a type is refused: one failed assertion, the user's line is in the compiler's "required from here".
template <Problem P> constexpr void refuse() {
  static_assert(P != Problem::pointer, "tutti: a raw pointer cannot be in a tree: hold a value or std::optional");
  static_assert(P != Problem::smart_pointer,
                "tutti: a smart pointer cannot be in a tree, as copies would share it: hold a value or std::optional");
  static_assert(P != Problem::function,
                "tutti: std::function cannot be in a tree, as it has no equality: use a function "
                "pointer or a functor without state, or wrap it in Static");
  static_assert(P != Problem::unordered, "tutti: an unordered container cannot be in a tree: use std::map or Dict");
  static_assert(P != Problem::closure,
                "tutti: a lambda with captures cannot be in a tree: use a struct with operator() and members");
  static_assert(P != Problem::c_array, "tutti: a C array cannot be in a tree: use std::array");
  static_assert(P != Problem::reference, "tutti: a reference cannot be in a tree: hold a value");
  static_assert(P != Problem::constant, "tutti: a const or reference member cannot be in a tree: hold a plain value");
  static_assert(P != Problem::base,
                "tutti: a struct with a base class is not a tree: make the base a member, or specialise tree_traits");
  static_assert(P != Problem::too_many,
                "tutti: a struct of more than 64 members is not a tree: group members, or specialise tree_traits");
  static_assert(P != Problem::move_only, "tutti: a type that cannot be copied cannot be in a tree");
  static_assert(P != Problem::opaque,
                "tutti: a class with constructors or private members is not a tree: make it an "
                "aggregate, specialise tree_traits, give it == and std::hash, or wrap it in Static");
}

// A member's name as a template argument, so that the compiler's trace shows it.
template <std::size_t N> struct FieldName {
  char text[N + 1] = {};
  consteval FieldName(std::string_view s) {
    for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
  }
};
template <class Struct, FieldName Member, class M> constexpr void refuse_member() { refuse<class_of<M>.problem>(); }

}  // namespace tree::detail

/// A type that tutti can take apart into arrays and static leaves. Members of structs are checked when they are used.
template <class T>
concept Tree = tree::detail::class_of<std::remove_cvref_t<T>>
.sort != tree::detail::Sort::refused;

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
