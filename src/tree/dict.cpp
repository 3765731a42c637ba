// Dict: entries, their errors, and its walk.
#include "tutti/dict.hpp"

#include <ostream>

#include "tutti/tree_structure.hpp"

namespace tutti {
namespace {

constexpr tree::detail::NodeType dict_node{tree::detail::NodeType::Kind::map, "tutti::Dict"};

}  // namespace

Dict::Dict(std::initializer_list<std::pair<const char*, Dict>> entries) {
  for (const auto& [key, value] : entries)
    if (!entries_.emplace(key, value).second) throw ValueError("Dict: the key '" + std::string(key) + "' comes twice.");
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

Dict& Dict::get_or_add(std::string_view key) {
  if (has_value()) throw TypeError("Dict: ['" + std::string(key) + "'] of an array: this entry is a leaf.");
  const auto it = entries_.find(key);
  return it != entries_.end() ? it->second : entries_[std::string(key)];
}

const Dict& Dict::at_key(std::string_view key) const {
  if (has_value()) throw TypeError("Dict: ['" + std::string(key) + "'] of an array: this entry is a leaf.");
  const auto it = entries_.find(key);
  if (it != entries_.end()) return it->second;
  std::string list;
  for (const auto& [k, v] : entries_) list += (list.empty() ? "'" : ", '") + k + "'";
  throw IndexError("Dict: no key '" + std::string(key) + "'; " + (list.empty() ? "it has none." : "there are " + list + "."));
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
