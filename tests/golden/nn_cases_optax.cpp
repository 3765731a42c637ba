// Optax: trajectories of optimisers, and the wrappers of optimisers.
#include "golden/nn_cases_any.hpp"

namespace golden {
namespace {

using namespace tutti;
using python::Node;
using python::NodePtr;
using Kind = Node::Kind;

template <std::size_t... I> AnyTransform chain_of(const std::vector<AnyTransform>& parts, std::index_sequence<I...>) {
  return any(optim::chain(parts[I]...), [parts](const std::string& path) {
    std::size_t close = path.find(']'), i = std::stoul(path.substr(1, close - 1));
    std::string rest = parts.at(i).where(plain_path(path.substr(close + 1)));
    return path.substr(0, close + 1) + (rest.empty() || rest.starts_with("[") ? "" : ".") + rest;
  });
}
template <std::size_t... I>
AnyTransform groups_of(const std::vector<std::string>& names, const std::vector<AnyTransform>& inner,
                       const optim::Labels& labels, std::index_sequence<I...>) {
  return any(optim::multi_transform(labels, std::pair{names[I], inner[I]}...), [names, inner](const std::string& path) {
    const std::string lead = "inner_states.", member = "inner_state";
    if (!path.starts_with(lead)) return path;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::string head = lead + names[i] + "." + member; path.starts_with(head))
        return "inner_states[" + std::to_string(i) + "]." + member + "." +
               inner[i].where(plain_path(path.substr(head.size())));
    return path;
  });
}
Dict slice_of(const Dict& gradients, int step) {
  return tree::map([&](const Array& g) { return g[step]; }, gradients);
}
NnOutputs trajectory(const NnInputs& in, const json& p) {
  AnyTransform tx = optimiser_of(*python::parse(p.at("expr").get<std::string>()));
  Dict params = in.dict(0), gradients = in.dict(1), state = tx.init(params);
  std::map<std::string, std::vector<Array>> steps;
  for (int t = 0; t < p.at("steps"); ++t) {
    auto [updates, next] = tx.update(slice_of(gradients, t), state, params);
    state = next;
    params = optim::apply_updates(params, updates);
    for (auto& [path, leaf] : leaves_below("params", params)) steps[path].push_back(leaf);
  }
  NnOutputs out;
  for (auto& [path, list] : steps) out.emplace_back(path, stack(list));
  for (const json& w : p.at("state_paths")) {
    std::string path = w, here = tx.where(path);
    Array leaf = at_path(state, here);
    std::string lead = here.substr(0, here.rfind('.') + 1), name = here.substr(lead.size());
    if (!leaf.has_value() && name == "t") leaf = at_path(state, lead + "count");  // Adan's name for it
    if (!leaf.has_value() && name == "is_initial_step") leaf = at_path(state, lead + "count") == 0;
    out.emplace_back(path.empty() ? "state" : path.starts_with("[") ? "state" + path : "state." + path, leaf);
  }
  return out;
}

const NnFamily optax_family({{"optax trajectory", trajectory},
                             {"optax.global_norm",
                              [](const NnInputs& in, const json&) -> NnOutputs {
                                return {{"", optim::global_norm(in.dict(0))}};
                              }},
                             {"optax.incremental_update", [](const NnInputs& in, const json& p) {
                                return leaves_below("", optim::incremental_update(in.dict(0), in.dict(1),
                                                                                  p.at("step_size").get<double>()));
                              }}});

}  // namespace

AnyTransform chain_of(const std::vector<AnyTransform>& parts) {
  switch (parts.size()) {
    case 1: return chain_of(parts, std::make_index_sequence<1>());
    case 2: return chain_of(parts, std::make_index_sequence<2>());
    case 3: return chain_of(parts, std::make_index_sequence<3>());
    case 4: return chain_of(parts, std::make_index_sequence<4>());
    case 5: return chain_of(parts, std::make_index_sequence<5>());
    default: throw Unknown("chain of " + std::to_string(parts.size()));
  }
}

AnyTransform multi_transform_of(const Arguments& a) {
  const Node &groups = a.needed("transforms"), &labels = a.needed("param_labels");
  if (labels.kind != Kind::dict) throw Unknown("labels that are no dict");
  std::vector<std::string> names;
  std::vector<AnyTransform> inner;
  for (std::size_t i = 0; i + 1 < groups.children.size(); i += 2) {
    names.push_back(groups.children[i]->text);
    inner.push_back(optimiser_of(*groups.children[i + 1]));
  }
  optim::Labels of = [leaves = Arguments::flat(labels)](const tree::Path& path, const Array&) {
    return Arguments::at_or_above(leaves, path)->text;
  };
  switch (names.size()) {
    case 1: return groups_of(names, inner, of, std::make_index_sequence<1>());
    case 2: return groups_of(names, inner, of, std::make_index_sequence<2>());
    case 3: return groups_of(names, inner, of, std::make_index_sequence<3>());
    default: throw Unknown("groups");
  }
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
