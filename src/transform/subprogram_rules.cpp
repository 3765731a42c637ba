#include "transform/subprogram_rules.hpp"

#include <map>
#include <mutex>

namespace tutti {
namespace {

// Entries are never removed, so that the pointers handed out stay valid.
struct Table {
  std::mutex mutex;
  std::map<std::string, SubprogramRules> rules;
};
Table& table() {
  static Table t;
  return t;
}

}  // namespace

const SubprogramRules* subprogram_rules(const Op& op) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  auto it = t.rules.find(op.name);
  return it == t.rules.end() ? nullptr : &it->second;
}

void set_subprogram_rules(const std::string& op_name, SubprogramRules rules) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  t.rules.insert_or_assign(op_name, std::move(rules));
}

}  // namespace tutti
