// Trees: structs and containers of arrays, taken apart and put together again.
//
// An Array is a leaf. A plain aggregate is a tree without any declaration; so are vector, array, tuple, pair, optional,
// variant, map, Dict and, by tree_traits, other classes. Everything else in them (numbers, text, enums, function
// pointers, meshes, shardings) is static: part of the structure, compared by value. An empty Array is an absent leaf.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/tree/structure.hpp"
#include "tutti/tree/types.hpp"
#include "tutti/tree/walk.hpp"

namespace tutti {

/// A value that is static in a tree, whatever its type: compared by ==, or where there is none by identity (copies of
/// one Static are equal). Arrays in it are constants.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class Static {
 public:
  Static() : value_(std::make_shared<const T>()) {}
  Static(T value) : value_(std::make_shared<const T>(std::move(value))) {}
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }
  std::size_t hash() const {
    if constexpr (compares && tree::detail::Hashable<T>)
      return tree::detail::hash_of<T>(value_.get());
    else
      return compares ? 0 : std::hash<const T*>{}(value_.get());
  }
  std::string str() const { return tree::detail::text_of<T>(value_.get()); }
  friend bool operator==(const Static& a, const Static& b) {
    if constexpr (compares)
      return *a.value_ == *b.value_;
    else
      return a.value_ == b.value_;
  }

 private:
  static constexpr bool compares = tree::detail::Comparable<T>;
  std::shared_ptr<const T> value_;
};

/// Predicates for tree::filter and tree::partition: whether there is an array; whether it is floating or complex.
inline bool is_array(const Array& x) { return x.has_value(); }
bool is_inexact_array(const Array& x);

// These templates take any type, not only a Tree: a refused type is then told with its reason by the walk, where a
// constraint would say "no matching function".
namespace tree {

/// The arrays of a tree that are there, in order, and the rest. `frozen`: for each array whether it lies in a Frozen.
struct Flat {
  std::vector<Array> leaves;
  std::vector<bool> frozen;
  Structure structure;
};

/// A structure that remembers the type of its tree.
template <class T> struct StructureOf : Structure {
  T like;  // the tree, its arrays removed
};

namespace detail {

void flatten_into(Ref tree, Flat& flat);
Structure structure_of(std::span<const Ref> trees);
std::vector<Array> leaves_of(Ref tree);
std::vector<Path> paths_of(Ref tree);    // of all slots
std::vector<Array*> slots_of(Ref tree);  // all places for arrays
std::vector<std::pair<Path, Array>> leaves_with_path_of(Ref tree);
std::vector<Path> leaf_paths_of(Ref tree);                  // of the arrays that are there
std::vector<Array> places_of(Ref tree);                     // what all slots hold
void append_present(Ref tree, std::vector<bool>& present);  // for each slot whether an array is there
std::vector<std::pair<int, Path>> without_argument(const std::vector<Path>& paths);  // as TreeOf takes them
void assign(Ref tree, std::span<const Array> leaves, const char* what, Loc loc);
// The arrays of several trees one after the other, one for each that is there.
void assign_all(std::span<const Ref> trees, std::span<const Array> leaves);
// That so many arrays came for a tree of so many places, `filled` of which have an array: ValueError.
[[noreturn]] void refuse_count(const char* what, std::size_t came, std::size_t places, std::size_t filled, Loc loc);

// The slots of several trees side by side.
struct Columns {
  std::vector<std::vector<Array*>> column;
  std::size_t rows() const { return column[0].size(); }
  bool all(std::size_t row) const;  // whether each has an array there
};
// Never called: what cannot be copied is refused, with the reason, by the walk behind its Ref.
template <class T> T refused(Ref tree);
template <class T> T copy_of(const T& tree) {
  if constexpr (std::is_copy_constructible_v<T>)
    return tree;
  else
    return refused<T>(ref(tree));
}
// Throws ValueError of the operation `what`, with the path, when lengths or keys differ.
Columns align(std::span<const Ref> trees, const char* what = "tree::map", Loc loc = {});

// What is called for each row of arrays, with the path in the first tree where it is asked for.
struct RowCall {
  void* object;
  Array (*call)(void* object, const Path* path, Array* const* row);
};
void map_rows(std::span<const Ref> trees, bool with_paths, const RowCall& call, const char* what, Loc loc);

template <class Fn, class... A> Array call(Fn& fn, const A&... a) {
  static_assert(std::is_invocable_v<Fn&, const A&...>, "tutti: tree::map: fn cannot be called with one Array per tree");
  if constexpr (std::is_invocable_v<Fn&, const A&...>) {
    using R = std::invoke_result_t<Fn&, const A&...>;
    static_assert(std::is_convertible_v<R, Array>, "tutti: tree::map: fn must return an Array");
    if constexpr (std::is_convertible_v<R, Array>) return fn(a...);
  }
  return {};
}
template <bool WithPath, class Fn, class T, class... Rest>
T map_at(Fn& fn, const char* what, Loc loc, const T& first, const Rest&... rest) {
  T out = first;
  const Ref refs[] = {detail::ref(out), detail::ref(rest)...};
  auto row = []<std::size_t... K>(std::index_sequence<K...>, Fn & f, const Path* path, Array* const* at) {
    if constexpr (WithPath)
      return detail::call(f, *path, std::as_const(*at[K])...);
    else
      return detail::call(f, std::as_const(*at[K])...);
  };
  using Row = decltype(row);
  Fn* function = std::addressof(fn);
  detail::map_rows(refs, WithPath,
                   {&function,
                    [](void* f, const Path* path, Array* const* at) -> Array {
                      return Row()(std::make_index_sequence<1 + sizeof...(Rest)>{}, **static_cast<Fn**>(f), path, at);
                    }},
                   what, loc);
  return out;
}
template <class T, class... Rest> T combine_at(Loc loc, const T& first, const Rest&... rest) {
  T out = first;
  const Ref refs[] = {detail::ref(out), detail::ref(rest)...};
  const Columns c = detail::align(refs, "tree::combine", loc);
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t k = 1; k < c.column.size() && !c.column[0][i]->has_value(); ++k) *c.column[0][i] = *c.column[k][i];
  return out;
}

}  // namespace detail

