#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Adds the function `name` for `spec` to `module`. `wide`: for a machine with 512-bit instructions.
void emit_kernel(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide);
/// The same at the end of what `builder` has written.
struct Inlined;
void emit_inlined(llvm::IRBuilder<>& builder, const KernelSpec& spec, bool wide, const Inlined& inlined);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
