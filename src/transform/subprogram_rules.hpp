// Rules of ops whose Eqns hold Programs (shard_map, remat, control flow): transforming such an Eqn transforms its
// sub-programs. A plain Op rule sees arrays only; these see the Eqn and may call jvp, split, transpose and batch of
// transform.hpp on its subs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti {

/// One half of a split Eqn. Its result types are inferred from op, params and subs.
struct EqnHalf {
  const Op* op = nullptr;
  Params params;
  std::vector<ProgramPtr> subs;
};

struct EqnSplit {
  EqnHalf known;    // operands: the known ones in order. Results: the known results in order, then residuals
  EqnHalf unknown;  // operands: residuals, then the unknown ones in order. Results: the unknown results in order
  int num_residuals = 0;
  std::vector<bool> unknown_result;  // per result of the Eqn
};

struct SubprogramRules {
  /// Binds the op that computes primal and tangent results together; `tangents[i]` is empty where zero. Results:
  /// primals, then one tangent per result (empty where zero). Typically: jvp(*eqn.subs[0], nonempty tangents, axes),
  /// then bind with the params widened for the additional operands and results.
  std::function<std::pair<std::vector<Array>, std::vector<Array>>(const Eqn&, const std::vector<Array>& primals,
                                                                  const std::vector<Array>& tangents)>
      jvp;

  /// Cuts the Eqn by which operands are unknown (`unknown[i]`; literals are known), pure data: nothing is bound.
  /// Typically: split(*eqn.subs[0], unknown); residuals become results of the known half and operands of the unknown
  /// one. Residuals that are operands of the Eqn anyway need not be results of the known half in a good implementation,
  /// but may.
  std::function<EqnSplit(const Eqn&, const std::vector<Type>& operands, const std::vector<bool>& unknown)> split;

  /// Binds the transposed op. `cotangents[k]` is empty where zero, `operands[i]` where `undefined[i]`. Result: one
  /// cotangent per operand, empty where zero or not undefined. Typically: transpose(*eqn.subs[0], undefined, nonempty
  /// cotangents, axes) and bind.
  std::function<std::vector<Array>(const Eqn&, const std::vector<Type>& operand_types,
                                   const std::vector<Array>& cotangents, const std::vector<Array>& operands,
                                   const std::vector<bool>& undefined)>
      transpose;

  /// Binds the op over a batch: mapped operands and results carry the batch dim in front.
  std::function<Batched(const Eqn&, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                        const BatchAxis&)>
      batch;
};

/// Rules of `op`, or nullptr: then the rules in its Op hold.
const SubprogramRules* subprogram_rules(const Op& op);
/// Called once per op, before any transformation of it (a namespace-scope initialiser in the op's home, or register_...
/// from all_ops).
void set_subprogram_rules(const std::string& op_name, SubprogramRules rules);

}  // namespace tutti
