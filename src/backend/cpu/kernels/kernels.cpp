#include "backend/cpu/kernels/kernels.hpp"

#include <unordered_map>

#include "array/evaluate.hpp"
#include "ops/reduction/bincount.hpp"
#include "ops/reduction/cumsum.hpp"
#include "ops/reduction/search.hpp"
#include "ops/reduction/sort.hpp"
#include "ops/reduction/true_positions.hpp"

namespace tutti::kernels {
namespace {

/// A kernel, and the calls of the op that it takes (nullptr: all).
struct Entry {
  Kernel* run;
  bool (*takes)(const Call&) = nullptr;
};

const std::unordered_map<const Op*, Entry>& entries() {
  static const auto& all = *new std::unordered_map<const Op*, Entry>{
      {&ops::bincount, {bincount}},
      {&ops::cumsum, {cumsum}},
      {&ops::search, {search}},
      {&ops::sort, {sort}},
      {&ops::true_positions, {true_positions}},
  };
  return all;
}

}  // namespace

Kernel* kernel_of(const Call& call) {
  const auto at = entries().find(&call.op);
  if (at == entries().end() || (at->second.takes && !at->second.takes(call))) return nullptr;
  return at->second.run;
}

void run(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
         std::span<const HostView> results) {
  const Call call{*eqn.op, eqn.params, operand_types, eqn.subs};
  if (Kernel* kernel = kernel_of(call)) return kernel(call, operands, results);
  evaluate(eqn, operand_types, operands, results);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
