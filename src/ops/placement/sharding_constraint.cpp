// sharding_constraint: the identity, whose result has the given sharding. Source: jax.lax.with_sharding_constraint.
#include "ops/placement/sharding_constraint.hpp"

#include <cstring>

namespace tutti::ops {
namespace {

Factors identity_factors(const Call& call, const std::vector<Type>&) {
  const Type& t = call.operands[0];
  Factors out;
  Factors::Dims dims;
  for (int d = 0; d < t.ndim(); ++d) {
    dims.push_back(t.shape[d] == 1 ? std::vector<int>{} : std::vector<int>{static_cast<int>(out.factors.size())});
    if (t.shape[d] != 1) out.factors.push_back({t.shape[d]});
  }
  out.operands = {dims};
  out.results = {dims};
  return out;
}

}  // namespace

Sharding with_leading_dim(const Sharding& s) {
  if (!s.has_value()) return s;
  if (s.kind() == Sharding::Kind::single_device) return s;
  if (s.kind() == Sharding::Kind::positional) {
    const auto& p = static_cast<const PositionalSharding&>(s);
    Shape cells = p.shape();
    cells.insert(0, 1);
    return p.reshape(cells);
  }
  std::vector<SpecEntry> entries{P::unconstrained};
  entries.insert(entries.end(), s.spec().begin(), s.spec().end());
  return NamedSharding(s.mesh(), PartitionSpec::from(std::move(entries)));
}

Eqn constraint_eqn(const Sharding& sharding, Atom operand, ValueId result, Loc loc) {
  return Eqn{&sharding_constraint, Constrain{sharding}, {operand}, {result}, {}, loc};
}

constinit const Home sharding_constraint = [] {
  Op op;
  op.name = "sharding_constraint";
  op.role = Role::constraint;
  op.sites = [](const Params& p) { return Sites{{Sharding()}, {p.get<Constrain>().sharding}}; };
  op.infer = [](const Call& call) { return std::vector<Type>{call.operands[0]}; };
  op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    if (in[0].size() > 0) std::memcpy(out[0].data, in[0].data, static_cast<std::size_t>(in[0].type.nbytes()));
  };
  op.factors = identity_factors;
  op.linear = {{0}};
  op.transpose = [](const Call& call, const std::vector<Array>& cotangents, const std::vector<Array>&,
                    const std::vector<bool>&) {
    if (!cotangents[0].has_value()) return std::vector<Array>{{}};
    return bind(call.op, call.params, {cotangents[0]});
  };
  op.batch = [](const Call& call, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                const BatchAxis&) {
    Params params = mapped[0] ? Params(Constrain{with_leading_dim(call.get<Constrain>().sharding)}) : call.params;
    return Batched{bind(call.op, params, operands), mapped};
  };
  op.view = [](const Call&, const Type& result) -> std::optional<View> {
    View view{0, std::vector<std::int64_t>(result.shape.size(), 1)};
    for (int d = result.ndim() - 2; d >= 0; --d) view.strides[d] = view.strides[d + 1] * result.shape[d + 1];
    return view;
  };
  op.own_weak = true;
  for (DType dtype : {float32, int32, prng_key})  // without a sharding it says nothing
    op.samples.push_back({.params = Constrain{}, .operands = {{dtype, {3, 1}, false, {}}}});
  op.movement = true;
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
