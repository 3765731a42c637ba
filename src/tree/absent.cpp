#include "tree/absent.hpp"

#include <memory>
#include <utility>

#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

// It owns nothing: as the deleter of a null pointer it travels with every copy of a handle, and costs other handles
// nothing.
struct Lookup {
  std::string problem, advice;
  Loc loc;
  void operator()(void*) const {}
};

}  // namespace

Array absent_entry(std::string problem, std::string advice, Loc loc) {
  std::shared_ptr<void> owner(static_cast<void*>(nullptr), Lookup{std::move(problem), std::move(advice), loc});
  return Array(std::shared_ptr<ArrayNode>(owner, nullptr));
}

bool is_absent_entry(const Array& x) { return !x.has_value() && std::get_deleter<Lookup>(x.node()); }

void refuse_absent(const Array& x) {
  if (x.has_value()) return;
  if (const Lookup* lookup = std::get_deleter<Lookup>(x.node()))
    raise<IndexError>("Dict", lookup->problem, lookup->advice, lookup->loc);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
