#include "ops/placement/device_put.hpp"

#include "ops/movement/copy.hpp"
#include "ops/movement/movement.hpp"
#include "ops/placement/sharding_constraint.hpp"

namespace tutti::ops {
namespace {

// Whole where vmap left a dim open.
Sharding defined_everywhere(const Sharding& s) {
  if (s.kind() != Sharding::Kind::named) return s;
  std::vector<SpecEntry> entries(s.spec().begin(), s.spec().end());
  for (SpecEntry& e : entries)
    if (e.is_unconstrained()) e = none;
  return NamedSharding(s.mesh(), PartitionSpec::from(std::move(entries)));
}

}  // namespace

namespace {

// The derivative of the second operand is never asked for: that of a device_put is in tests/transform.
std::vector<Sample> samples(const Params& params) {
  std::vector<Sample> out;
  for (DType dtype : {float32, int32, prng_key})
    out.push_back({.params = params, .operands = std::vector(2, type(dtype, {2, 3})), .differentiable = false});
  return out;
}

}  // namespace

constinit const Home device_put = [] {
  Op op = identity_op("device_put");
  op.relabel = [](const Params& p, std::span<const Array>) {
    return Label{defined_everywhere(p.get<DevicePut>().sharding), true};
  };
  op.samples = samples(DevicePut{});
  op.transpose = [](const Call&, const std::vector<Array>& cotangents, const std::vector<Array>& operands,
                    const std::vector<bool>&) {
    return std::vector<Array>{cotangents[0].has_value() ? bind1(put_back, {}, {cotangents[0], operands[1]}) : Array(),
                              {}};
  };
  op.batch = [](const Call& call, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                const BatchAxis&) {
    Sharding to = call.get<DevicePut>().sharding;
    return Batched{{bind1(call.op, mapped[0] ? DevicePut{with_leading_dim(to)} : DevicePut{to}, operands)},
                   {mapped[0]}};
  };
  return op;
};

constinit const Home put_back = [] {
  Op op = identity_op("put_back");
  op.relabel = [](const Params&, std::span<const Array> operands) {
    return Label{operands[1].sharding(), operands[1].committed()};
  };
  op.samples = samples({});
  op.transpose = [](const Call&, const std::vector<Array>& cotangents, const std::vector<Array>&,
                    const std::vector<bool>&) {
    return std::vector<Array>{cotangents[0], {}};
  };
  // Of a batch of cotangents for one array nobody knows where each goes.
  op.batch = [](const Call& call, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                const BatchAxis&) {
    if (mapped[0] && mapped[1]) return Batched{{bind1(call.op, {}, operands)}, {true}};
    return Batched{{operands[0]}, {mapped[0]}};
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
