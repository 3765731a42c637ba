#include "api/argument_groups.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace tutti::detail {

namespace {

// Where numbers stand in a name: in brackets, and behind `_` as linen numbers its layers.
std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& name) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '[' && name[i] != '_') continue;
    std::size_t end = i + 1;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end]))) ++end;
    const bool closed = name[i] == '[' ? end < name.size() && name[end] == ']'
                                       : end == name.size() || !std::isalnum(static_cast<unsigned char>(name[end]));
    if (end > i + 1 && closed) out.emplace_back(i + 1, end);
  }
  return out;
}

}  // namespace

std::string pattern_of(const std::string& text) {
  const auto numbers = numbers_in(text);
  std::string out = text;
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) out.replace(at->first, at->second - at->first, 1, '*');
  return out;
}

std::vector<std::string> common_patterns(const std::vector<std::pair<std::string, std::string>>& names_and_kinds) {
  auto candidates = [](const std::string& name) {
    std::vector<std::string> out;
    for (auto [from, to] : numbers_in(name)) out.push_back(std::string(name).replace(from, to - from, "*"));
    return out;
  };
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const auto& [name, kind] : names_and_kinds)
    for (const std::string& c : candidates(name)) ++counts[{c, kind}];
  std::vector<std::string> out;
  for (const auto& [name, kind] : names_and_kinds) {
    std::string best = name;
    int most = 1;
    for (const std::string& c : candidates(name))
      if (const int n = counts.at({c, kind}); n > most) {
        most = n;
        best = c;
      }
    out.push_back(std::move(best));
  }
  return out;
}

std::vector<std::string> ArgumentGroup::names(const PlanRequest& request) const {
  std::vector<std::string> out;
  for (int i : inputs) out.push_back(request.inputs[static_cast<std::size_t>(i)].name);
  return out;
}

std::vector<ArgumentGroup> argument_groups(const PlanRequest& request, const Mesh& mesh) {
  std::vector<ArgumentGroup> out;
  const Program& p = *request.program;
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t i = 0; i < request.inputs.size(); ++i)
    names.emplace_back(request.inputs[i].name, p.types[p.inputs[i]].str());
  const std::vector<std::string> patterns = common_patterns(names);
  for (int i = 0; i < static_cast<int>(request.inputs.size()); ++i) {
    const Placement& placed = request.inputs[static_cast<std::size_t>(i)];
    const std::string& pattern = patterns[static_cast<std::size_t>(i)];
    const Type& type = p.types[p.inputs[i]];
    auto alike = [&](const ArgumentGroup& g) {
      if (g.type.dtype != type.dtype || g.type.shape != type.shape) return false;
      if (g.pattern == pattern) return true;
      // What an optimiser keeps has its own argument, and ends in the path of what it is kept of.
      const std::size_t below = g.pattern.find_first_of(".[");
      return below != g.pattern.npos && pattern.size() > g.pattern.size() - below &&
             pattern.ends_with(std::string_view(g.pattern).substr(below));
    };
    auto group = std::find_if(out.begin(), out.end(), alike);
    if (group == out.end()) {
      out.push_back({pattern, {}, type, {}});
      group = out.end() - 1;
    }
    std::optional<Layout> lies;
    if (placed.sharding.has_value()) lies = whole_axis_layout(placed.sharding, type.ndim(), mesh);
    group->inputs.push_back(i);
    group->lies.push_back(lies.value_or(Layout::replicated(type.ndim())));
  }
  return out;
}

std::optional<Layout> with_axis_on(Layout layout, const AxisRef& axis, int d, const Shape& shape) {
  for (AxisRefs& refs : layout.dims) std::erase(refs, axis);
  if (d < 0) return canonical(std::move(layout));
  AxisRefs& refs = layout.dims[static_cast<std::size_t>(d)];
  refs.push_back(axis);
  if (shape[d] % ways(refs) != 0) return std::nullopt;
  return canonical(std::move(layout));
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
