#include "backend/cpu/objects.hpp"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <mutex>

#include "backend/cpu/emit.hpp"
#include "backend/cpu/isa.hpp"
#include "backend/cpu/llvm_versions.hpp"
#include "base/environment.hpp"
#include "base/say.hpp"
#include "base/tasks.hpp"
#include "ir/passes.hpp"

namespace tutti::cpu {

namespace orc = llvm::orc;

orc::JITTargetMachineBuilder target_machine() {
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  orc::JITTargetMachineBuilder builder(triple);
  if (isa() < isa_of_processor()) {
    builder.setCPU(isa() == Isa::avx2 ? "haswell" : "x86-64");
  } else {
    // Asked once: in a virtual machine each question to the processor takes microseconds, and these are dozens.
    static const auto& name = *new std::string(llvm::sys::getHostCPUName());
    static const auto& features = *new auto(host_features());
    builder.setCPU(name);
    for (const auto& f : features) builder.getFeatures().AddFeature(f.first(), f.second);
  }
  builder.setCodeGenOptLevel(kDefaultLevel);
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder;
}

namespace {

// Memory of a function becomes registers, and what does not change in a loop goes before it. No vectors are made: the
// code has them.
void optimise(const std::vector<llvm::Function*>& chosen) {
  if (chosen.empty()) return;
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager passes;
  const std::string combine = kCombine;
  check(builder.parsePassPipeline(passes, "sroa,early-cse<memssa>," + combine +
                                              ",simplifycfg,loop-mssa(loop-rotate,licm),sroa," + combine +
                                              ",simplifycfg"));
  for (llvm::Function* f : chosen) passes.run(*f, functions);
}

// What knows the processor, kept from one object to the next: its tables take as long to fill as a small kernel.
class Machine {
 public:
  Machine() {
    {
      std::lock_guard lock(mutex);
      if (!kept().empty()) {
        machine_ = std::move(kept().back());
        kept().pop_back();
      }
    }
    if (!machine_) machine_ = check(target_machine().createTargetMachine());
  }
  Machine(const Machine&) = delete;
  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }
  /// After an object is made; what an exception has left is not used again.
  void keep() {
    std::lock_guard lock(mutex);
    kept().push_back(std::move(machine_));
  }

 private:
  static inline std::mutex mutex;
  static std::vector<std::unique_ptr<llvm::TargetMachine>>& kept() {  // under the mutex; never destroyed
    static auto& all = *new std::vector<std::unique_ptr<llvm::TargetMachine>>;
    return all;
  }
  std::unique_ptr<llvm::TargetMachine> machine_;
};

// Adds the functions of these sources to `module`. `wide`: for a machine with 512-bit instructions.
void emit(llvm::Module& module, const std::vector<NamedSource>& sources, bool wide) {
  for (const NamedSource& s : sources) s.source->emit(module, s.name, wide);
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module, &stream)) throw InternalError("cpu: invalid code: " + message);
}

// What machines of the other kind would compile: whoever tests on one of them sees an error of the other.
void verify_for_others(const std::vector<NamedSource>& sources) {
  llvm::LLVMContext context;
  llvm::Module module("kernels", context);
  emit(module, sources, isa() != Isa::avx512);
}

std::unique_ptr<llvm::MemoryBuffer> compile_object(const std::vector<NamedSource>& sources) {
  llvm::LLVMContext context;
  llvm::Module module("kernels", context);
  Machine machine;
  module.setDataLayout(machine->createDataLayout());
  set_target(module, *machine);
  emit(module, sources, isa() == Isa::avx512);
  if (passes_are_verified()) verify_for_others(sources);
  std::vector<llvm::Function*> chosen;
  for (const NamedSource& s : sources)
    if (s.source->optimised) chosen.push_back(module.getFunction(s.name));
  optimise(chosen);
  if (!environment::value(environment::cpu_ir).empty()) {
    static std::mutex one_at_a_time;
    std::lock_guard lock(one_at_a_time);
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, nullptr);
    say(Message::Kind::log, out.str());
  }
  auto object = check(orc::SimpleCompiler(*machine)(module));
  machine.keep();
  return object;
}

// Groups of about the same length of text, the longest sources first: a group costs 1 ms beside its kernels.
std::vector<std::vector<NamedSource>> groups_of(std::vector<NamedSource> sources) {
  constexpr std::size_t kEach = 3, kMost = 64;  // kernels in a group, groups
  const std::size_t count = std::clamp<std::size_t>((sources.size() + kEach - 1) / kEach, 1, kMost);
  std::stable_sort(sources.begin(), sources.end(), [](const NamedSource& a, const NamedSource& b) {
    return a.source->text.size() > b.source->text.size();
  });
  std::vector<std::vector<NamedSource>> groups(count);
  std::vector<std::size_t> length(count);
  for (NamedSource& s : sources) {
    const auto g = static_cast<std::size_t>(std::min_element(length.begin(), length.end()) - length.begin());
    length[g] += s.source->text.size();
    groups[g].push_back(std::move(s));
  }
  return groups;
}

}  // namespace

std::vector<std::unique_ptr<llvm::MemoryBuffer>> compile_objects(const std::vector<NamedSource>& sources) {
  const auto groups = groups_of(sources);
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects(groups.size());
  constexpr double kEach_ns = 1e6;
  in_pieces(static_cast<std::int64_t>(groups.size()), kEach_ns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g)
      objects[static_cast<std::size_t>(g)] = compile_object(groups[static_cast<std::size_t>(g)]);
  });
  return objects;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
