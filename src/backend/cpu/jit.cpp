// Compiles kernels, and keeps those that are alive by their texts.
#include "backend/cpu/kernel.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "backend/cpu/emit.hpp"
#include "backend/cpu/isa.hpp"
#include "base/environment.hpp"
#include "base/half.hpp"
#include "lane/library.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::cpu {

namespace orc = llvm::orc;

namespace {

template <class T> T check(llvm::Expected<T> value) {
  if (!value) throw CompileError("cpu: " + llvm::toString(value.takeError()));
  return std::move(*value);
}
void check(llvm::Error error) {
  if (error) throw CompileError("cpu: " + llvm::toString(std::move(error)));
}

// Conversions that generated code calls where the machine has no instruction for them. A half travels in the low bits
// of a float's register.
float half_to_float(float in) {
  Float16 h;
  h.bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(in));
  return h;
}
float float_to_half(float in) { return std::bit_cast<float>(std::uint32_t{Float16(in).bits}); }

float fmod_f32(float x, float y) { return std::fmod(x, y); }
double fmod_f64(double x, double y) { return std::fmod(x, y); }

orc::JITTargetMachineBuilder target_machine() {
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  orc::JITTargetMachineBuilder builder(triple);
  if (isa() < isa_of_processor()) {
    builder.setCPU(isa() == Isa::avx2 ? "haswell" : "x86-64");
  } else {
    builder.setCPU(llvm::sys::getHostCPUName().str());
    for (const auto& f : llvm::sys::getHostCPUFeatures()) builder.getFeatures().AddFeature(f.first(), f.second);
  }
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder;
}

[[noreturn]] void raise_out_of_memory() {
  raise<Error>("out of memory", "there is no room to compile a program",
               "Free arrays, or raise the limit of the process.");
}

// LLVM is not entered where there may be too little room for it: far more than `kernels` take.
void check_room(std::size_t kernels) {
  const std::size_t bytes = (64 + kernels) << 20;
  void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) raise_out_of_memory();
  munmap(room, bytes);
}

// A compiler, and what it has made. LLVM is built without exceptions: where an allocation fails in it all the same, its
// frames are left without cleaning up, and what they held, locks included, stays held. Then the whole compiler is given
// up: nothing in it is touched again, its code runs on, and the next program gets another compiler.
class Jit {
 public:
  Jit() {
    static const bool throws = [] {
      llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
      return true;
    }();
    (void)throws;
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    jit_ = check(orc::LLJITBuilder().setJITTargetMachineBuilder(target_machine()).create());
    jit_->getMainJITDylib().addGenerator(
        check(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit_->getDataLayout().getGlobalPrefix())));
    define("__extendhfsf2", reinterpret_cast<void*>(&half_to_float));
    define("__truncsfhf2", reinterpret_cast<void*>(&float_to_half));
    define("tutti_fmod_f32", reinterpret_cast<void*>(&fmod_f32));
    define("tutti_fmod_f64", reinterpret_cast<void*>(&fmod_f64));
  }

  void define(const std::string& name, void* address) {
    orc::SymbolMap map;
    map[jit_->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    check(jit_->getMainJITDylib().define(orc::absoluteSymbols(map)));
  }

  void define_library(const char* name) {
    if (std::string_view(name) == "fmod" || !defined_.emplace(name, true).second) return;
    const lane::Library* l = lane::find_library(name);
    if (!l) throw InternalError(std::string("no library function is named ") + name);
    void* f32 = l->f32 ? reinterpret_cast<void*>(l->f32) : reinterpret_cast<void*>(l->f32_2);
    void* f64 = l->f64 ? reinterpret_cast<void*>(l->f64) : reinterpret_cast<void*>(l->f64_2);
    if (f32) define(std::string("tutti_") + name + "_f32", f32);
    if (f64) define(std::string("tutti_") + name + "_f64", f64);
  }

  std::vector<Kernel> kernels(const std::vector<KernelSpec>& specs) {
    std::vector<Kernel> out;  // before the lock: what ends with it asks for the lock
    std::vector<std::pair<std::string, const KernelSpec*>> fresh;
    std::lock_guard lock(mutex_);
    if (given_up_) throw std::bad_alloc();
    std::vector<std::string> texts;
    for (const KernelSpec& s : specs) {
      texts.push_back(s.text());
      auto [known, added] = known_.try_emplace(texts.back());
      out.push_back({known->second.run, known->second.code.lock()});
      if (out.back().code) continue;
      if (std::none_of(fresh.begin(), fresh.end(), [&](const auto& f) { return f.first == texts.back(); }))
        fresh.push_back({texts.back(), &s});
    }
    if (fresh.empty()) return out;
    check_room(fresh.size());
    const std::shared_ptr<const Code> code = add(fresh);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (!out[k].code) out[k] = {known_.at(texts[k]).run, code};
    return out;
  }
  KernelCounts counts() const { return {compiled_, freed_}; }

  void give_up() {
    std::lock_guard lock(mutex_);
    if (!given_up_) (void)jit_.release();
    given_up_ = true;
  }

  // The end of a module, and of its texts unless they have been compiled anew.
  void free(orc::ResourceTrackerSP& tracker, const std::vector<std::string>& texts) {
    std::lock_guard lock(mutex_);
    if (given_up_) {
      new orc::ResourceTrackerSP(std::move(tracker));  // its end would ask for LLVM's locks
      return;
    }
    for (const std::string& t : texts)
      if (auto known = known_.find(t); known != known_.end() && known->second.code.expired()) known_.erase(known);
    freed_ += static_cast<int>(texts.size());
    llvm::consumeError(tracker->remove());
    if (++ended_ % 64 == 0) jit_->getExecutionSession().getSymbolStringPool()->clearDeadEntries();
  }

 private:
  struct Known {
    run::KernelFn run = nullptr;
    std::weak_ptr<const Code> code;
  };

  std::shared_ptr<const Code> add(const std::vector<std::pair<std::string, const KernelSpec*>>& fresh);

  std::mutex mutex_;
  std::unique_ptr<orc::LLJIT> jit_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, bool> defined_;
  std::atomic<int> compiled_ = 0, freed_ = 0;
  int ended_ = 0;
  bool given_up_ = false;
};

