// Rows: the ways to compute one Eqn on blocks. Each mesh axis is put on one factor of the op, on a set of operands in
// which the op is linear (partial sums pass through), or on nothing (every device along it does the same work).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/op.hpp"
#include "partition/planner.hpp"

namespace tutti {

struct BodyPlan;

/// One way to compute an Eqn: what its operands must look like, what its results then look like.
struct Candidate {
  std::vector<Layout> operands, results;
  double work = 0;                            // price of the local work, in bytes
  std::vector<std::vector<Reduce>> padding;   // per operand: kinds of reductions that would read its padding ...
  std::vector<std::vector<int>> padded_dims;  // ... and the dims, index by index
  Params params;                              // of the Eqn on local shapes
  std::vector<BodyPlan> bodies;               // of a loop or branch; what is the same in all steps is no operand then
};
/// How a body is computed: what goes in (but for what is the same in all steps), what comes out, and each of its Eqns.
struct BodyPlan {
  std::vector<Layout> inputs, outputs;
  std::vector<Candidate> chosen;
};

/// All candidates that are sound, for the boundary axes `axes`; the last one computes everything everywhere.
/// `may_be_pending(operand, axis)`: whether a row in which that operand holds partial sums over the axis is worth
/// listing.
std::vector<Candidate> candidates(const Eqn& eqn, const Program& program, const Mesh& mesh, AxisRefs axes,
                                  const std::function<bool(int, const AxisRef&)>& may_be_pending,
                                  const std::vector<Magnitude>& magnitudes = {});

/// The Eqn's parameters on local shapes; nothing when the op cannot run on these blocks as it is.
std::optional<Params> localized(const Eqn& eqn, const Program& program, const Candidate& candidate);

}  // namespace tutti
