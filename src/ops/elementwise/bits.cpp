// Bitwise ops and shifts. A shift by the width or more (or by a negative count) gives 0, or the sign for
// shift_right_arithmetic. Source: jax.lax.
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {
namespace {

template <class L> int width(L x) { return static_cast<int>(lane::dtype_of(x).size()) * 8; }
// Counts seen as unsigned: negative ones are too large.
template <class L> auto too_far(L y) { return (y < lane::constant(y, 0)) | (y >= lane::constant(y, width(y))); }

template <lane::Bin op> struct Shift {
  template <class L> L operator()(L x, L y) const {
    auto far = too_far(y);
    L zero = lane::constant(x, 0);
    if (op == lane::Bin::shr_arithmetic)
      return lane::binary<op>(x, lane::select(far, lane::constant(x, width(x) - 1), y));
    return lane::select(far, zero, lane::binary<op>(x, lane::select(far, zero, y)));
  }
};

// 4-bit integers are computed in bytes, of which these ops would count all bits.
Op of_whole_bytes(Op op) {
  op.infer = [infer = op.infer](const Call& c) {
    for (const Type& t : c.operands)
      if (t.dtype == int4 || t.dtype == uint4)
        raise<TypeError>(c.op.name, "it takes no 4-bit integers: an operand is " + t.str(),
                         "Convert it with astype(int8).");
    return infer(c);
  };
  return op;
}

}  // namespace

constinit const Home bitwise_and = [] {
  return binary_op<takes_bits>("bitwise_and", [](auto x, auto y) { return x & y; });
};
constinit const Home bitwise_or = [] {
  return binary_op<takes_bits>("bitwise_or", [](auto x, auto y) { return x | y; });
};
constinit const Home bitwise_xor = [] {
  return binary_op<takes_bits>("bitwise_xor", [](auto x, auto y) { return x ^ y; });
};
constinit const Home bitwise_not = [] { return unary_op<takes_bits>("bitwise_not", [](auto x) { return ~x; }); };
constinit const Home shift_left = [] { return binary_op<takes_integer>("shift_left", Shift<lane::Bin::shl>{}); };
constinit const Home shift_right_logical = [] {
  return of_whole_bytes(binary_op<takes_integer>("shift_right_logical", Shift<lane::Bin::shr_logical>{}));
};
constinit const Home shift_right_arithmetic = [] {
  return binary_op<takes_integer>("shift_right_arithmetic", Shift<lane::Bin::shr_arithmetic>{});
};
constinit const Home population_count = [] {
  return of_whole_bytes(
      unary_op<takes_integer>("population_count", [](auto x) { return lane::unary<lane::Un::popcount>(x); }));
};
constinit const Home clz = [] {
  return of_whole_bytes(unary_op<takes_integer>("clz", [](auto x) { return lane::unary<lane::Un::clz>(x); }));
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
