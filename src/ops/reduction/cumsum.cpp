// Running sums along one dim, from the front or (reverse) from the back. Floats accumulate in float64 and
// are rounded once. Source: jax.lax.cumsum.
#include "ops/reduction/cumsum.hpp"

#include "ops/elementwise/pointwise.hpp"
#include "ops/reduction/running_across.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

// Added up in the order of the line.
void eval_cumsum(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Cumulative>();
  const Shape& shape = c.operands[0].shape;
  std::int64_t n = shape[p.axis], inner = 1;
  for (int d = p.axis + 1; d < shape.ndim(); ++d) inner *= shape[d];
  const std::int64_t lines = n ? shape.num_elements() / n : 0;
  with_storage<takes_number>(c.operands[0].dtype, [&]<class T>() {
    using Compute = typename Element<T>::Compute;
    using Sum = typename Accumulator<Compute>::type;
    for (std::int64_t k = 0; k < lines; ++k) {
      lane::Host<Sum> sum{};
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = k / inner * n * inner + k % inner + (p.reverse ? n - 1 - i : i) * inner;
        sum = sum + lane::Host<Sum>{static_cast<Sum>(Element<T>::load(in[0].as<const T>()[at]))};
        out[0].as<T>()[at] = Element<T>::store(static_cast<Compute>(sum.v));
      }
    }
  });
}

}  // namespace

Op running_frame(std::string name, unsigned mask, const std::vector<DType>& samples) {
  Op op;
  op.name = std::move(name);
  op.own_weak = true;
  op.infer = [mask](const Call& c) -> std::vector<Type> {
    const int axis = c.get<Cumulative>().axis;
    pointwise_shape(c, mask);
    if (axis < 0 || axis >= c.operands[0].ndim())
      raise<IndexError>(c.op.name, "axis " + std::to_string(axis) + " is out of range for " + c.operands[0].str(),
                        "Axes count from 0 here, up to ndim - 1.");
    return {Type{c.operands[0].dtype, c.operands[0].shape, false, {}}};
  };
  op.factors = [](const Call& c, const std::vector<Type>&) {
    Factors f;
    f.operands.resize(1);
    for (int d = 0; d < c.operands[0].ndim(); ++d) {
      f.factors.push_back({c.operands[0].shape[d],
                           d == c.get<Cumulative>().axis ? Factors::Kind::replicated : Factors::Kind::parallel});
      f.operands[0].push_back({d});
    }
    f.results = f.operands;
    return f;
  };
  op.batch = [](const Call& c, const Arrays& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    Cumulative p = c.get<Cumulative>();
    ++p.axis;
    return {{bind1(c.op, p, x)}, {true}};
  };
  for (DType d : samples)
    for (bool reverse : {false, true})
      for (int axis : {0, 1}) {
        Sample s;
        s.params = Cumulative{axis, reverse};
        s.operands = {Type{d, Shape{3, 5}, false, {}}};
        s.differentiable = d == float32;
        op.samples.push_back(s);
      }
  return op;
}

constinit const Home cumsum = [] {
  Op op = running_frame("cumsum", takes_number, {float32, bfloat16, int32});
  op.eval = eval_cumsum;
  op.across =
      running_across([](const Array& x, const Array& y) { return lax::add(x, y); }, [](DType) { return Scalar(0); });
  op.linear = {{0}};
  op.transpose = [](const Call& c, const Arrays& ct, const Arrays&, const std::vector<bool>&) -> Arrays {
    const auto& p = c.get<Cumulative>();
    return {ct[0].has_value() ? lax::cumsum(ct[0], p.axis, !p.reverse) : Array()};
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
