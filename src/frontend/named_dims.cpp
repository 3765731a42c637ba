#include "frontend/named_dims.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <utility>

#include "tutti/base/error.hpp"

namespace tutti {

NamedDims::Tensors NamedDims::read(const std::string& text) {
  Tensors out;
  std::istringstream tensors(text);
  for (std::string tensor; std::getline(tensors, tensor, ',');) {
    std::istringstream names(tensor);
    std::vector<Dim>& dims = out.emplace_back();
    for (std::string name; names >> name;) {
      const bool added = name.back() == '+';
      if (added) name.pop_back();
      dims.push_back({name, added});
    }
  }
  if (out.empty() || text.back() == ',') out.emplace_back();  // a scalar
  return out;
}

bool NamedDims::in_result(const std::string& name) const {
  return std::any_of(results_.begin(), results_.end(), [&](const std::vector<Dim>& dims) {
    return std::any_of(dims.begin(), dims.end(), [&](const Dim& d) { return d.name == name; });
  });
}

NamedDims::NamedDims(std::string text, std::string op, Loc made)
    : text_(std::move(text)), op_(std::move(op)), made_(made) {
  auto refuse = [&](const std::string& problem) {
    raise<ValueError>("define_op", "the factors \"" + text_ + "\" of " + op_ + " " + problem,
                      "Write names for the dims of operands and results: \"b t d, d -> b t\".", made_);
  };
  const std::size_t arrow = text_.find("->");
  if (arrow == std::string::npos || text_.find("->", arrow + 2) != std::string::npos) refuse("have not one arrow");
  operands_ = read(text_.substr(0, arrow));
  results_ = read(text_.substr(arrow + 2));
  auto is_letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  for (const Tensors* tensors : {&operands_, &results_})
    for (const std::vector<Dim>& dims : *tensors)
      for (const Dim& d : dims)
        if (d.name.empty() || !std::all_of(d.name.begin(), d.name.end(), is_letter))
          refuse("hold '" + d.name + "', which is no name");
  for (const std::vector<Dim>& dims : results_)
    for (const Dim& d : dims)
      if (d.added) refuse("add up '" + d.name + "', which a result has");
}

// The rule as it is put together, dim by dim.
class NamedDims::Rule {
 public:
  explicit Rule(const NamedDims& names) : names_(names) {}

  std::vector<Factors::Dims> tensors(const Tensors& named, const std::vector<Type>& types, const std::string& what) {
    if (named.size() != types.size())
      refuse("there are " + std::to_string(types.size()) + " " + what + ", named are " + std::to_string(named.size()),
             "Name the dims of each.");
    std::vector<Factors::Dims> out;
    for (std::size_t t = 0; t < types.size(); ++t) {
      const Shape& shape = types[t].shape;
      if (static_cast<int>(named[t].size()) != shape.ndim())
        refuse(
            "one of the " + what + " is " + types[t].str() + ", named are " + std::to_string(named[t].size()) + " dims",
            "Give a name for each dim.");
      Factors::Dims& dims = out.emplace_back();
      for (int k = 0; k < shape.ndim(); ++k) dims.push_back({factor(named[t][static_cast<std::size_t>(k)], shape[k])});
    }
    return out;
  }

  std::vector<Factors::Factor> factors;

 private:
  int factor(const Dim& d, std::int64_t extent) {
    const auto next = static_cast<int>(factors.size());
    const bool whole = d.name == "_" || (!d.added && !names_.in_result(d.name));
    if (whole) {
      factors.push_back({extent, Factors::Kind::replicated});
      return next;
    }
    const auto [at, fresh] = known_.try_emplace(d.name, next);
    if (fresh) factors.push_back({extent, d.added ? Factors::Kind::sum : Factors::Kind::parallel});
    const std::int64_t before = factors[static_cast<std::size_t>(at->second)].size;
    if (before != extent)
      refuse("'" + d.name + "' is " + std::to_string(before) + " and " + std::to_string(extent),
             "Dims of one name have one extent.");
    return at->second;
  }
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice) const {
    raise<ShapeError>(names_.op_, "by the factors \"" + names_.text_ + "\" " + problem, advice, names_.made_);
  }

  const NamedDims& names_;
  std::map<std::string, int> known_;
};

Factors NamedDims::factors(const std::vector<Type>& operands, const std::vector<Type>& results) const {
  Rule rule(*this);
  Factors out;
  out.operands = rule.tensors(operands_, operands, "operands");
  out.results = rule.tensors(results_, results, "results");
  out.factors = std::move(rule.factors);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
