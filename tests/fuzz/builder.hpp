// From a recipe to a program, by the public functions, and to the text of that program.
#pragma once

#include <string>
#include <vector>

#include "fuzz/recipe.hpp"

namespace tutti::fuzz {

class Builder {
 public:
  explicit Builder(const Recipe& recipe) : recipe_(recipe), mesh_(mesh_of(recipe)) {}
  /// The outputs. Also notes the lines that make them, and what shapes they have.
  Arrays operator()(const Arrays& in);
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<int>& output_ranks() const { return ranks_; }

 private:
  struct Value {
    Array array;
    std::string name;
    double bound = 4;  // no element is larger
    int ndim() const { return array.ndim(); }
    const Shape& shape() const { return array.shape(); }
    bool integer() const { return array.dtype() == int32; }
  };
  struct Inside {
    Value last;
    std::vector<std::string> lines;
  };

  Arrays outputs(const Arrays& in);
  Arrays gradients(const Arrays& in);
  void run(const std::vector<Step>& steps);
  void step(const Step& s);
  void loop(const Step& s);
  /// Runs the steps on values of their own.
  Inside inside(std::vector<Value> pool, const std::vector<Step>& steps);

  // builder_values.cpp
  const Value& any(unsigned choice) const;
  Value floating(unsigned choice);
  /// A line that makes a new value; large numbers are made small by another one.
  Value put(const Array& x, const std::string& expression, double bound);
  Value small(const Value& v, int below);
  Value as(const Value& v, bool integer);
  /// Something that broadcasts to `shape`, of the dtype.
  Value fitting(const Value& v, const Shape& shape, bool integer);
  /// Places along a dim of n: a list, or a scalar.
  Value places(unsigned choice, std::int64_t n, bool list);
  void line(const std::string& text) { lines_.push_back(indent_ + text); }
  std::string fresh(const char* letter) { return letter + std::to_string(next_++); }

  // builder_ops.cpp
  void elementwise(const Step& s);
  void contraction(const Step& s);
  void reduction(const Step& s);
  void movement(const Step& s);
  void joining(const Step& s);
  void indexing(const Step& s);
  void segments(const Step& s, const Value& a);
  Value column(const Step& s, const Value& a);

  const Recipe& recipe_;
  Mesh mesh_;
  std::vector<Value> pool_;
  std::vector<std::string> lines_;
  std::string indent_;
  std::vector<int> ranks_;
  int next_ = 0;
};

/// `{2, 3}`.
template <class List> std::string braces(const List& list) {
  std::string out = "{";
  for (std::size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + std::to_string(list[i]);
  return out + "}";
}
std::string text_of(const PartitionSpec& spec);

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
