// What tree.hpp does without knowing types: collecting slots and paths, lining trees up, assigning leaves.
#include "tutti/tree/tree.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "tree/structure.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {

bool is_inexact_array(const Array& x) { return x.has_value() && x.dtype().is_inexact(); }

namespace detail {

void refuse_prefix(std::size_t entries, std::size_t asked, const tree::Path& path, std::size_t depth) {
  const tree::Path here({path.keys().begin(),
                         path.keys().begin() + static_cast<std::ptrdiff_t>(std::min(depth + 1, path.keys().size()))});
  raise<ValueError>("prefix tree",
                    "a list of " + std::to_string(entries) + " entries has none for " + here.str() +
                        ", which is number " + std::to_string(asked),
                    "Give one entry per element or member; `none` leaves one open.");
}

namespace {

// The least number of insertions, deletions and replacements that make `b` of `a`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The pattern beside as much of a path as it has text for: "**.wieght" is near "layers[0].weight".
std::size_t distance_to_path(const std::string& pattern, const tree::Path& path) {
  const std::string text = path.str();
  const std::size_t named = pattern.find_last_of('*') + 1;  // 0 without a star
  const std::string_view end = std::string_view(pattern).substr(std::min(named, pattern.size()));
  return distance(end, std::string_view(text).substr(named && text.size() > end.size() ? text.size() - end.size() : 0));
}

}  // namespace

void refuse_pattern(const char* what, const std::string& pattern, const std::vector<tree::Path>& paths, Loc loc) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const tree::Path& p : paths) near.emplace_back(distance_to_path(pattern, p), p.str());
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string nearest;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i)
    nearest += (i ? ", " : "") + (near[i].second.empty() ? "the array itself" : near[i].second);
  raise<ValueError>(what, "the pattern \"" + pattern + "\" matches none of " + std::to_string(paths.size()) + " paths",
                    "Nearest: " + nearest + ". Write if_any behind the value of a rule that may match nothing.", loc);
}

}  // namespace detail

namespace tree::detail {
namespace {

struct Nothing : Visitor {
  void array(Array&) override {}
  void value(const void*, const ValueType&) override {}
  void enter(const NodeType&, std::size_t) override {}
  void child(std::size_t) override {}
  void key(std::string_view) override {}
  void exit() override {}
};

struct Slots final : Nothing {
  std::vector<Array*> slots;
  void array(Array& leaf) override { slots.push_back(&leaf); }
};

struct Leaves final : Nothing {
  std::vector<Array>* leaves;
  std::vector<bool>* frozen = nullptr;
  std::vector<bool> in_frozen;  // one per open node
  void array(Array& leaf) override {
    if (!leaf.has_value()) return;
    leaves->push_back(leaf);
    if (frozen) frozen->push_back(!in_frozen.empty() && in_frozen.back());
  }
  void enter(const NodeType& type, std::size_t) override {
    in_frozen.push_back(type.kind == NodeType::Kind::frozen || (!in_frozen.empty() && in_frozen.back()));
  }
  void exit() override { in_frozen.pop_back(); }
};

// Paths of all arrays, and the skeleton: lengths and keys, which must agree where trees are lined up.
struct Paths final : Nothing {
  struct Open {
    const NodeType* type;
    bool has_key = false;  // whether a step of the path belongs to this node
  };
  std::vector<Path::Key> path;
  std::vector<Open> open;
  std::vector<Path> paths;
  std::vector<std::pair<Path, std::string>> lengths;
  bool want_lengths = false;

