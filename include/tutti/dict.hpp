// Dict: a tree whose keys are known at run time only.
#pragma once

#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/array.hpp"

namespace tutti {

namespace tree::detail {
class Visitor;
}

/// Either an array or a map from text to Dicts, with sorted keys: variables of a model, a checkpoint, a batch.
///
///     Dict d{{"params", Dict{{"kernel", w}, {"bias", b}}}, {"step", Array(0)}};
///     Array y = matmul(x, d["params"]["kernel"]) + d["params"]["bias"];
///     for (const auto& [key, value] : d["params"]) ...
///
/// A Dict that holds an array is that array, so it goes wherever an Array goes. A new Dict is neither: an absent leaf.
class Dict : public Array {
 public:
  // A map of an incomplete type: every standard library allows it, and references to entries stay valid.
  using Map = std::map<std::string, Dict, std::less<>>;

  Dict() = default;
  Dict(const Array& leaf) : Array(leaf) {}
  template <Number T>
  Dict(T leaf) : Array(leaf) {}
  /// Throws ValueError when a key comes twice.
  Dict(std::initializer_list<std::pair<const char*, Dict>> entries, Loc loc = Loc::current());

  /// A key, and the line that asks for it.
  struct Key {
    std::string_view text;
    Loc loc;
    template <std::convertible_to<std::string_view> K>
    Key(const K& key, Loc l = Loc::current()) : text(key), loc(l) {}
  };

  bool is_array() const { return has_value(); }
  const Array& array() const { return *this; }

  /// The entry of `key`; a new one where there is none. Throws TypeError when this is an array.
  Dict& operator[](const Key& key);
  /// The entry of `key`. Throws IndexError, which lists the keys, when there is none; TypeError when this is an array.
  const Dict& operator[](const Key& key) const;
  using Array::operator[];

  bool contains(std::string_view key) const { return entries_.find(key) != entries_.end(); }
  /// Removes an entry; false when there was none.
  bool erase(std::string_view key);
  std::vector<std::string> keys() const;
  /// The number of entries; of an array its number of elements, as for any Array.
  std::int64_t size() const { return has_value() ? Array::size() : static_cast<std::int64_t>(entries_.size()); }
  bool empty() const { return !has_value() && entries_.empty(); }

  Map::iterator begin() { return entries_.begin(); }
  Map::iterator end() { return entries_.end(); }
  Map::const_iterator begin() const { return entries_.begin(); }
  Map::const_iterator end() const { return entries_.end(); }

  /// For tutti::tree: a walk over the entries, or over the array, or over the place where one might be.
  void visit_tree(tree::detail::Visitor& visitor);

 private:
  Map entries_;
};

/// `{'bias': Array([0.], dtype=float32), 'kernel': ...}`.
std::string str(const Dict& d);
std::ostream& operator<<(std::ostream& out, const Dict& d);

}  // namespace tutti
