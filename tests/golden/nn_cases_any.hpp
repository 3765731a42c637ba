// Any optimiser as one type, for trees of dicts; and its wrappers, with the way from Optax's state paths to ours.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "golden/nn_cases_arguments.hpp"

namespace golden {

inline std::vector<std::string> keys_of(const tutti::tree::Path& path) {
  std::vector<std::string> out;
  for (const auto& k : path.keys()) out.push_back(k.str());
  return out;
}
template <class T> tutti::Dict to_dict(const T& tree) {
  tutti::Dict out;
  for (const auto& [path, leaf] : tutti::tree::leaves_with_path(tree)) {
    tutti::Dict* at = &out;
    for (const std::string& k : keys_of(path)) at = &(*at)[k];
    *at = leaf;
  }
  return out;
}
template <class T> T from_dict(const T& like, const tutti::Dict& dict) {
  return tutti::tree::map_with_path(
      [&](const tutti::tree::Path& path, const tutti::Array&) {
        const tutti::Dict* at = &dict;
        for (const std::string& k : keys_of(path)) at = &(*at)[k];
        return tutti::Array(at->array());
      },
      like);
}

// Optax keeps a named optimiser's state as a chain, `[0].mu`; ours is one struct, `mu`.
inline std::string without_index(const std::string& path) {
  return path.starts_with("[") ? plain_path(path.substr(path.find(']') + 1)) : path;
}
inline std::string same(const std::string& path) { return path; }

template <class Opt> AnyTransform any(Opt opt, std::function<std::string(const std::string&)> where) {
  AnyTransform out;
  out.make = [opt](const tutti::Dict& params) { return to_dict(opt.init(params)); };
  out.run = [opt](const tutti::Dict& grads, const tutti::Dict& state, const tutti::Dict* params) {
    auto typed = from_dict(opt.init(grads), state);
    auto [updates, next] = params ? opt.update(grads, typed, *params) : opt.update(grads, typed);
    return std::pair{updates, to_dict(next)};
  };
  out.where = std::move(where);
  return out;
}
template <class Opt> AnyTransform named(Opt opt) { return any(std::move(opt), without_index); }
template <class Opt> AnyTransform part(Opt opt) { return any(std::move(opt), same); }
// `.inner_state[0].mu` in the wrapper's state: the rest is the inner one's business.
template <class Opt> AnyTransform wrapper(Opt opt, const AnyTransform& inner, std::string member) {
  return any(std::move(opt), [where = inner.where, member](const std::string& path) {
    if (!path.starts_with(member)) return path;
    std::string rest = where(plain_path(path.substr(member.size())));
    return rest.empty() ? member : member + (rest.starts_with("[") ? "" : ".") + rest;
  });
}

/// `optax.chain` and `optax.multi_transform` of these.
AnyTransform chain_of(const std::vector<AnyTransform>& parts);
AnyTransform multi_transform_of(const Arguments& arguments);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
