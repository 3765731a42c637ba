// The walk over a tree: one function per type, which calls a visitor. Everything else about trees is ordinary code.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "tutti/tree/types.hpp"

namespace tutti::tree::detail {

// --- names of members ---

template <class T, std::size_t I> consteval std::string_view member_name() {
  if constexpr (HasTraits<T>)
    return reflect::detail::last_identifier(reflect::detail::text<std::get<I>(tree_traits<T>::members)>());
  else
    return reflect::member_name<T, I>();
}
template <class T> consteval std::size_t member_count() {
  if constexpr (HasTraits<T>)
    return std::tuple_size_v<decltype(tree_traits<T>::members)>;
  else
    return reflect::member_count<T>();
}
template <class T, class I> inline constexpr std::nullptr_t names_of = nullptr;
template <class T, std::size_t... I>
inline constexpr std::string_view names_of<T, std::index_sequence<I...>>[sizeof...(I) + 1] = {member_name<T, I>()...,
                                                                                              {}};

consteval NodeType::Kind kind_of(Sort s) {
  switch (s) {
    case Sort::list: return NodeType::Kind::list;
    case Sort::tuple: return NodeType::Kind::tuple;
    case Sort::map: return NodeType::Kind::map;
    case Sort::optional: return NodeType::Kind::optional;
    case Sort::variant: return NodeType::Kind::variant;
    case Sort::frozen: return NodeType::Kind::frozen;
    default: return NodeType::Kind::record;
  }
}
template <class T> inline constexpr NodeType node_type = {kind_of(class_of<T>.sort), type_name<T>()};
template <class T>
requires(class_of<T>.sort == Sort::record ||
         class_of<T>.sort == Sort::traits) inline constexpr NodeType node_type<T> = {
    NodeType::Kind::record, type_name<T>(), names_of<T, std::make_index_sequence<member_count<T>()>>};

// --- static leaves ---

template <class T> std::string_view bytes_of(const void* p) {
  const T& t = *static_cast<const T*>(p);
  if constexpr (is_text<T>)
    return t;
  else
    return {reinterpret_cast<const char*>(t.data()), t.size() * sizeof(t[0])};
}
template <class T> std::size_t hash_of(const void* p) {
  const T& t = *static_cast<const T*>(p);
  if constexpr (HasHashMember<T>)
    return t.hash();
  else if constexpr (HasStdHash<T>)
    return std::hash<T>{}(t);
  else if constexpr (HasText<T>)
    return std::hash<std::string>{}(t.str());
  else
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(p), sizeof(T)});
}
template <class T> std::string text_of(const void* p) {
  if constexpr (HasText<T>)
    return static_cast<const T*>(p)->str();
  else
    return std::string(1, '<').append(type_name<T>()).append(1, '>');  // GCC 12 warns of a sum (-Wrestrict)
}

template <class T> consteval ValueType make_value_type();
template <class T> inline constexpr ValueType value_type = make_value_type<T>();
template <class T> consteval ValueType make_value_type() {
  using Kind = ValueType::Kind;
  constexpr std::string_view name = type_name<T>();
  if constexpr (std::same_as<T, bool>)
    return {Kind::boolean, name, sizeof(T)};
  else if constexpr (std::is_enum_v<T>)
    return {Kind::enumeration, name, sizeof(T)};
  else if constexpr (is_complex<T>)
    return {Kind::complex, name, sizeof(T)};
  else if constexpr (is_function_pointer<T>)
    return {Kind::function, name, sizeof(T)};
  else if constexpr (is_bits<T>)
    return {std::is_floating_point_v<T> ? Kind::real
            : std::is_signed_v<T>       ? Kind::integer
                                        : Kind::natural,
            name, sizeof(T)};
  else if constexpr (is_text<T>)
    return {Kind::text, name, 0, nullptr, &bytes_of<T>};
  else if constexpr (is_numbers<T>)
    return {Kind::numbers, name, 0, &value_type<typename T::value_type>, &bytes_of<T>};
  else if constexpr (std::is_empty_v<T>)
    return {Kind::type, name};
  else
    return {Kind::other,
            name,
            0,
            nullptr,
            nullptr,
            [](const void* p) -> std::shared_ptr<const void> {
              return std::make_shared<const T>(*static_cast<const T*>(p));
            },
            [](const void* a, const void* b) -> bool { return *static_cast<const T*>(a) == *static_cast<const T*>(b); },
            &hash_of<T>,
            &text_of<T>};
}

