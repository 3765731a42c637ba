// Dict: a tree whose keys are known at run time only.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti {

namespace tree::detail {
class Visitor;
}

/// Either an array or a map from text to Dicts, with sorted keys: variables of a model, a checkpoint, a batch.
///
///     Dict d{{"params", Dict{{"kernel", w}, {"bias", b}}}, {"step", Array(0)}};
///     Array y = matmul(x, d["params"]["kernel"]) + d["params"]["bias"];
///     d["batch_stats"]["mean"] = zeros({4});   // makes both entries
///     for (const auto& [key, value] : d["params"]) ...
///
/// A Dict that holds an array is that array, so it goes wherever an Array goes. A new Dict is neither: an absent leaf.
/// An entry is made by an assignment to it. Reading one that is not there, however its name came about, is an
/// IndexError that lists the keys, and leaves the Dict as it was.
class Dict : public Array {
 public:
  // A map of an incomplete type: every standard library allows it, and references to entries stay valid.
  using Map = std::map<std::string, Dict, std::less<>>;

  Dict() = default;
  Dict(const Array& leaf);
  template <Number T> Dict(T leaf) : Array(leaf) {}
  /// Throws ValueError when a key comes twice.
  Dict(std::initializer_list<std::pair<const char*, Dict>> entries, Loc loc = Loc::current());
  Dict(const Dict& other);
  Dict(Dict&& other) = default;
  ~Dict();
  Dict& operator=(const Dict& other) &;
  Dict& operator=(Dict&& other) & noexcept;

  /// A key, and the line that asks for it.
  struct Key {
    std::string_view text;
    Loc loc;
    template <std::convertible_to<std::string_view> K> Key(const K& key, Loc l = Loc::current()) : text(key), loc(l) {}
  };

  bool is_array() const { return has_value(); }
  const Array& array() const { return *this; }

  /// The entry of `key`; where there is none, a place that becomes an entry when it, or something in it, is assigned
  /// to. Such a place that is read instead, as an array or as a Dict, throws IndexError. Throws TypeError when this is
  /// an array.
  Dict& operator[](const Key& key);
  /// The entry of `key`. Throws IndexError, which lists the keys, when there is none; TypeError when this is an array.
  const Dict& operator[](const Key& key) const;
  using Array::operator[];

  bool contains(std::string_view key) const;
  /// Removes an entry; false when there was none.
  bool erase(std::string_view key);
  std::vector<std::string> keys() const;
  /// The number of entries; of an array its number of elements, as for any Array.
  std::int64_t size() const;
  bool empty() const { return !has_value() && !has_entries(); }

  /// Goes from entry to entry, past places that have not been assigned to.
  template <class I> class Iterator {
   public:
    using value_type = std::pair<const std::string, Dict>;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(I at, I end) : at_(at), end_(end) { skip(); }
    auto& operator*() const { return *at_; }
    auto* operator->() const { return &*at_; }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    void skip() {
      while (at_ != end_ && at_->second.is_missing()) ++at_;
    }
    I at_{}, end_{};
  };
  Iterator<Map::iterator> begin() {
    require();
    return {entries_.begin(), entries_.end()};
  }
  Iterator<Map::iterator> end() { return {entries_.end(), entries_.end()}; }
  Iterator<Map::const_iterator> begin() const {
    require();
    return {entries_.begin(), entries_.end()};
  }
  Iterator<Map::const_iterator> end() const { return {entries_.end(), entries_.end()}; }

  /// For tutti::tree: a walk over the entries, or over the array, or over the place where one might be.
  void visit_tree(tree::detail::Visitor& visitor);

 private:
  bool has_entries() const;
  bool is_missing() const;  // a place that was asked for and never assigned to
  void require() const;     // IndexError when it is one

  Map entries_;  // with the missing ones
};

/// `{'bias': Array([0.], dtype=float32), 'kernel': ...}`.
std::string str(const Dict& d);
std::ostream& operator<<(std::ostream& out, const Dict& d);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
