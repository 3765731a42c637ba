#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Adds the function `name` for `spec` to `module`. `wide`: for a machine with 512-bit instructions.
void emit_kernel(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide);

}  // namespace tutti::cpu
