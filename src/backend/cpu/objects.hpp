// From sources of kernels to relocatable machine code: LLVM's IR, its passes and its code generation. No state; jit.cpp
// loads what comes out.
#pragma once

#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/kernel.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cpu {

template <class T> T check(llvm::Expected<T> value) {
  if (!value) throw CompileError("cpu: " + llvm::toString(value.takeError()));
  return std::move(*value);
}
inline void check(llvm::Error error) {
  if (error) throw CompileError("cpu: " + llvm::toString(std::move(error)));
}

/// The processor that code is made for: this one, or an older one that TUTTI_ISA names.
llvm::orc::JITTargetMachineBuilder target_machine();

struct NamedSource {
  const Source* source;
  std::string name;  // of its function
};

/// Objects that together hold the functions of these sources, made by the workers side by side. How sources are put
/// together depends on them alone.
std::vector<std::unique_ptr<llvm::MemoryBuffer>> compile_objects(const std::vector<NamedSource>& sources);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
