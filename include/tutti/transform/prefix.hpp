// Prefix trees of options: one value for a whole argument or result, one per argument, a function of the path, or path
// patterns.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti {

namespace detail {
/// Types that convert to a T and mean one: text and functions, which convert to bool, do not mean a bool.
template <class U, class T>
concept ValueOf = std::convertible_to<const U&, T> &&
    (!std::same_as<T, bool> || std::same_as<std::remove_cvref_t<U>, bool>);
/// Throws ValueError: a list of `entries` has none for the leaf at `path`, whose step `depth` asks number `asked`.
[[noreturn]] void refuse_prefix(std::size_t entries, std::size_t asked, const tree::Path& path, std::size_t depth);
/// Throws ValueError, with the nearest paths: `pattern` matches none of them.
[[noreturn]] void refuse_pattern(const char* what, const std::string& pattern, const std::vector<tree::Path>& paths,
                                 Loc loc);
}  // namespace detail

struct if_any_t {};
/// Behind the value of a Rule: it may match nothing.
inline constexpr if_any_t if_any{};

/// A path pattern and what it stands for: `{"layers.*.weight", P(none, "model")}`. `none` leaves it open. A pattern
/// that matches nothing is an error, unless it says so: `{"**.bias", P(), if_any}`.
template <class T> struct Rule {
  std::string pattern;
  T value{};
  bool open = false;
  bool may_miss = false;
  template <std::size_t N, class U>
  requires detail::ValueOf<U, T> Rule(const char (&p)[N], const U& v) : pattern(p), value(v) {}
  template <class U>
  requires detail::ValueOf<U, T> Rule(const std::string& p, const U& v) : pattern(p), value(v) {}
  template <std::size_t N> Rule(const char (&p)[N], none_t) : pattern(p), open(true) {}
  Rule(const std::string& p, none_t) : pattern(p), open(true) {}
  template <class V>
  requires(std::same_as<V, none_t> || detail::ValueOf<V, T>) Rule(const std::string& p, const V& v, if_any_t)
      : Rule(p, v) {
    may_miss = true;
  }
};
namespace detail {
/// Rules of which the first match counts.
template <class T> class Rules {
 public:
  Rules() = default;
  explicit Rules(std::vector<Rule<T>> rules) : rules_(std::move(rules)) {
    std::vector<std::string> patterns;
    for (const Rule<T>& r : rules_) patterns.push_back(r.pattern);
    patterns_ = tree::Patterns(std::move(patterns));
  }
  /// Null where there is none.
  const Rule<T>* first_match(const tree::Path& path) const {
    const int i = patterns_.first_match(path);
    return i < 0 ? nullptr : &rules_[static_cast<std::size_t>(i)];
  }
  /// ValueError when one that may not miss matches none of the paths, of which there are some.
  void check(const char* what, const std::vector<tree::Path>& paths, Loc loc) const {
    if (paths.empty()) return;
    const std::vector<bool> hit = patterns_.match_any(paths);
    for (std::size_t i = 0; i < rules_.size(); ++i)
      if (!hit[i] && !rules_[i].may_miss) refuse_pattern(what, rules_[i].pattern, paths, loc);
  }

 private:
  std::vector<Rule<T>> rules_;
  tree::Patterns patterns_;
};
}  // namespace detail

