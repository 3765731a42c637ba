// Compiles kernels, and keeps those that are alive by their texts.
#include "backend/cpu/kernel.hpp"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/kept_statics.hpp"
#include "backend/cpu/llvm_versions.hpp"
#include "backend/cpu/objects.hpp"
#include "base/half.hpp"
#include "base/stack.hpp"
#include "lane/lane_functions.hpp"
#include "lane/library.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::cpu {

namespace orc = llvm::orc;

namespace {

// Conversions that generated code calls where the machine has no instruction for them. A half travels in the low bits
// of a float's register.
float half_to_float(float in) {
  Float16 h;
  h.bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(in));
  return h;
}
float float_to_half(float in) { return std::bit_cast<float>(std::uint32_t{Float16(in).bits}); }

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
  }

  void define(const std::string& name, void* address) {
    orc::SymbolMap map;
    map[jit_->mangleAndIntern(name)] = exported_symbol(address);
    check(jit_->getMainJITDylib().define(orc::absoluteSymbols(map)));
  }

  void define_library(const char* name) {
    if (!defined_.emplace(name, true).second) return;
    if (const lane::LaneFunction* f = lane::find_lane_function(name)) {
      const int kind = static_cast<int>(isa());
      define(std::string("tutti_") + name + "_f32", reinterpret_cast<void*>(f->f32[kind]));
      define(std::string("tutti_") + name + "_f64", reinterpret_cast<void*>(f->f64[kind]));
      return;
    }
    const lane::Library* l = lane::find_library(name);
    if (!l) throw InternalError(std::string("no library function is named ") + name);
    void* f32 = l->f32 ? reinterpret_cast<void*>(l->f32) : reinterpret_cast<void*>(l->f32_2);
    void* f64 = l->f64 ? reinterpret_cast<void*>(l->f64) : reinterpret_cast<void*>(l->f64_2);
    if (f32) define(std::string("tutti_") + name + "_f32", f32);
    if (f64) define(std::string("tutti_") + name + "_f64", f64);
  }

  std::vector<Function> functions(const std::vector<Source>& sources) {
    std::vector<Function> out;  // before the lock: what ends with it asks for the lock
    std::vector<const Source*> fresh;
    std::lock_guard lock(mutex_);
    if (given_up_) throw std::bad_alloc();
    for (const Source& s : sources) {
      auto [known, added] = known_.try_emplace(s.text);
      out.push_back({known->second.address, known->second.code.lock()});
      if (out.back().code) continue;
      if (std::none_of(fresh.begin(), fresh.end(), [&](const Source* f) { return f->text == s.text; }))
        fresh.push_back(&s);
    }
    if (fresh.empty()) return out;
    check_room(fresh.size());
    const std::shared_ptr<const Code> code = add(fresh);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (!out[k].code) out[k] = {known_.at(sources[k].text).address, code};
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
    const InLlvm inside;
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
    void* address = nullptr;
    std::weak_ptr<const Code> code;
  };

  std::shared_ptr<const Code> add(const std::vector<const Source*>& fresh);

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
  const InLlvm inside;
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

std::shared_ptr<const Code> Jit::add(const std::vector<const Source*>& fresh) {
  std::vector<NamedSource> named;
  for (const Source* s : fresh) {
    for (const char* function : s->library) define_library(function);
    named.push_back({s, "kernel" + std::to_string(compiled_++)});
  }
  const orc::ResourceTrackerSP tracker = jit_->getMainJITDylib().createResourceTracker();
  for (auto& object : compile_objects(named)) check(jit_->addObjectFile(tracker, std::move(object)));
  std::vector<void*> found;
  for (const NamedSource& s : named) found.push_back(check(jit_->lookup(s.name)).toPtr<void*>());
  std::vector<std::string> texts;
  for (const Source* s : fresh) texts.push_back(s->text);
  auto code = std::make_shared<Code>(*this, tracker, texts);
  for (std::size_t k = 0; k < fresh.size(); ++k) known_[texts[k]] = {found[k], code};
  return code;
}

std::vector<Function> compile_sources(const std::vector<Source>& sources) {
  if (sources.empty()) return {};
  constexpr std::size_t kStack = std::size_t{1} << 20;  // what LLVM needs, generously
  const InLlvm inside;
  std::vector<Function> out;
  Jit* compiler = nullptr;
  try {
    with_stack(kStack, [&] {
      compiler = &jit();
      out = compiler->functions(sources);
    });
  } catch (const std::bad_alloc&) {
    if (compiler) give_up(*compiler);
    raise_out_of_memory();
  }
  return out;
}
KernelCounts kernel_counts() { return jit().counts(); }

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
