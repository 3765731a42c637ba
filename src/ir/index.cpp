#include "ir/index.hpp"

namespace tutti {

ProgramIndex::ProgramIndex(const Program& p)
    : num_eqns_(static_cast<int>(p.eqns.size())),
      producer_(p.types.size(), -1),
      input_(p.types.size(), -1),
      output_count_(p.types.size(), 0),
      first_use_(p.types.size() + 1, 0) {
  for (std::size_t i = 0; i < p.inputs.size(); ++i) input_[p.inputs[i]] = static_cast<int>(i);
  for (const Atom& a : p.outputs)
    if (!a.is_literal()) ++output_count_[a.id];

  // Counting sort by value: how many uses each has, where its first one goes, then the uses in program order.
  for (const Eqn& e : p.eqns)
    for (const Atom& a : e.operands)
      if (!a.is_literal()) ++first_use_[a.id + 1];
  for (std::size_t v = 0; v < p.types.size(); ++v) first_use_[v + 1] += first_use_[v];
  uses_.resize(first_use_.back());
  std::vector<std::size_t> next(first_use_.begin(), first_use_.end() - 1);
  for (int i = 0; i < num_eqns_; ++i) {
    const Eqn& e = p.eqns[i];
    for (ValueId r : e.results) producer_[r] = i;
    for (int k = 0; k < static_cast<int>(e.operands.size()); ++k)
      if (const Atom& a = e.operands[k]; !a.is_literal()) uses_[next[a.id]++] = {i, k};
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
