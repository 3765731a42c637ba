// Trees besides their arrays: paths to its leaves, and its structure as a value that compares, hashes and
// prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {
class Array;
}

namespace tutti::tree {

/// Position of a leaf in its tree. Prints as `layers[2].weight`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Path {
 public:
  /// One step: the name of a member or the key of a map, or an index (then `name` is empty). `position` is that of a
  /// member among the members, where the path came from a tree (-1: a map's key); paths are equal without it.
  struct Key {
    std::string name;
    std::int64_t index = -1;
    std::int64_t position = -1;
    bool is_index() const { return index >= 0; }
    /// The name, or the index as text.
    std::string str() const { return is_index() ? std::to_string(index) : name; }
    friend bool operator==(const Key& a, const Key& b) { return a.name == b.name && a.index == b.index; }
  };

  Path() = default;
  explicit Path(std::vector<Key> keys) : keys_(std::move(keys)) {}

  const std::vector<Key>& keys() const { return keys_; }
  bool empty() const { return keys_.empty(); }
  std::string str() const;
  /// True if the whole path matches a pattern of steps separated by dots or brackets. In a step `*` stands for any text
  /// and `?` for one character; the step `**` stands for any number of steps, also none.
  ///
  ///     layers.*.weight      layers[2].weight      **.bias      params.layers_*.**      **
  bool matches(std::string_view pattern) const;
  friend bool operator==(const Path&, const Path&) = default;
  /// Texts as str() gives them: `path == "layers[2].weight"`, `path.ends_with("weight")`; the ends are whole steps.
  friend bool operator==(const Path& path, std::string_view text) { return path.str() == text; }
  bool starts_with(std::string_view steps) const;
  bool ends_with(std::string_view steps) const;

 private:
  std::vector<Key> keys_;
};
std::ostream& operator<<(std::ostream& out, const Path& path);

/// Path patterns, of which the first that matches counts. Those without stars and question marks are looked up, all at
/// once. Threads: several may use one object, which nobody changes.
class Patterns {
 public:
  Patterns() = default;
  explicit Patterns(std::vector<std::string> patterns);
  /// The number of the first that matches the path; -1: none.
  int first_match(const Path& path) const;
  /// Per pattern, whether it matches one of the paths.
  std::vector<bool> match_any(const std::vector<Path>& paths) const;

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
};

namespace detail {

/// A type that has children. One constant per type: its address is the type's identity in a Structure.
struct NodeType {
  enum class Kind { record, list, tuple, map, optional, variant, frozen };
  Kind kind;
  std::string_view name;                      // as the compiler prints the type
  const std::string_view* members = nullptr;  // names, of a record
};

/// A type of static leaves, and what one does with values of it. Numbers, texts and types need no functions.
struct ValueType {
  enum class Kind { boolean, integer, natural, real, complex, enumeration, function, text, numbers, type, other };
  Kind kind;
  std::string_view name;
  std::size_t size = 0;
  const ValueType* element = nullptr;                          // numbers: the type of each
  std::string_view (*bytes)(const void*) = nullptr;            // text, numbers
  std::shared_ptr<const void> (*copy)(const void*) = nullptr;  // other, and the three below
  bool (*equal)(const void*, const void*) = nullptr;
  std::size_t (*hash)(const void*) = nullptr;
  std::string (*str)(const void*) = nullptr;
};

/// What walks over a tree call, in order. The walk itself is the only code that is made for each type.
class Visitor {
 public:
  virtual void array(Array& leaf) = 0;
  virtual void value(const void* leaf, const ValueType& type) = 0;
  /// `n`: the number of children; of an optional 0 or 1, of a variant the alternative.
  virtual void enter(const NodeType& type, std::size_t n) = 0;
  /// Before a child of a record, list or tuple.
  virtual void child(std::size_t i) = 0;
  /// Before a child of a map.
  virtual void key(std::string_view key) = 0;
  virtual void exit() = 0;

 protected:
  ~Visitor() = default;
};

/// A tree whose type is forgotten.
struct Ref {
  void* object;
  void (*walk)(void* object, Visitor& visitor);
};

class Encoder;

}  // namespace detail

/// Everything about a tree but the values of its arrays: the types of its nodes, lengths, keys, which arrays are there,
/// and the static leaves by value (floats by their bits). Prints as `Linear(weight=*, bias=None, width=3)`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Structure {
 public:
  Structure() = default;
  /// The number of arrays that are there.
  std::size_t num_leaves() const { return num_leaves_; }
  /// The number of places for arrays.
  std::size_t num_slots() const { return present_.size(); }
  /// For each place whether an array is there.
  const std::vector<bool>& present() const { return present_; }
  /// True for a list of arrays in no container.
  bool arrays_only() const { return words_.size() == num_leaves_; }
  std::string str() const;
  std::size_t hash() const { return hash_; }
  friend bool operator==(const Structure& a, const Structure& b);

 private:
  friend class detail::Encoder;
  friend class StructureReader;
  struct Value {
    const detail::ValueType* type;
    std::shared_ptr<const void> data;
  };
  std::vector<std::uint64_t> words_;  // the events of the walk; see src/tree/structure.cpp
  std::vector<Value> values_;         // static leaves that are more than bits or text
  std::vector<bool> present_;
  std::size_t num_leaves_ = 0;
  std::size_t hash_ = 0;
};
std::ostream& operator<<(std::ostream& out, const Structure& structure);

/// The first place where two structures differ: in which of the trees side by side, where, and what is there.
struct Difference {
  std::size_t tree = 0;
  Path path;
  std::string first, second;
  bool value = false;  // a static leaf: `3` and `4`
};
std::optional<Difference> first_difference(const Structure& a, const Structure& b);
/// The first place where two structures differ, for messages: `layers[0].width: 3 and 4`. Empty when they are equal.
std::string difference(const Structure& a, const Structure& b);

}  // namespace tutti::tree

template <> struct std::hash<tutti::tree::Structure> {
  std::size_t operator()(const tutti::tree::Structure& s) const { return s.hash(); }
};

// SPDX-License-Identifier: Apache-2.0
