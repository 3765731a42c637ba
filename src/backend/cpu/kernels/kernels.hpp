// Kernels of ops: what the CPU runs in place of their plain eval, with the same meaning.
#pragma once

#include <span>
#include <vector>

#include "ir/op.hpp"

namespace tutti::ops {}
namespace tutti::kernels {

using namespace ops;  // a kernel is the other form of an op's eval: it speaks of the op's parameters

/// As Op::eval.
using Kernel = void(const Call& call, std::span<const HostView> operands, std::span<const HostView> results);

/// The kernel for such a call, or nullptr: then eval is all there is.
Kernel* kernel_of(const Call& call);
/// Runs one Eqn by its kernel, or by eval where it has none. UnsupportedError when there is neither.
void run(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
         std::span<const HostView> results);

// --- one for each op of that name, beside which the name of the file stands
Kernel sort;                      // sorting/sort_rows.cpp
Kernel search;                    // sorting/search.cpp
Kernel bincount, true_positions;  // counting.cpp
Kernel cumsum;                    // cumsum.cpp
}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
