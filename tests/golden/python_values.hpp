// The Python expressions of the golden files, computed: what `jnp.diff(a, n=2)` gives when names stand for tutti's
// functions. Families of functions add theirs by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "golden/golden.hpp"
#include "golden/python_expr.hpp"
#include "tutti/lax/lax.hpp"

namespace golden::python {

struct Value;
struct Arguments;
using Values = std::vector<Value>;
using Function = std::function<Value(const Arguments&)>;

struct None {};
struct Ellipsis {};
struct SliceOf {
  std::optional<std::int64_t> start, stop, step;
};
/// x.at, and x.at[index].
struct At {
  tutti::Array array;
  std::vector<tutti::Index> index;
};

/// What an expression is worth. A tuple is a list.
struct Value {
  std::variant<None, bool, std::int64_t, double, std::string, tutti::DType, tutti::Array, Values, Function, SliceOf,
               Ellipsis, At>
      v;
  Value() = default;
  template <class T>
  requires(!std::same_as<std::decay_t<T>, Value>) Value(T x) : v(std::move(x)) {}
  Value(int x) : v(std::int64_t(x)) {}
  Value(const char* x) : v(std::string(x)) {}
  Value(const std::vector<tutti::Array>& xs) : v(Values(xs.begin(), xs.end())) {}

  bool is_none() const { return std::holds_alternative<None>(v); }
  template <class T> const T* get() const { return std::get_if<T>(&v); }
  /// Numbers are weak arrays, lists of numbers are stacked.
  tutti::Array array() const;
  std::int64_t integer() const;
  double number() const;
  std::string text() const;
  tutti::DType dtype() const;
  const Values& list() const;
  /// A list, or one of one element.
  std::vector<tutti::Array> arrays() const;
  std::vector<std::int64_t> integers() const;
  Value operator()(Values arguments) const;
  /// The arrays in it, in order.
  void append_to(std::vector<tutti::Array>& out) const;
};

/// The arguments of a call: by position, else by name.
struct Arguments {
  Values positional;
  std::map<std::string, Value> named;

  /// None when it was not given.
  const Value& at(std::size_t position, const char* name) const;
  bool has(std::size_t position, const char* name) const { return !at(position, name).is_none(); }
  tutti::Array array(std::size_t position, const char* name) const { return at(position, name).array(); }
  /// Empty when it was not given.
  tutti::Array maybe_array(std::size_t position, const char* name) const;
  std::int64_t integer(std::size_t position, const char* name, std::int64_t otherwise) const;
  std::optional<int> maybe_integer(std::size_t position, const char* name) const;
  double number(std::size_t position, const char* name, double otherwise) const;
  std::optional<double> maybe_number(std::size_t position, const char* name) const;
  bool flag(std::size_t position, const char* name, bool otherwise = false) const;
  std::string text(std::size_t position, const char* name, const std::string& otherwise) const;
  std::optional<tutti::DType> dtype(std::size_t position, const char* name) const;
  tutti::Axes axes(std::size_t position, const char* name) const;
};
inline int integer(const Arguments& a, std::size_t position, const char* name, int otherwise) {
  return static_cast<int>(a.integer(position, name, otherwise));
}

/// Adds functions: `Functions numpy({{"jnp.diff", diff}})`.
struct Functions {
  Functions(std::map<std::string, Function> all);
};
const Function* find_function(const std::string& name);

/// Throws Unknown for what has no counterpart here.
Value evaluate(const Node& expression, const std::map<std::string, Value>& variables);
Value value_of(const json& parameter);

/// f of one array, of two, of an array and options.
Function of_one(tutti::Array (*f)(const tutti::In&));
Function of_two(tutti::Array (*f)(const tutti::Operand&, const tutti::Operand&));

}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