/// Takes trees apart, one after the other, into the arrays that are there and the structure.
template <class... T> Flat flatten(const T&... trees) {
  Flat flat;
  const std::array<detail::Ref, sizeof...(T)> refs{detail::ref(trees)...};  // there may be none
  for (const detail::Ref& r : refs) detail::flatten_into(r, flat);
  flat.structure = detail::structure_of(refs);
  return flat;
}

/// A copy of `like` with other arrays: one for each array that is there, or one for each place. Empty ones remove.
template <class T> T rebuild(const T& like, std::span<const Array> leaves, Loc loc = Loc::current()) {
  T out = detail::copy_of(like);
  detail::assign(detail::ref(out), leaves, "tree::rebuild", loc);
  return out;
}

/// The arrays that are there, in order.
template <class T> std::vector<Array> leaves(const T& tree) { return detail::leaves_of(detail::ref(tree)); }

/// The arrays that are there, with their paths.
template <class T> std::vector<std::pair<Path, Array>> leaves_with_path(const T& tree) {
  return detail::leaves_with_path_of(detail::ref(tree));
}

/// Everything but the arrays.
template <class T> StructureOf<T> structure(const T& tree) {
  const detail::Ref refs[] = {detail::ref(tree)};
  StructureOf<T> out{detail::structure_of(refs), tree};
  for (Array* slot : detail::slots_of(detail::ref(out.like))) *slot = Array();
  return out;
}

/// The tree of this structure with these arrays, as many as `structure.num_leaves()`; else ValueError.
template <class T>
T unflatten(const StructureOf<T>& structure, std::span<const Array> leaves, Loc loc = Loc::current()) {
  if (leaves.size() != structure.num_leaves() && leaves.size() != structure.num_slots())
    detail::refuse_count("tree::unflatten", leaves.size(), structure.num_slots(), structure.num_leaves(), loc);
  std::vector<Array> places(structure.num_slots());
  std::size_t next = 0;
  if (leaves.size() == structure.num_leaves())
    for (std::size_t i = 0; i < places.size(); ++i)
      if (structure.present()[i]) places[i] = leaves[next++];
  T out = structure.like;
  detail::assign(detail::ref(out), leaves.size() == structure.num_leaves() ? std::span<const Array>(places) : leaves,
                 "tree::unflatten", loc);
  return out;
}