/// A T for every leaf of the arguments (or results) of a function.
///
///     s                                        // one for all
///     {s, none, t}                             // one per argument, `none` leaves it open; an entry may be a list
///     itself
///     [](const tree::Path&, const Array&) {}   // by leaf; of the leaf alone too
///     {{"layers.*.weight", s}, {"**", t}}      // by path, the first match counts
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class TreeOf {
 public:
  enum class Kind { open, value, list, function, rules };

  TreeOf() = default;
  TreeOf(const TreeOf&);
  TreeOf(TreeOf&&) noexcept;
  TreeOf& operator=(const TreeOf&);
  TreeOf& operator=(TreeOf&&) noexcept;
  ~TreeOf();
  TreeOf(none_t) {}
  template <class U>
  requires(detail::ValueOf<U, T> && !std::same_as<std::remove_cvref_t<U>, TreeOf> &&
           !std::same_as<std::remove_cvref_t<U>, none_t>) TreeOf(const U& value)
      : kind_(Kind::value), value_(value) {}
  TreeOf(std::initializer_list<TreeOf> list);
  TreeOf(std::initializer_list<Rule<T>> rules);
  template <class F>
  requires(std::is_invocable_r_v<T, const F&, const tree::Path&, const Array&> && !detail::ValueOf<F, T>)
      TreeOf(const F& fn)
      : kind_(Kind::function), function_(fn) {}
  template <class F>
  requires(std::is_invocable_r_v<T, const F&, const Array&> &&
           !std::is_invocable_v<const F&, const tree::Path&, const Array&> && !detail::ValueOf<F, T>)
      TreeOf(const F& fn)
      : kind_(Kind::function),
        function_([f = std::decay_t<const F&>(fn)](const tree::Path&, const Array& x) -> T { return f(x); }) {}

  Kind kind() const { return kind_; }
  bool is_open() const { return kind_ == Kind::open; }
  /// The entries of a list.
  const std::vector<TreeOf>& list() const { return list_; }

  /// For the leaf at `path` below argument number `top` (-1: `path` is all there is). Lists are followed by argument
  /// number first, then by the path's indices, or the positions of members. Nothing where it is open or no rule
  /// matches; ValueError where an inner list is too short.
  std::optional<T> at(int top, const tree::Path& path, const Array& leaf) const;
  /// ValueError when a rule matches none of the leaves that it stands for, given as for `at`.
  void check_rules(const char* what, const std::vector<std::pair<int, tree::Path>>& leaves, Loc loc) const;

 private:
  /// The entry that stands for a leaf; null where there is none for its argument.
  const TreeOf* entry(int top, const tree::Path& path) const;
  Kind kind_ = Kind::open;
  std::optional<T> value_;
  std::vector<TreeOf> list_;
  detail::Rules<T> rules_;
  std::function<T(const tree::Path&, const Array&)> function_;
};

// Not inline, and made once for the types that options have: a call of a wrapper moves several of these.
template <class T> TreeOf<T>::TreeOf(const TreeOf&) = default;
template <class T> TreeOf<T>::TreeOf(TreeOf&&) noexcept = default;
template <class T> TreeOf<T>& TreeOf<T>::operator=(const TreeOf&) = default;
template <class T> TreeOf<T>& TreeOf<T>::operator=(TreeOf&&) noexcept = default;
template <class T> TreeOf<T>::~TreeOf() = default;
template <class T> TreeOf<T>::TreeOf(std::initializer_list<TreeOf> list) : kind_(Kind::list), list_(list) {}
template <class T>
TreeOf<T>::TreeOf(std::initializer_list<Rule<T>> rules) : kind_(Kind::rules), rules_(std::vector<Rule<T>>(rules)) {}

template <class T> std::optional<T> TreeOf<T>::at(int top, const tree::Path& path, const Array& leaf) const {
  const TreeOf* here = entry(top, path);
  if (!here) return {};
  switch (here->kind_) {
    case Kind::value: return here->value_;
    case Kind::function: return here->function_(path, leaf);
    case Kind::rules: {
      const Rule<T>* r = here->rules_.first_match(path);
      return r && !r->open ? std::optional<T>(r->value) : std::nullopt;
    }
    default: return {};
  }
}
template <class T>
void TreeOf<T>::check_rules(const char* what, const std::vector<std::pair<int, tree::Path>>& leaves, Loc loc) const {
  std::vector<std::pair<const TreeOf*, std::vector<tree::Path>>> below;
  for (const auto& [top, path] : leaves) {
    const TreeOf* here = entry(top, path);
    if (!here || here->kind_ != Kind::rules) continue;
    if (below.empty() || below.back().first != here) below.push_back({here, {}});
    below.back().second.push_back(path);
  }
  for (const auto& [here, paths] : below) here->rules_.check(what, paths, loc);
}
template <class T> const TreeOf<T>* TreeOf<T>::entry(int top, const tree::Path& path) const {
  const TreeOf* here = this;
  if (kind_ == Kind::list && top >= 0) {
    if (top >= static_cast<int>(list_.size())) return nullptr;
    here = &list_[static_cast<std::size_t>(top)];
  }
  for (std::size_t depth = 0; here->kind_ == Kind::list; ++depth) {
    std::size_t i = 0;
    if (depth < path.keys().size()) {
      const tree::Path::Key& key = path.keys()[depth];
      i = static_cast<std::size_t>(key.is_index() ? key.index : key.position >= 0 ? key.position : 0);
    }
    if (i >= here->list_.size()) detail::refuse_prefix(here->list_.size(), i, path, depth);
    here = &here->list_[i];
  }
  return here;
}

extern template class TreeOf<bool>;
extern template class TreeOf<int>;
extern template class TreeOf<PartitionSpec>;
extern template class TreeOf<Sharding>;

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
