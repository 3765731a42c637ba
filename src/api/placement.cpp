#include "tutti/placement.hpp"

#include "array/node.hpp"
#include "mesh/checks.hpp"
#include "ops/sharding_constraint.hpp"
#include "trace/trace.hpp"

namespace tutti::detail {
namespace {

// `device_put (train.cpp:12): float32[8,4]`: how an error begins.
std::string said_of(const Array& x, const char* what, Loc loc) { return std::string(what) + (loc ? " (" + loc.str() + "): " : ": ") + x.type().str(); }

}  // namespace

bool recording(const Array& x) { return x.is_traced() || (innermost_trace() && inside_staged()); }

Array device_put_leaf(const Array& x, const Sharding& sharding, Loc loc) {
  CallScope scope(loc);
  if (!sharding.has_value()) throw ShardingError("device_put: the sharding is empty\n  at " + loc.str());
  if (recording(x)) return constrain_leaf(x, sharding, loc);
  if (!fits_rank(sharding, x.ndim())) check_rank(sharding, x.shape(), said_of(x, "device_put", loc));
  check_constrained(sharding, "device_put");
  // A label on the same memory: arrays of one host are whole, whatever their sharding.
  return make_array(x.type(), buffer_of(x, "device_put"), sharding, true);
}

Array constrain_leaf(const Array& x, const Sharding& sharding, Loc loc) {
  CallScope scope(loc);
  if (!sharding.has_value()) throw ShardingError("with_sharding_constraint: the sharding is empty\n  at " + loc.str());
  if (!fits_rank(sharding, x.ndim())) check_rank(sharding, x.shape(), said_of(x, "with_sharding_constraint", loc));
  return bind1(ops::sharding_constraint, ops::Constrain{sharding}, {x});
}

}  // namespace tutti::detail