/// A copy of `first` with `fn(x, y...)` in each place where every tree has an array; elsewhere first's own leaf stays.
///
///     params = tree::map([&](const Array& p, const Array& g) { return p - lr * g; }, params, grads);
///
/// Throws ValueError where lengths or keys differ: it names the path and what is there. Source: jax.tree.map.
template <class Fn, class T, std::same_as<T>... Rest> T map(Fn&& fn, const T& first, const Rest&... rest) {
  return detail::map_at<false>(fn, "tree::map", Loc(), first, rest...);
}
template <class Fn, class T> T map(Fn&& fn, const T& first, const T& second, Loc loc = Loc::current()) {
  return detail::map_at<false>(fn, "tree::map", loc, first, second);
}
template <class Fn, class T> T map(Fn&& fn, const T& first, const T& second, const T& third, Loc loc = Loc::current()) {
  return detail::map_at<false>(fn, "tree::map", loc, first, second, third);
}
template <class Fn, class T>
T map(Fn&& fn, const T& first, const T& second, const T& third, const T& fourth, Loc loc = Loc::current()) {
  return detail::map_at<false>(fn, "tree::map", loc, first, second, third, fourth);
}

/// As map; fn has the leaf's path as its first argument.
template <class Fn, class T, std::same_as<T>... Rest> T map_with_path(Fn&& fn, const T& first, const Rest&... rest) {
  return detail::map_at<true>(fn, "tree::map_with_path", Loc(), first, rest...);
}
template <class Fn, class T> T map_with_path(Fn&& fn, const T& first, const T& second, Loc loc = Loc::current()) {
  return detail::map_at<true>(fn, "tree::map_with_path", loc, first, second);
}
template <class Fn, class T>
T map_with_path(Fn&& fn, const T& first, const T& second, const T& third, Loc loc = Loc::current()) {
  return detail::map_at<true>(fn, "tree::map_with_path", loc, first, second, third);
}

/// The tree with its arrays in memory of their own: `step(tree::copy(params))` may donate it.
template <class T> T copy(const T& tree, Loc loc = Loc::current()) {
  return tree::map([&](const Array& x) { return x.copy(loc); }, tree);
}

struct PartitionOptions {
  Array replace{};  // put where an array has been taken away; empty: nothing
};
/// Two trees of the type of `tree`: the arrays for which `spec` holds, and the others; elsewhere both are empty.
/// `combine` puts them together again. `spec` is a predicate, or a prefix tree of bools and predicates. Source:
/// equinox.partition.
///
///     is_inexact_array                                    // or (const Array&) -> bool, or (const Path&, const Array&)
///     -> bool
///     {{"layers.*.bias", false}, {"**", true}}            // by path; what matches nothing is not kept
///     {is_array, false}                                   // one per member
template <class T>
std::pair<T, T> partition(const T& tree, const TreeOf<bool>& spec, const PartitionOptions& options = {}) {
  std::pair<T, T> out{tree, tree};
  const std::vector<Array*> kept = detail::slots_of(detail::ref(out.first));
  const std::vector<Array*> rest = detail::slots_of(detail::ref(out.second));
  const std::vector<Path> paths = detail::paths_of(detail::ref(tree));
  spec.check_rules("tree::partition", detail::without_argument(paths), {});
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]->has_value()) continue;
    *(spec.at(-1, paths[i], *kept[i]).value_or(false) ? rest[i] : kept[i]) = options.replace;
  }
  return out;
}

struct FilterOptions {
  bool inverse = false;  // keep the others
  Array replace{};       // put where an array has been taken away; empty: nothing
};
/// One half of `partition`: the arrays for which `spec` holds, or with `inverse` the others. Source: equinox.filter.
template <class T> T filter(const T& tree, const TreeOf<bool>& spec, const FilterOptions& options = {}) {
  auto [kept, rest] = partition(tree, spec, {options.replace});
  return options.inverse ? std::move(rest) : std::move(kept);
}

/// In each place the first array that is there. Static leaves are those of `first`. Throws ValueError where lengths or
/// keys differ.
template <class T, std::same_as<T>... Rest> T combine(const T& first, const Rest&... rest) {
  return detail::combine_at(Loc(), first, rest...);
}
template <class T> T combine(const T& first, const T& second, Loc loc = Loc::current()) {
  return detail::combine_at(loc, first, second);
}

}  // namespace tree
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