// --- the walk ---

template <class T> void walk(T& t, Visitor& v);

inline std::string_view key_text(const std::string& key, std::string&) { return key; }
template <std::integral K> std::string_view key_text(K key, std::string& buffer) {
  return buffer = std::to_string(key);
}

template <class T, std::size_t I, class M> void walk_member(M& member, Visitor& v) {
  if constexpr (class_of<M>.sort == Sort::refused) {
    constexpr std::string_view name = member_name<T, I>();
    refuse_member<T, FieldName<name.size()>(name), M>();
  } else {
    v.child(I);
    walk(member, v);
  }
}
template <class T> auto members_of(T& t) {
  if constexpr (HasTraits<T>)
    return std::apply([&](auto... m) { return std::tie(t.*m...); }, tree_traits<T>::members);
  else
    return reflect::tie(t);
}
template <class T, std::size_t... I> void walk_record(T& t, Visitor& v, std::index_sequence<I...>) {
  [[maybe_unused]] auto members = members_of(t);  // none: an empty struct
  v.enter(node_type<T>, sizeof...(I));
  (walk_member<T, I>(std::get<I>(members), v), ...);
  v.exit();
}
template <class T> void walk_child(std::size_t index, T& child, Visitor& v) {
  v.child(index);
  walk(child, v);
}
template <class T, std::size_t... I> void walk_tuple(T& t, Visitor& v, std::index_sequence<I...>) {
  v.enter(node_type<T>, sizeof...(I));
  (walk_child(I, std::get<I>(t), v), ...);
  v.exit();
}
template <class T, std::size_t... I> void walk_variant(T& t, Visitor& v, std::index_sequence<I...>) {
  v.enter(node_type<T>, t.index());
  ((t.index() == I ? walk(*std::get_if<I>(&t), v) : void()), ...);
  v.exit();
}

template <class T> void walk(T& t, Visitor& v) {
  constexpr Sort sort = class_of<T>.sort;
  if constexpr (sort == Sort::refused)
    refuse<class_of<T>.problem>();
  else if constexpr (sort == Sort::array)
    v.array(t);
  else if constexpr (sort == Sort::value)
    v.value(&t, value_type<T>);
  else if constexpr (sort == Sort::custom)
    t.visit_tree(v);
  else if constexpr (sort == Sort::record || sort == Sort::traits)
    walk_record(t, v, std::make_index_sequence<member_count<T>()>{});
  else if constexpr (sort == Sort::tuple)
    walk_tuple(t, v, std::make_index_sequence<std::tuple_size_v<T>>{});
  else if constexpr (sort == Sort::variant)
    walk_variant(t, v, std::make_index_sequence<std::variant_size_v<T>>{});
  else if constexpr (sort == Sort::list) {
    v.enter(node_type<T>, t.size());
    for (std::size_t i = 0; i < t.size(); ++i) {
      v.child(i);
      walk(t[i], v);
    }
    v.exit();
  } else if constexpr (sort == Sort::map) {
    v.enter(node_type<T>, t.size());
    std::string buffer;
    for (auto& [key, element] : t) {
      v.key(key_text(key, buffer));
      walk(element, v);
    }
    v.exit();
  } else if constexpr (sort == Sort::optional) {
    v.enter(node_type<T>, t.has_value());
    if (t) walk(*t, v);
    v.exit();
  } else if constexpr (sort == Sort::frozen) {
    v.enter(node_type<T>, 1);
    [&]<class U>(Frozen<U>& f) { walk(static_cast<U&>(f), v); }(t);
    v.exit();
  }
}

/// Forgets the type. Visitors that only read may be given const trees: the walk itself writes nothing.
template <class T> Ref ref(const T& t) {
  return {const_cast<T*>(&t), [](void* p, Visitor& v) { walk(*static_cast<T*>(p), v); }};
}

}  // namespace tutti::tree::detail

// SPDX-License-Identifier: Apache-2.0
