#include "backend/cpu/kernel.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "backend/cpu/emit.hpp"
#include "backend/cpu/isa.hpp"
#include "base/half.hpp"
#include "lane/library.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cpu {

namespace orc = llvm::orc;
using compile::Access;

std::string KernelSpec::text() const {
  static const char* walks[] = {"map", "reduce_row", "reduce_column"};
  static const char* kinds[] = {"load", "store", "index", "reduce"};
  static const char* steps[] = {"none", "one", "any"};
  std::string out = std::string(walks[static_cast<int>(walk)]) + (together ? " together\n" : "\n");
  for (const Access& a : accesses) {
    out += std::string(kinds[static_cast<int>(a.kind)]) + " " + std::string(a.dtype.name()) + " " +
           steps[static_cast<int>(a.step)];
    if (a.value >= 0) out += " r" + std::to_string(a.value);
    if (a.far) out += " far";
    if (a.combine != Op::Reduce::none)
      out += " " + std::to_string(static_cast<int>(a.combine)) + " " + std::string(a.accumulate.name());
    out += "\n";
  }
  return out + body.str();
}

namespace {

constexpr std::size_t kChain = 16;       // instructions that may well depend on each other
constexpr std::int64_t kMany = 1 << 19;  // elements
constexpr std::int64_t kFarLoad = std::int64_t{4} << 20, kFarStore = std::int64_t{8} << 20,
                       kLastLevel = std::int64_t{32} << 20;

bool read_by(const compile::Plan& plan, const compile::Stage& stage, int storage) {
  for (int i : stage.steps)
    for (const Access& a : std::get<compile::Loop>(plan.steps[i].what).accesses)
      if (a.kind == Access::Kind::load && a.storage == storage) return true;
  return false;
}

// Never where it may lie in a donated input (whose lines have just been read). A result that fills a cache, or one of
// many that do together; a temporary, which somebody reads soon, only when it is too large for every cache.
bool far_storage(const compile::Plan& plan, const compile::Storage& s) {
  using Kind = compile::Storage::Kind;
  if (s.takes >= 0) return false;
  if (s.kind != Kind::output) return s.kind == Kind::temporary && s.bytes >= kLastLevel;
  if (s.bytes >= kFarStore) return true;
  return s.bytes >= kFarStore / 8 && plan.fresh_output_bytes >= kLastLevel;
}

// A result past the cache, in whole cache lines.
bool stores_far(const LoopInPlan& loop, const Access& a, std::size_t k, const run::Nest& nest) {
  if (!far_storage(loop.plan, loop.plan.storages[a.storage])) return false;
  if (loop.stage.rows && (read_by(loop.plan, loop.stage, a.storage) || a.strides[0] % 64 != 0)) return false;
  bool lines = a.dtype.size() >= 2 && a.offset % 64 == 0 && (nest.rows == 1 || nest.row_steps[k] % 64 == 0);
  for (std::size_t d = 0; d < nest.outer.size(); ++d) lines &= nest.steps[d * nest.accesses + k] % 64 == 0;
  return lines;
}

// Loads of more than a cache holds ask ahead.
bool loads_far(const compile::Plan& plan, const Access& a) {
  const compile::Storage& s = plan.storages[a.storage];
  return s.bytes >= kFarLoad && s.kind != compile::Storage::Kind::chunk;
}

KernelSpec::Step step_of(const Access& a, std::int64_t column_step) {
  using Step = KernelSpec::Step;
  if (a.kind == Access::Kind::store || a.kind == Access::Kind::reduce) return Step::one;
  if (column_step == 0) return Step::none;
  return a.kind == Access::Kind::load && column_step == a.dtype.size() ? Step::one : Step::any;
}

}  // namespace

bool is_far(const compile::Plan& plan, const compile::Loop& loop) {
  for (const Access& a : loop.accesses)
    if (a.kind == Access::Kind::store) return far_storage(plan, plan.storages[a.storage]);
  return false;
}

KernelSpec kernel_spec(const LoopInPlan& where, const run::Nest& nest) {
  const compile::Loop& loop = where.part;
  KernelSpec s;
  s.walk = nest.walk;
  s.body = loop.body;
  s.together = nest.walk != run::Walk::reduce_column && nest.columns >= 64 && loop.body.insts.size() >= kChain &&
               compile::product(where.whole.extents) >= kMany;
  for (std::size_t k = 0; k < loop.accesses.size(); ++k) {
    const Access& a = loop.accesses[k];
    const KernelSpec::Step step = step_of(a, nest.column_steps[k]);
    const bool far = a.kind == Access::Kind::store  ? stores_far(where, a, k, nest)
                     : a.kind == Access::Kind::load ? step == KernelSpec::Step::one && loads_far(where.plan, a)
                                                    : false;
    s.accesses.push_back({a.kind, a.dtype, step, a.value, a.combine, a.accumulate, far});
  }
  return s;
}

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

class Jit {
 public:
  Jit() {
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
    const std::shared_ptr<const Code> code = add(fresh);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (!out[k].code) out[k] = {known_.at(texts[k]).run, code};
    return out;
  }
  KernelCounts counts() const { return {compiled_, freed_}; }

  // The end of a module, and of its texts unless they have been compiled anew.
  void free(const orc::ResourceTrackerSP& tracker, const std::vector<std::string>& texts) {
    std::lock_guard lock(mutex_);
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
};

Jit& jit() {
  static Jit* j = new Jit;  // lives as long as the process: code may run until its end
  return *j;
}

}  // namespace

// One module of machine code.
class Code {
 public:
  Code(orc::ResourceTrackerSP tracker, std::vector<std::string> texts)
      : tracker_(std::move(tracker)), texts_(std::move(texts)) {}
  Code(const Code&) = delete;
  ~Code() { jit().free(tracker_, texts_); }

 private:
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
  if (std::getenv("TUTTI_CPU_IR")) module->print(llvm::errs(), nullptr);
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
  auto code = std::make_shared<const Code>(tracker, texts);
  for (std::size_t k = 0; k < fresh.size(); ++k) known_[texts[k]] = {found[k], code};
  return code;
}

std::vector<Kernel> compile_kernels(const std::vector<KernelSpec>& specs) {
  return specs.empty() ? std::vector<Kernel>() : jit().kernels(specs);
}
KernelCounts kernel_counts() { return jit().counts(); }

}  // namespace tutti::cpu
