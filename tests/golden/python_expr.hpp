// Python expressions of the golden files, as trees: names, numbers, texts, lists, dicts, calls, lambdas, arithmetic,
// comparisons, subscripts. What names mean is the caller's business (python_values.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace golden::python {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    text,
    name,
    list,
    dict,
    call,
    lambda,
    binary,
    negative,
    apply,      // a call of what children[0] gives
    subscript,  // children[0] at the others
    attribute,  // `text` of children[0]
    slice,      // start, stop, step
    ellipsis,
    star,  // *children[0], among arguments
    imaginary,
  };
  Kind kind;
  std::string text{};  // of a text, a name (dotted), a call's function (dotted), an operator
  double number = 0;   // of numbers and bools
  std::vector<NodePtr>
      children{};  // elements, positional arguments, operands, a lambda's body; dict: key, value, key, value
  std::vector<std::pair<std::string, NodePtr>> named{};  // keyword arguments
  std::vector<std::string> parameters{};                 // of a lambda
};

/// Throws Unknown when the text is no such expression.
NodePtr parse(const std::string& text);

}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
