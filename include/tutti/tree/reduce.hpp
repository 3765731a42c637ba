// Trees to one value, and one value to trees. Source: jax.tree.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/tree/tree.hpp"

namespace tutti::tree {

/// fn(fn(leaf0, leaf1), leaf2) ...; with an initial value fn(fn(initial, leaf0), leaf1) ..., whose type the result has.
///
///     Array norm2 = tree::reduce([](const Array& a, const Array& x) { return a + sum(x * x); }, grads, Array(0.f));
///
/// Without one, a ValueError when there is no array.
template <class Fn, class T, class Initial> Initial reduce(Fn&& fn, const T& tree, Initial initial) {
  for (const Array& leaf : leaves(tree)) initial = fn(initial, leaf);
  return initial;
}
template <class Fn, class T> Array reduce(Fn&& fn, const T& tree, Loc loc = Loc::current()) {
  const std::vector<Array> all = leaves(tree);
  if (all.empty())
    raise<ValueError>("tree::reduce", "the tree has no arrays", "Give an initial value as the third argument.", loc);
  Array out = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) out = fn(out, all[i]);
  return out;
}
/// The same of an associative function, by pairs: the depth is the logarithm of the number of arrays.
template <class Fn, class T> Array reduce_associative(Fn&& fn, const T& tree, Loc loc = Loc::current()) {
  std::vector<Array> all = leaves(tree);
  if (all.empty()) raise<ValueError>("tree::reduce_associative", "the tree has no arrays", "Give one or more.", loc);
  while (all.size() > 1) {
    std::vector<Array> pairs;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) pairs.push_back(fn(all[i], all[i + 1]));
    if (all.size() % 2) pairs.push_back(all.back());
    all = std::move(pairs);
  }
  return all[0];
}
/// True if every array, of one element each, is true.
template <class T> bool all(const T& tree) {
  for (const Array& leaf : leaves(tree))
    if (!leaf.template item<bool>()) return false;
  return true;
}

/// The arrays that are there with their paths, and the structure.
template <class T> std::pair<std::vector<std::pair<Path, Array>>, StructureOf<T>> flatten_with_path(const T& tree) {
  return {leaves_with_path(tree), structure(tree)};
}

/// A tree like `full` in which each array is the one that stands at its place in `prefix`, a tree that may end earlier:
/// an Array stands for all arrays below. Tuples, pairs and vectors are walked side by side; their lengths must be equal
/// (ValueError).
template <class Prefix, class T> T broadcast(const Prefix& prefix, const T& full, Loc loc = Loc::current()) {
  if constexpr (std::is_same_v<Prefix, T>) {
    return prefix;
  } else if constexpr (std::is_same_v<Prefix, Array>) {
    return map([&](const Array&) { return prefix; }, full);
  } else if constexpr (requires {
                         std::tuple_size<Prefix>::value;
                         std::tuple_size<T>::value;
                       }) {
    static_assert(std::tuple_size_v<Prefix> == std::tuple_size_v<T>, "tutti: tree::broadcast: tuples of other lengths");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return T{broadcast(std::get<I>(prefix), std::get<I>(full), loc)...};
    }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
  } else {
    T out = full;
    if (prefix.size() != out.size())
      raise<ValueError>("tree::broadcast",
                        "a list of " + std::to_string(prefix.size()) + " for one of " + std::to_string(out.size()),
                        "Lists have one length in the prefix and in the tree.", loc);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = broadcast(prefix[i], full[i], loc);
    return out;
  }
}

}  // namespace tutti::tree

// SPDX-License-Identifier: Apache-2.0
