// A whole loop in LLVM IR.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "backend/cpu/loop_rows.hpp"
#include "compile/plan.hpp"

namespace tutti::cpu {

/// The storages of the plan around that a loop uses, in the order in which its function takes their addresses.
std::vector<int> storages_of(const compile::Repeat& loop);
/// The library functions that its bodies call.
void library_of(const compile::Repeat& loop, std::vector<const char*>& names);
/// Adds the function `name` for the loop to `module`.
void emit_loop(llvm::Module& module, const std::string& name, const compile::Repeat& loop, bool wide);
/// The same for `count` rows of it, from the one that the second argument says.
void emit_loop_of_rows(llvm::Module& module, const std::string& name, const compile::Repeat& loop, bool wide,
                       const LoopRows& rows, std::int64_t count);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
