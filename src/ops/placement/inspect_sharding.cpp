#include "ops/placement/inspect_sharding.hpp"

namespace tutti::ops {

// Propagation takes these Eqns out of the Program: they are never run, and no value is moved for them.
constinit const Home inspect_sharding = [] {
  Op op;
  op.name = "inspect_sharding";
  op.role = Role::inspection;
  op.inspect = [](const Params& p, const Sharding& sharding, const Shape& shape) {
    p.get<InspectSharding>().inspector(sharding, shape);
  };
  op.infer = [](const Call&) { return std::vector<Type>{}; };
  op.eval = [](const Call&, std::span<const HostView>, std::span<const HostView>) {};
  op.batch = [](const Call& call, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis&) {
    bind(call.op, call.params, operands);
    return Batched{};
  };
  op.effect = true;
  op.not_differentiable = "it has no results";
  op.without = {{"factors", "it leaves the Program when shardings are propagated"},
                {"samples", "it has no results: tests/api/inspect_test.cpp"}};
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