// The one in use. Never destroyed: its code may run until the process ends.
std::mutex current_mutex;
Jit* current = nullptr;

Jit& jit() {
  std::lock_guard lock(current_mutex);
  if (!current) {
    check_room(0);
    current = new Jit;
  }
  return *current;
}

void give_up(Jit& j) {
  std::lock_guard lock(current_mutex);
  j.give_up();
  if (current == &j) current = nullptr;
}

}  // namespace

// One module of machine code.
class Code {
 public:
  Code(Jit& jit, orc::ResourceTrackerSP tracker, std::vector<std::string> texts)
      : jit_(jit), tracker_(std::move(tracker)), texts_(std::move(texts)) {}
  Code(const Code&) = delete;
  ~Code() { jit_.free(tracker_, texts_); }

 private:
  Jit& jit_;
  orc::ResourceTrackerSP tracker_;
  std::vector<std::string> texts_;
};

std::shared_ptr<const Code> Jit::add(const std::vector<std::pair<std::string, const KernelSpec*>>& fresh) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("kernels", *context);
  module->setDataLayout(jit_->getDataLayout());
  const int first = compiled_;
  for (const auto& [text, spec] : fresh) {
    for (const compile::Inst& i : spec->body.insts)
      if (i.name) define_library(i.name);
    emit_kernel(*module, "kernel" + std::to_string(compiled_++), *spec, isa() == Isa::avx512);
  }
  if (!environment::value(environment::cpu_ir).empty()) module->print(llvm::errs(), nullptr);
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(*module, &stream)) throw InternalError("cpu: invalid code: " + message);
  const orc::ResourceTrackerSP tracker = jit_->getMainJITDylib().createResourceTracker();
  check(jit_->addIRModule(tracker, orc::ThreadSafeModule(std::move(module), std::move(context))));
  std::vector<run::KernelFn> found;
  for (std::size_t k = 0; k < fresh.size(); ++k)
    found.push_back(check(jit_->lookup("kernel" + std::to_string(first + static_cast<int>(k)))).toPtr<run::KernelFn>());
  std::vector<std::string> texts;
  for (const auto& [text, spec] : fresh) texts.push_back(text);
  auto code = std::make_shared<Code>(*this, tracker, texts);
  for (std::size_t k = 0; k < fresh.size(); ++k) known_[texts[k]] = {found[k], code};
  return code;
}

std::vector<Kernel> compile_kernels(const std::vector<KernelSpec>& specs) {
  if (specs.empty()) return {};
  Jit* compiler = nullptr;
  try {
    compiler = &jit();
    return compiler->kernels(specs);
  } catch (const std::bad_alloc&) {
    if (compiler) give_up(*compiler);
    raise_out_of_memory();
  }
}
KernelCounts kernel_counts() { return jit().counts(); }

}  // namespace tutti::cpu
