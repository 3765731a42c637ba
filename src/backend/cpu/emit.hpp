#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Adds the function `name` for `spec` to `module`.
void emit_kernel(llvm::Module& module, const std::string& name, const KernelSpec& spec);

}  // namespace tutti::cpu
