// What is spelled differently in the versions of LLVM that tutti is built with (cmake/TuttiLlvm.cmake).
#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

namespace tutti::cpu {

#if LLVM_VERSION_MAJOR >= 18
inline constexpr auto kDefaultLevel = llvm::CodeGenOptLevel::Default;
inline constexpr auto kCombine = "instcombine<no-verify-fixpoint>";
#else
inline constexpr auto kDefaultLevel = llvm::CodeGenOpt::Default;
inline constexpr auto kCombine = "instcombine";
#endif

inline llvm::StringMap<bool> host_features() {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

inline void set_target(llvm::Module& module, const llvm::TargetMachine& machine) {
#if LLVM_VERSION_MAJOR >= 21
  module.setTargetTriple(machine.getTargetTriple());
#else
  module.setTargetTriple(machine.getTargetTriple().str());
#endif
}

inline auto exported_symbol(void* address) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported);
#else
  return llvm::JITEvaluatedSymbol::fromPointer(address, llvm::JITSymbolFlags::Exported);
#endif
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