  void array(Array&) override { paths.emplace_back(path); }
  void enter(const NodeType& type, std::size_t n) override {
    open.push_back({&type});
    if (want_lengths && type.kind != NodeType::Kind::record) lengths.emplace_back(Path(path), std::to_string(n));
  }
  void step(Path::Key key) {
    if (open.back().has_key) path.pop_back();
    path.push_back(std::move(key));
    open.back().has_key = true;
  }
  void child(std::size_t i) override {
    if (open.back().type->members)
      step({std::string(open.back().type->members[i]), -1, std::int64_t(i)});
    else
      step({"", std::int64_t(i)});
  }
  void key(std::string_view key) override {
    step({std::string(key)});
    if (want_lengths) lengths.emplace_back(Path(path), "");
  }
  void exit() override {
    if (open.back().has_key) path.pop_back();
    open.pop_back();
  }
};

// Lengths and keys as words, quick to compare.
struct Skeleton final : Nothing {
  std::vector<Array*> slots;
  std::vector<std::size_t> words;
  void array(Array& leaf) override { slots.push_back(&leaf); }
  void enter(const NodeType& type, std::size_t n) override {
    if (type.kind != NodeType::Kind::record) words.push_back(n);
  }
  void key(std::string_view key) override { words.push_back(std::hash<std::string_view>{}(key)); }
};

[[noreturn]] void throw_misaligned(Ref first, Ref other, std::size_t k, const char* what, Loc loc) {
  Paths a, b;
  a.want_lengths = b.want_lengths = true;
  first.walk(first.object, a);
  other.walk(other.object, b);
  const std::string who = "tree 1 and tree " + std::to_string(k + 1),
                    advice = "Give trees of one structure, such as parameters and their gradients.";
  for (std::size_t i = 0; i < a.lengths.size() && i < b.lengths.size(); ++i) {
    const auto& [pa, na] = a.lengths[i];
    const auto& [pb, nb] = b.lengths[i];
    if (pa != pb) raise<ValueError>(what, who + " have different keys: " + pa.str() + " and " + pb.str(), advice, loc);
    if (na != nb)
      raise<ValueError>(
          what, who + " differ" + (pa.empty() ? "" : " at " + pa.str()) + ": " + na + " and " + nb + " elements",
          advice, loc);
  }
  for (std::size_t i = 0; i < a.paths.size() && i < b.paths.size(); ++i)
    if (a.paths[i] != b.paths[i])
      raise<ValueError>(
          what,
          who + " differ: an array is at " + a.paths[i].str() + " in one, at " + b.paths[i].str() + " in the other",
          advice, loc);
  raise<ValueError>(
      what,
      who + " have " + std::to_string(a.paths.size()) + " and " + std::to_string(b.paths.size()) + " places for arrays",
      advice, loc);
}

}  // namespace

std::vector<Array*> slots_of(Ref tree) {
  Slots v;
  tree.walk(tree.object, v);
  return std::move(v.slots);
}

std::vector<std::pair<int, Path>> without_argument(const std::vector<Path>& paths) {
  std::vector<std::pair<int, Path>> out;
  for (const Path& p : paths) out.emplace_back(-1, p);
  return out;
}
std::vector<Path> paths_of(Ref tree) {
  Paths v;
  tree.walk(tree.object, v);
  return std::move(v.paths);
}

std::vector<std::pair<Path, Array>> leaves_with_path_of(Ref tree) {
  const std::vector<Array*> slots = slots_of(tree);
  std::vector<Path> paths = paths_of(tree);
  std::vector<std::pair<Path, Array>> out;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i]->has_value()) out.emplace_back(std::move(paths[i]), *slots[i]);
  return out;
}
std::vector<Path> leaf_paths_of(Ref tree) {
  const std::vector<Array*> slots = slots_of(tree);
  std::vector<Path> paths = paths_of(tree), out;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i]->has_value()) out.push_back(std::move(paths[i]));
  return out;
}
std::vector<Array> places_of(Ref tree) {
  std::vector<Array> out;
  for (const Array* slot : slots_of(tree)) out.push_back(*slot);
  return out;
}
void append_present(Ref tree, std::vector<bool>& present) {
  for (const Array* slot : slots_of(tree)) present.push_back(slot->has_value());
}

std::vector<Array> leaves_of(Ref tree) {
  std::vector<Array> out;
  Leaves v;
  v.leaves = &out;
  tree.walk(tree.object, v);
  return out;
}

void flatten_into(Ref tree, Flat& flat) {
  Leaves v;
  v.leaves = &flat.leaves;
  v.frozen = &flat.frozen;
  tree.walk(tree.object, v);
}

Structure structure_of(std::span<const Ref> trees) {
  Structure out;
  Encoder v(out);
  for (const Ref& tree : trees) tree.walk(tree.object, v);
  return out;
}

void refuse_count(const char* what, std::size_t came, std::size_t places, std::size_t filled, Loc loc) {
  raise<ValueError>(what,
                    std::to_string(came) + " arrays came for a tree of " + std::to_string(places) + " places, " +
                        std::to_string(filled) + " of them filled",
                    "Give one array for each place, or for each one that is filled.", loc);
}

void assign(Ref tree, std::span<const Array> leaves, const char* what, Loc loc) {
  std::vector<Array*> slots = slots_of(tree);
  const std::size_t all = slots.size();
  if (leaves.size() != slots.size()) std::erase_if(slots, [](const Array* slot) { return !slot->has_value(); });
  if (leaves.size() != slots.size()) refuse_count(what, leaves.size(), all, slots.size(), loc);
  for (std::size_t i = 0; i < slots.size(); ++i) *slots[i] = leaves[i];
}

void assign_all(std::span<const Ref> trees, std::span<const Array> leaves) {
  std::size_t next = 0;
  for (const Ref& tree : trees)
    for (Array* slot : slots_of(tree))
      if (slot->has_value()) *slot = leaves[next++];
}

void map_rows(std::span<const Ref> trees, bool with_paths, const RowCall& call, const char* what, Loc loc) {
  const Columns c = align(trees, what, loc);
  std::vector<Path> paths;
  if (with_paths) paths = paths_of(trees[0]);
  std::vector<Array*> row(c.column.size());
  for (std::size_t i = 0; i < c.rows(); ++i) {
    if (!c.all(i)) continue;
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = c.column[k][i];
    *row[0] = call.call(call.object, with_paths ? &paths[i] : nullptr, row.data());
  }
}

bool Columns::all(std::size_t row) const {
  for (const auto& c : column)
    if (!c[row]->has_value()) return false;
  return true;
}

Columns align(std::span<const Ref> trees, const char* what, Loc loc) {
  Columns out;
  Skeleton first;
  trees[0].walk(trees[0].object, first);
  out.column.push_back(std::move(first.slots));
  for (std::size_t k = 1; k < trees.size(); ++k) {
    Skeleton v;
    trees[k].walk(trees[k].object, v);
    if (v.words != first.words || v.slots.size() != out.rows()) throw_misaligned(trees[0], trees[k], k, what, loc);
    out.column.push_back(std::move(v.slots));
  }
  return out;
}

}  // namespace tree::detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
