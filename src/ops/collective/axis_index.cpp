// axis_index: the position of the device in its group. pvary: the same value, typed as varying. Source: jax.lax.
#include <algorithm>

#include "ops/collective/family.hpp"

namespace tutti::ops {

// Typed as invariant: where variance is typed, lax::axis_index follows it with a pvary.
constinit const Home axis_index = [] {
  Collective says;
  says.alone = [](const Call&, std::int64_t me, const HostView*, const HostView& y) {
    *y.as<std::int32_t>() = static_cast<std::int32_t>(me);
  };
  says.variance = Collective::Variance::begins;
  Op op = collective_op<Group>("axis_index", says);
  op.infer = [](const Call&) { return std::vector{type(int32, {})}; };
  op.not_differentiable = "it has no operands";
  op.batch = [](const Call& c, const std::vector<Array>&, const std::vector<bool>&, const BatchAxis& axis) -> Batched {
    Steps steps{c.get<Group>(), axis};
    if (!steps.any()) return {{bind1(c.op, c.params, {})}, {false}};
    Array sum;
    std::int64_t stride = 1;
    for (int i = steps.count(); i-- > 0;) {
      Array one = steps.mine(i) ? lax::iota(int32, {axis.size}, 0)
                                : lax::broadcast(bind1(c.op, steps.one(i), {}), Shape{axis.size});
      if (stride > 1) one = lax::mul(one, literal(int32, static_cast<double>(stride)));
      sum = sum.has_value() ? lax::add(sum, one) : one;
      stride *= steps.group.sizes[i];
    }
    return {{sum}, {true}};
  };
  return op;
};

constinit const Home pvary = [] {
  Collective says;
  says.alone = [](const Call&, std::int64_t, const HostView* x, const HostView& y) {
    std::copy_n(x->as<const char>(), y.type.nbytes(), y.as<char>());
  };
  says.variance = Collective::Variance::stays;
  Op op = collective_op<Group>("pvary", says);
  op.infer = [](const Call& c) {
    Type t = c.operands[0];
    std::vector<std::string> more = c.get<Group>().axes;
    std::sort(more.begin(), more.end());
    t.varying = merge_names(t.varying, more);
    return std::vector{t};
  };
  op.batch = [](const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped, const BatchAxis& axis) {
    Group rest = Steps{c.get<Group>(), axis}.others();
    return Batched{{rest.axes.empty() ? xs[0] : bind1(c.op, rest, {xs[0]})}, {mapped[0]}};
  };
  set_linear(op, [](const Call& c, const Array& ct) { return bind1(psum, c.params, {ct}); });
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
