// Loops over rows of a few columns whose results lie one behind the other: vectors go over the ends of rows, so that
// all lanes are used (channels of images, vectors of three, bits of bytes).
#pragma once

#include <string>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Whether `spec` is such a loop: sets flat_columns, and how each access is read.
void find_flat_rows(KernelSpec& spec, const run::Nest& nest);
void emit_flat_rows(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
