#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Adds the function `name` for a reduction of rows of KernelSpec::short_columns to `module`: sixteen rows at a time,
/// whose lanes are combined side by side. The same bits as row by row.
void emit_short_rows(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
