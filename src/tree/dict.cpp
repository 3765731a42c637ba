// Dict: entries, their errors, and its walk.
#include "tutti/tree/dict.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "tree/absent.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti {
namespace {

constexpr int kDeepest = 10000;  // Dicts inside each other: walks go into them, and a stack ends

thread_local int depth = 0;
class Deeper {
 public:
  Deeper() {
    if (depth >= kDeepest)
      raise<ValueError>(
          "Dict", "more than " + std::to_string(kDeepest) + " Dicts are inside each other",
          "Is it a Dict that is put into itself again and again? Keep such data in one with longer keys.");
    ++depth;
  }
  ~Deeper() { --depth; }
  Deeper(const Deeper&) = delete;
};

constexpr tree::detail::NodeType dict_node{tree::detail::NodeType::Kind::map, "tutti::Dict"};

void refuse_leaf(const Dict& d, const Dict::Key& key) {
  if (!d.has_value()) return;
  raise<TypeError>("Dict",
                   "['" + std::string(key.text) + "'] asks an entry of a " + std::string(d.dtype().name()) +
                       " array of shape " + d.shape().str(),
                   "Leave the key out: this entry is a leaf.", key.loc);
}

constexpr const char* advice = "Name a key that is there; contains(key) asks.";
constexpr int most_listed = 40;  // keys: each entry that is made has such a text for a moment
std::string no_key(const Dict& d, std::string_view key) {
  std::string list;
  int listed = 0;
  for (const auto& [k, v] : d) {
    if (++listed > most_listed) {
      list += " and others";
      break;
    }
    list += (list.empty() ? "'" : ", '") + k + "'";
  }
  return "there is no key '" + std::string(key) + "'; " + (list.empty() ? "it has none" : "there are " + list);
}

}  // namespace

Dict::Dict(const Array& leaf) : Array(leaf) { refuse_absent(leaf); }

Dict::Dict(std::initializer_list<std::pair<const char*, Dict>> entries, Loc loc) {
  for (const auto& [key, value] : entries)
    if (!entries_.emplace(key, value).second)
      raise<ValueError>("Dict", "the key '" + std::string(key) + "' comes twice", "Give every entry a key of its own.",
                        loc);
}

Dict::Dict(const Dict& other) : Array(other) {
  // Whether there was something to copy. What is there is there now, however it came about.
  const auto copy = [](const auto& self, const Dict& from, Dict& to) -> bool {
    const Deeper level;
    for (const auto& [key, value] : from.entries_)
      if (Dict entry; self(self, value, entry)) to.entries_.emplace_hint(to.entries_.end(), key, std::move(entry));
    static_cast<Array&>(to) = from.has_value() ? static_cast<const Array&>(from) : Array();
    return !to.entries_.empty() || !is_absent_entry(from);
  };
  if (!copy(copy, other, *this)) refuse_absent(other);
}
Dict& Dict::operator=(const Dict& other) & { return *this = Dict(other); }
Dict& Dict::operator=(Dict&& other) & noexcept {
  Dict taken(std::move(other));  // it may be an entry of this
  Array::operator=(taken);
  entries_.swap(taken.entries_);
  return *this;
}

// From the outside in, however deep it is.
Dict::~Dict() {
  std::vector<Map> left;
  const auto take_inner = [&](Map& entries) {
    for (auto& [key, value] : entries)
      if (!value.entries_.empty()) left.push_back(std::move(value.entries_));
  };
  take_inner(entries_);
  while (!left.empty()) {
    Map entries = std::move(left.back());
    left.pop_back();
    take_inner(entries);
  }
}

bool Dict::has_entries() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) { return !entry.second.is_missing(); });
}
bool Dict::is_missing() const { return is_absent_entry(*this) && !has_entries(); }
void Dict::require() const {
  if (is_missing()) refuse_absent(*this);
}

bool Dict::contains(std::string_view key) const {
  const auto it = entries_.find(key);
  return it != entries_.end() && !it->second.is_missing();
}

bool Dict::erase(std::string_view key) {
  const bool there = contains(key);
  if (const auto it = entries_.find(key); it != entries_.end()) entries_.erase(it);
  if (there && is_missing()) Array::operator=(Array());  // it was assigned to, so it stays, without entries
  return there;
}

std::vector<std::string> Dict::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : *this) out.push_back(key);
  return out;
}

std::int64_t Dict::size() const {
  if (has_value()) return Array::size();
  return std::distance(begin(), end());
}

Dict& Dict::operator[](const Key& key) {
  refuse_leaf(*this, key);
  const auto it = entries_.find(key.text);
  if (it != entries_.end() && !it->second.is_missing()) return it->second;
  // Below a place that is missing itself, the first key that is not there is the one to name.
  const Array place = is_missing() ? Array(node()) : absent_entry(no_key(*this, key.text), advice, key.loc);
  Dict& entry = it != entries_.end() ? it->second : entries_[std::string(key.text)];
  static_cast<Array&>(entry) = place;
  return entry;
}

const Dict& Dict::operator[](const Key& key) const {
  refuse_leaf(*this, key);
  require();
  const auto it = entries_.find(key.text);
  if (it != entries_.end() && !it->second.is_missing()) return it->second;
  raise<IndexError>("Dict", no_key(*this, key.text), advice, key.loc);
}

void Dict::visit_tree(tree::detail::Visitor& visitor) {
  const Deeper level;
  // A place with something in it is an entry from now on, so that nobody looks through all below for that again.
  const auto settle = [](const auto& self, Dict& d) -> bool {
    if (!is_absent_entry(d)) return true;
    const Deeper below;
    bool any = false;
    for (auto& [key, value] : d.entries_) any |= self(self, value);
    if (any) static_cast<Array&>(d) = Array();
    return any;
  };
  settle(settle, *this);
  require();
  if (!has_entries()) return visitor.array(*this);
  visitor.enter(dict_node, static_cast<std::size_t>(size()));
  for (auto& [key, value] : *this) {
    visitor.key(key);
    value.visit_tree(visitor);
  }
  visitor.exit();
}

std::string str(const Dict& d) {
  const Deeper level;
  if (d.is_array()) return repr(d.array());
  std::string out = "{";
  for (const auto& [key, value] : d) out += (out.size() > 1 ? ", '" : "'") + key + "': " + str(value);
  return out + "}";
}

std::ostream& operator<<(std::ostream& out, const Dict& d) { return out << str(d); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
