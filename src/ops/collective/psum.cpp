// psum pmax pmin: what all devices of a group have, combined. Source: jax.lax.
#include <algorithm>

#include "ops/collective/family.hpp"
#include "ops/elementwise/complex_order.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_psum(const Call& c) {
  const std::vector<std::string>& gone = c.get<Group>().axes;
  Type t = c.operands[0];
  std::erase_if(t.varying, [&](const std::string& n) { return std::find(gone.begin(), gone.end(), n) != gone.end(); });
  return {t};
}

// Device k combines the k-th part of all operands and hands it to the others.
std::vector<Round> rounds_of_psum(const Call& c, std::int64_t me, std::int64_t n) {
  const Type& t = c.operands[0];
  const std::int64_t elements = t.shape.num_elements(), item = t.dtype.size();
  auto part = [&](std::int64_t k) {
    const std::int64_t first = elements * k / n, end = elements * (k + 1) / n;
    return Runs{first * item, (end - first) * item, 0, 1};
  };
  auto mine = [&](std::int64_t) { return part(me); };
  Round gather = to_each(n, part, mine), spread = to_each(n, mine, part);
  gather.combined = true;
  spread.onward = true;
  return {gather, spread};
}

template <unsigned mask, class Combine> Op reduction(std::string name, Combine combine) {
  Collective says;
  says.kind = "all_reduce";
  says.rounds = rounds_of_psum;
  says.combine = combined_by<mask>(combine);
  says.received = [](double bytes, double n) {
    Received half = received_in_blocks(bytes, n);  // a block of each to combine, then a combined block of each
    return Received{2 * half.bytes, 2 * half.messages};
  };
  says.variance = Collective::Variance::ends;
  Op op = collective_op<Group>(std::move(name), says);
  op.infer = infer_psum;
  return op;
}

// `lanes` combines the lanes of a batch; `same` is what many times the same gives.
template <class Combine, class Same> decltype(Op::batch) batched_by(Combine lanes, Same same) {
  return [=](const Call& c, const Arrays& xs, const std::vector<bool>& mapped, const BatchAxis& axis) -> Batched {
    Steps steps{c.get<Group>(), axis};
    Lanes v{xs[0], mapped[0]};
    if (steps.any()) {
      v.x = v.mapped ? lanes(v.x) : same(v.x, axis.size);
      v.mapped = false;
    }
    Group rest = steps.others();
    if (!rest.axes.empty()) v.x = bind1(c.op, rest, {v.x});
    return result(v);
  };
}
Array unchanged(const Array& x, std::int64_t) { return x; }

// A sum over an axis over which its operand was typed as varying gives every device the whole cotangent. Where variance
// is not typed (check_vma false, pmap, vmap), each device holds the cotangent of its own copy of the result, and they
// add up.
Array transpose_psum(const Call& c, const Array& ct) {
  const auto& p = c.get<Group>();
  Group typed, untyped;
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const std::vector<std::string>& varying = c.operands[0].varying;
    Group& side = std::find(varying.begin(), varying.end(), p.axes[i]) != varying.end() ? typed : untyped;
    side.axes.push_back(p.axes[i]);
    side.sizes.push_back(p.sizes[i]);
  }
  Array out = ct;
  if (!untyped.axes.empty()) out = bind1(psum, untyped, {out});
  if (!typed.axes.empty()) out = bind1(pvary, typed, {out});
  return out;
}

const char* const no_derivative = "it has no derivative, as in JAX; take the maximum with all_gather and max instead";

}  // namespace

constinit const Home psum = [] {
  Op op = reduction<takes_number>("psum", [](auto x, auto y) { return x + y; });
  op.batch = batched_by(
      // In any order: over several axes, one after the other is batched, and their sums may become one.
      [](const Array& x) {
        return bind1(reduce_sum, Reduction{{0}, true}, {x});
      },
      [](const Array& x, std::int64_t n) { return lax::mul(x, literal(x.dtype(), static_cast<double>(n))); });
  set_linear(op, transpose_psum);
  return op;
};
constinit const Home pmax = [] {
  Op op = reduction<takes_number | takes_bool>("pmax", extremum_of<true>());
  op.batch = batched_by([](const Array& x) { return lax::reduce_max(x, {0}); }, unchanged);
  op.not_differentiable = no_derivative;
  return op;
};
constinit const Home pmin = [] {
  Op op = reduction<takes_number | takes_bool>("pmin", extremum_of<false>());
  op.batch = batched_by([](const Array& x) { return lax::reduce_min(x, {0}); }, unchanged);
  op.not_differentiable = no_derivative;
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
