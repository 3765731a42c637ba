// floor ceil round trunc is_finite. Derivative 0. round: to nearest, ties to even. Source: jax.lax.
#include "ops/elementwise/elementwise_ops.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {

[[gnu::init_priority(1000)]] const Op floor =
    unary_op<takes_floating>("floor", [](auto x) { return lane::floor(x); }, {.flat = true, .lo = 0.1, .hi = 0.9});
[[gnu::init_priority(1000)]] const Op ceil = unary_op<takes_floating>(
    "ceil", [](auto x) { return lane::unary<lane::Un::ceil>(x); }, {.flat = true, .lo = 0.1, .hi = 0.9});
[[gnu::init_priority(1000)]] const Op round =
    unary_op<takes_floating>("round", [](auto x) { return lane::round_even(x); }, {.flat = true, .lo = 0.6, .hi = 1.4});
[[gnu::init_priority(1000)]] const Op trunc =
    unary_op<takes_floating>("trunc", [](auto x) { return lane::trunc(x); }, {.flat = true, .lo = 0.1, .hi = 0.9});
[[gnu::init_priority(1000)]] const Op is_finite =
    predicate_op<takes_floating>("is_finite", [](auto x) { return x - x == 0; });

}  // namespace tutti::ops
