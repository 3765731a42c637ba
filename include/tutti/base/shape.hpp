// Extents of arrays and the small argument types that take braces.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/extent.hpp"

namespace tutti {

template <class T>
concept Integer = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

/// One extent or index, from any integer but bool; what is beyond int64 counts as its end.
struct Dim {
  std::int64_t value = 0;
  constexpr Dim() = default;
  template <Integer T> constexpr Dim(T v) : value(static_cast<std::int64_t>(v)) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof(value))
      if (v > static_cast<T>(INT64_MAX)) value = INT64_MAX;
  }
  constexpr operator std::int64_t() const { return value; }
};

/// An integer or a Dim.
template <class T>
concept Extent = Integer<T> || std::same_as<std::remove_cv_t<T>, Dim>;
/// One of several extents or dims, with the caller's line.
struct LocatedDim {
  Dim value;
  Loc loc;
  template <Extent T> LocatedDim(T v, Loc l = Loc::current()) : value(v), loc(l) {}
};

/// Extents of an array, major first: `Shape{4, 8}`; `Shape{}` is a scalar's.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Dim> dims);
  Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  int ndim() const { return static_cast<int>(dims_.size()); }
  std::size_t size() const { return dims_.size(); }
  bool empty() const { return dims_.empty(); }
  std::int64_t operator[](std::size_t i) const { return dims_[i]; }
  std::int64_t& operator[](std::size_t i) { return dims_[i]; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }
  auto begin() { return dims_.begin(); }
  auto end() { return dims_.end(); }
  std::int64_t back() const { return dims_.back(); }
  void push_back(std::int64_t d) { dims_.push_back(d); }
  void insert(int at, std::int64_t d) { dims_.insert(dims_.begin() + at, d); }
  void erase(int at) { dims_.erase(dims_.begin() + at); }
  /// Product of the extents; 1 for a scalar. What is beyond int64 counts as its end.
  std::int64_t num_elements() const {
    std::int64_t n = 1;
    bool empty = false;
    for (std::int64_t d : dims_) {
      empty = empty || d == 0;
      n = extent::mul(n, d);
    }
    return empty ? 0 : n;
  }
  const std::vector<std::int64_t>& dims() const { return dims_; }
  /// `(4, 8)`, `(4,)`, `()`: as Python prints a tuple.
  std::string str() const;
  std::size_t hash() const {
    std::size_t h = dims_.size();
    for (std::int64_t d : dims_) h = h * 0x9e3779b97f4a7c15u + static_cast<std::size_t>(d);
    return h;
  }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::int64_t> dims_;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

struct none_t {
  friend constexpr bool operator==(none_t, none_t) = default;
};
/// "Nothing here": JAX's None in specs, axes and slices.
inline constexpr none_t none{};

/// One or several mesh axis names: `"x"`, `{"x", "y"}`, a string or a vector of strings.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Names {
 public:
  Names() = default;
  Names(const Names&);
  Names(Names&&) noexcept;
  Names& operator=(const Names&);
  Names& operator=(Names&&) noexcept;
  ~Names();
  Names(const char* one);
  Names(std::string one);
  Names(std::initializer_list<const char*> list);
  Names(std::vector<std::string> list) : names_(std::move(list)) {}

  std::size_t size() const { return names_.size(); }
  bool empty() const { return names_.empty(); }
  const std::string& operator[](std::size_t i) const { return names_[i]; }
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }
  const std::vector<std::string>& list() const { return names_; }
  friend bool operator==(const Names&, const Names&) = default;

 private:
  std::vector<std::string> names_;
};

}  // namespace tutti

template <> struct std::hash<tutti::Shape> {
  std::size_t operator()(const tutti::Shape& shape) const noexcept { return shape.hash(); }
};

// SPDX-License-Identifier: Apache-2.0
