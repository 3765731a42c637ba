#include "ops/op_def.hpp"
#include "tutti/call_scope.hpp"

namespace tutti {
namespace {
thread_local Loc current;
}

// The outermost scope wins: what a layer of the library records inside a user's call bears the user's line.
LocScope::LocScope(Loc loc) : opened_(!current) {
  if (opened_) current = loc;
}
LocScope::~LocScope() {
  if (opened_) current = {};
}

CallScope::CallScope(Loc loc) : opened_(!current) {
  if (opened_) current = loc;
}
CallScope::~CallScope() {
  if (opened_) current = {};
}

LocOverride::LocOverride(Loc loc) : saved_(current) {
  if (loc) current = loc;
}
LocOverride::~LocOverride() { current = saved_; }

Loc current_loc() { return current; }

}  // namespace tutti
