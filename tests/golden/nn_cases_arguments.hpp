// Arguments of a call in an Optax expression, by Optax's parameter names.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "golden/nn_cases.hpp"

namespace golden {

/// Throws Unknown for arguments that are not among the names.
class Arguments {
 public:
  Arguments(const python::Node& call, std::vector<std::string> names) : call_(call), names_(std::move(names)) {
    if (call.children.size() > names_.size())
      throw Unknown(call.text + " with " + std::to_string(call.children.size()) + " positional arguments");
    for (const auto& [name, value] : call.named)
      if (std::find(names_.begin(), names_.end(), name) == names_.end())
        throw Unknown(call.text + ", argument " + name);
  }
  const python::Node* find(const std::string& name) const {
    for (const auto& [n, value] : call_.named)
      if (n == name) return value.get();
    for (std::size_t i = 0; i < call_.children.size(); ++i)
      if (names_[i] == name) return call_.children[i].get();
    return nullptr;
  }
  bool has(const std::string& name) const { return find(name) && find(name)->kind != python::Node::Kind::none; }
  double number(const std::string& name, double otherwise) const {
    return has(name) ? value_of(*find(name)) : otherwise;
  }
  double number(const std::string& name) const { return value_of(needed(name)); }
  int integer(const std::string& name, int otherwise) const { return static_cast<int>(number(name, otherwise)); }
  int integer(const std::string& name) const { return static_cast<int>(number(name)); }
  bool flag(const std::string& name, bool otherwise = false) const {
    return has(name) ? find(name)->number != 0 : otherwise;
  }
  std::optional<tutti::DType> dtype(const std::string& name) const {
    if (!has(name)) return {};
    std::string text = find(name)->text;
    return dtype_of(text.substr(text.rfind('.') + 1));
  }
  tutti::optim::Rate rate(const std::string& name) const { return schedule_of(needed(name)); }
  tutti::optim::Mask mask(const std::string& name) const {
    const python::Node* node = find(name);
    if (!node || node->kind == python::Node::Kind::none) return true;
    if (node->kind == python::Node::Kind::boolean) return node->number != 0;
    if (node->kind != python::Node::Kind::dict) throw Unknown("mask that is no dict");
    return [leaves = flat(*node)](const tutti::tree::Path& path, const tutti::Array&) {
      return at_or_above(leaves, path)->number != 0;
    };
  }
  std::map<int, double> boundaries(const std::string& name) const {
    std::map<int, double> out;
    if (has(name))
      for (std::size_t i = 0; i + 1 < find(name)->children.size(); i += 2)
        out[static_cast<int>(value_of(*find(name)->children[i]))] = value_of(*find(name)->children[i + 1]);
    return out;
  }
  const python::Node& needed(const std::string& name) const {
    const python::Node* node = find(name);
    if (!node) throw Unknown(call_.text + " without " + name);
    return *node;
  }

  static double value_of(const python::Node& n) {
    switch (n.kind) {
      case python::Node::Kind::integer:
      case python::Node::Kind::real:
      case python::Node::Kind::boolean: return n.number;
      case python::Node::Kind::negative: return -value_of(*n.children[0]);
      case python::Node::Kind::binary: {
        double a = value_of(*n.children[0]), b = value_of(*n.children[1]);
        return n.text == "+"   ? a + b
               : n.text == "-" ? a - b
               : n.text == "*" ? a * b
               : n.text == "/" ? a / b
                               : std::pow(a, b);
      }
      default: throw Unknown("argument that is no number");
    }
  }
  // The entry for a path or, as in a prefix tree, for a part of the tree around it.
  static python::NodePtr at_or_above(const std::map<std::string, python::NodePtr>& leaves,
                                     const tutti::tree::Path& path) {
    std::string at = path.str();
    for (auto it = leaves.find(at);; it = leaves.find(at)) {
      if (it != leaves.end()) return it->second;
      std::size_t dot = at.find_last_of(".[");
      if (dot == std::string::npos) throw Unknown("a dict without " + path.str());
      at.resize(dot);
    }
  }
  // The leaves of nested dicts, by tutti's paths.
  static std::map<std::string, python::NodePtr> flat(const python::Node& dict) {
    std::map<std::string, python::NodePtr> out;
    for (std::size_t i = 0; i + 1 < dict.children.size(); i += 2) {
      const python::NodePtr& value = dict.children[i + 1];
      if (value->kind != python::Node::Kind::dict)
        out[dict.children[i]->text] = value;
      else
        for (const auto& [path, leaf] : flat(*value)) out[dict.children[i]->text + "." + path] = leaf;
    }
    return out;
  }

 private:
  const python::Node& call_;
  std::vector<std::string> names_;
};

/// `adam` of `optax.adam(...)`; Unknown when the expression is no call.
inline std::string name_of(const python::Node& call) {
  if (call.kind != python::Node::Kind::call) throw Unknown("expression that is no call");
  return call.text.substr(call.text.rfind('.') + 1);
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
