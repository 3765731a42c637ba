#include "tutti/io/tree_file.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "io/dtypes.hpp"
#include "io/leaves.hpp"
#include "io/quoted.hpp"
#include "io/safetensors_format.hpp"

namespace tutti::io::detail {
namespace {

constexpr std::size_t kListed = 40;  // leaves of a kind that an error names

std::string listed(const char* heading, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string out = std::string("\n  ") + heading + ": ";
  for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > kListed) out += " and " + std::to_string(names.size() - kListed) + " more";
  return out;
}

std::string text_of(const std::optional<DType>& dtype, const Shape& shape) {
  return std::string(dtype ? dtype->name() : "of a dtype that tutti does not have, ") + shape.str();
}

// A plain file says how the elements of keys and of 4-bit integers are stored; a checkpoint knows what they are.
bool same_type(const StoredLeaf& stored, const Array& like) {
  if (stored.dtype == like.dtype()) return stored.shape == like.shape();
  return stored.dtype == stored_dtype(like.dtype()) && stored.shape == stored_shape(like.dtype(), like.shape());
}

}  // namespace

std::vector<std::string> leaf_names(const Leaves& leaves) {
  if (leaves.empty())
    raise<ValueError>(call_name("io"), "there is no array in the tree",
                      "Numbers and texts in a tree are not saved: make arrays of what is to be.");
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const auto& [path, x] : leaves) {
    out.push_back(path.empty() ? "array" : path.str());
    if (!seen.insert(out.back()).second)
      raise<ValueError>(call_name("io"), "two leaves have the path " + printable(out.back()),
                        "Use keys without quotes in them.");
  }
  return out;
}

std::vector<int> match_leaves(const std::string& where, const Leaves& like, const std::vector<StoredLeaf>& stored,
                              bool partial) {
  std::map<std::string, int> position;
  for (std::size_t i = 0; i < stored.size(); ++i) position.emplace(stored[i].name, static_cast<int>(i));
  const std::vector<std::string> names = leaf_names(like);
  std::vector<int> out;
  std::vector<std::string> missing, differing, extra;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Array& x = like[i].second;
    const auto at = position.find(names[i]);
    if (at == position.end()) {
      missing.push_back(printable(names[i]) + " " + text_of(x.dtype(), x.shape()));
      out.push_back(-1);
      continue;
    }
    const StoredLeaf& found = stored[static_cast<std::size_t>(at->second)];
    const bool fits = same_type(found, x);
    if (!fits)
      differing.push_back(printable(names[i]) + " is " + text_of(found.dtype, found.shape) + " there, " +
                          text_of(x.dtype(), x.shape()) + " here");
    out.push_back(fits ? at->second : -1);
    position.erase(at);
  }
  for (const auto& [name, i] : position) extra.push_back(printable(name));
  std::sort(extra.begin(), extra.end());
  if (!partial && !(missing.empty() && differing.empty() && extra.empty()))
    raise_content(where,
                  "it holds another tree" + listed("missing", missing) + listed("different", differing) +
                      listed("besides", extra),
                  "Give a tree of the same leaves; io::SafetensorsFile reads arrays one by one, and "
                  "checkpoint::restore takes what fits with {.partial = true}.");
  return out;
}

void save_leaves(const std::string& path, const Leaves& leaves, const Metadata& metadata) {
  const std::vector<std::string> names = leaf_names(leaves);
  std::vector<NamedContent> contents;
  for (std::size_t i = 0; i < leaves.size(); ++i) contents.push_back({names[i], content_of(leaves[i].second)});
  Replacement replacement(path);
  OutputFile file(replacement.path());
  write_safetensors(file, contents, metadata);
  file.close();
  replacement.commit();
}

std::vector<Array> load_leaves(const std::string& path, const Leaves& like) {
  const InputFile file(path);
  const SafetensorsHeader header = read_safetensors_header(file);
  std::vector<StoredLeaf> stored;
  for (const Tensor& t : header.tensors) stored.push_back({t.name, safetensors_dtype(t.dtype), t.shape});
  std::vector<Array> out;
  for (std::size_t i = 0; const int at : match_leaves(path, like, stored, false)) {
    const Tensor& t = header.tensors[static_cast<std::size_t>(at)];
    out.push_back(array_like(like[i++].second, [&](std::span<std::byte> bytes) { file.read_large(t.begin, bytes); }));
  }
  return out;
}

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
