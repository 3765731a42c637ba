// The same op on blocks: which parameters speak of extents, and whether types still fit.
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "partition/rows.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

Params local_params(const Eqn& eqn, const std::vector<Type>& global, const std::vector<Type>& local,
                    const std::vector<Shape>& results) {
  const Op* op = eqn.op;
  if (op == &ops::broadcast_in_dim) return ops::BroadcastInDim{results[0], eqn.params.get<ops::BroadcastInDim>().dims};
  if (op == &ops::reshape) return ops::Reshape{results[0]};
  if (op == &ops::dynamic_slice) return ops::DynamicSlice{results[0]};
  if (op == &ops::slice) {
    auto p = eqn.params.get<ops::SliceParams>();
    for (std::size_t d = 0; d < p.limit.size(); ++d)
      if (local[0].shape[d] != global[0].shape[d]) p.limit[d] = local[0].shape[d];
    return p;
  }
  if (op == &ops::gather) {
    auto p = eqn.params.get<ops::Gather>();
    for (std::size_t d = 0; d < p.sizes.size(); ++d)
      if (local[0].shape[d] != global[0].shape[d] && p.sizes[d] == global[0].shape[d]) p.sizes[d] = local[0].shape[d];
    return p;
  }
  if (op == &ops::iota) {
    auto p = eqn.params.get<ops::Iota>();
    p.shape = results[0];
    return p;
  }
  return eqn.params;
}

}  // namespace

std::optional<Params> localized(const Eqn& eqn, const Program& program, const Candidate& c) {
  std::vector<Type> global, local;
  std::vector<Shape> results;
  bool whole = true;
  for (std::size_t i = 0; i < eqn.operands.size(); ++i) {
    Type t = program.type(eqn.operands[i]);
    global.push_back(t);
    t.shape = block_shape(c.operands[i], t.shape);
    whole = whole && t.shape == global.back().shape;
    local.push_back(std::move(t));
  }
  for (std::size_t i = 0; i < eqn.results.size(); ++i) {
    const Shape& shape = program.types[eqn.results[i]].shape;
    results.push_back(block_shape(c.results[i], shape));
    whole = whole && results.back() == shape;
  }
  if (whole) return eqn.params;
  try {
    Params params = local_params(eqn, global, local, results);
    std::vector<Type> inferred = infer_types(*eqn.op, params, local, eqn.subs);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!(inferred[i].shape == results[i])) return std::nullopt;
    return params;
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace tutti
