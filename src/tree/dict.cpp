// Dict: entries, their errors, and its walk.
#include "tutti/dict.hpp"

#include <ostream>

#include "tutti/call_scope.hpp"
#include "tutti/tree_structure.hpp"

namespace tutti {
namespace {

constexpr tree::detail::NodeType dict_node{tree::detail::NodeType::Kind::map, "tutti::Dict"};

void refuse_leaf(const Dict& d, const Dict::Key& key) {
  if (!d.has_value()) return;
  raise<TypeError>("Dict", "['" + std::string(key.text) + "'] asks an entry of a " + std::string(d.dtype().name()) + " array of shape " + d.shape().str(),
                   "Leave the key out: this entry is a leaf.", key.loc);
}

}  // namespace

Dict::Dict(std::initializer_list<std::pair<const char*, Dict>> entries, Loc loc) {
  for (const auto& [key, value] : entries)
    if (!entries_.emplace(key, value).second) raise<ValueError>("Dict", "the key '" + std::string(key) + "' comes twice", "Give every entry a key of its own.", loc);
}

bool Dict::erase(std::string_view key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return false;
  entries_.erase(it);
  return true;
}

std::vector<std::string> Dict::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : entries_) out.push_back(key);
  return out;
}

Dict& Dict::operator[](const Key& key) {
  refuse_leaf(*this, key);
  const auto it = entries_.find(key.text);
  return it != entries_.end() ? it->second : entries_[std::string(key.text)];
}

const Dict& Dict::operator[](const Key& key) const {
  refuse_leaf(*this, key);
  const auto it = entries_.find(key.text);
  if (it != entries_.end()) return it->second;
  std::string list;
  for (const auto& [k, v] : entries_) list += (list.empty() ? "'" : ", '") + k + "'";
  raise<IndexError>("Dict", "there is no key '" + std::string(key.text) + "'; " + (list.empty() ? "it has none" : "there are " + list),
                    "Name a key that is there; contains(key) asks.", key.loc);
}

void Dict::visit_tree(tree::detail::Visitor& visitor) {
  if (entries_.empty()) return visitor.array(*this);
  visitor.enter(dict_node, entries_.size());
  for (auto& [key, value] : entries_) {
    visitor.key(key);
    value.visit_tree(visitor);
  }
  visitor.exit();
}

std::string str(const Dict& d) {
  if (d.is_array()) return repr(d.array());
  std::string out = "{";
  for (const auto& [key, value] : d) out += (out.size() > 1 ? ", '" : "'") + key + "': " + str(value);
  return out + "}";
}

std::ostream& operator<<(std::ostream& out, const Dict& d) { return out << str(d); }

}  // namespace tutti
