#include "tutti/array/placement.hpp"

#include "array/node.hpp"
#include "array/runtime.hpp"
#include "mesh/checks.hpp"
#include "ops/placement/device_put.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

// The operation's array, for errors: `params.w of type float32[8,4]`.
std::string said_of(const Array& x, const tree::Path& where) {
  return (where.empty() ? "the array" : where.str()) + " (" + x.type().str() + ")";
}

void check(const Array& x, const Sharding& sharding, const char* operation, const tree::Path& where) {
  if (!sharding.has_value())
    raise<ShardingError>(operation, "the sharding for " + said_of(x, where) + " is empty",
                         "Make one with NamedSharding(mesh, P(\"x\")), or name a device.");
  // On a mesh that nobody owns nothing lies, but a program may say that something would.
  const bool planned = is_abstract(sharding) && x.is_traced();
  if (!planned && !all_exist(sharding)) check_exist(sharding, {operation, said_of(x, where)});
  if (!fits_rank(sharding, x.ndim())) check_rank(sharding, x.shape(), {operation, said_of(x, where)});
}

}  // namespace

bool recording(const Array& x) { return x.is_traced() || (innermost_trace() && inside_staged()); }

Array device_put_leaf(const Array& x, const Sharding& sharding, Loc loc, const tree::Path& where) {
  CallScope scope(loc, Loc{"", "device_put"});
  if (innermost_trace() && inside_staged()) return constrain_leaf(x, sharding, loc, where);
  check(x, sharding, "device_put", where);
  if (!is_constrained(sharding)) check_constrained(sharding, {"device_put", said_of(x, where)});
  if (x.node()->stand_in) return make_stand_in(x.type(), sharding);
  if (x.is_traced()) return bind1(ops::device_put, ops::DevicePut{sharding}, {x, lax::stop_gradient(x)});
  buffer_of(x, "device_put");                               // a deleted array says so
  if (x.committed() && x.sharding() == sharding) return x;  // it lies there: the same array, as in JAX
  return relocated(x, sharding, true);
}

Array constrain_leaf(const Array& x, const Sharding& sharding, Loc loc, const tree::Path& where) {
  CallScope scope(loc, Loc{"", "with_sharding_constraint"});
  check(x, sharding, "with_sharding_constraint", where);
  return bind1(ops::sharding_constraint, ops::Constrain{sharding}, {x});
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
