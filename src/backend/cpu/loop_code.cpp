#include "backend/cpu/loop_code.hpp"

#include <atomic>

#include "backend/cpu/loop_emit.hpp"

namespace tutti::cpu {
namespace {

using compile::Plan;

constexpr std::int64_t kMostElements = 4096;  // of one loop nest
constexpr double kMostWork = 60e3;            // instructions on elements of one step
constexpr std::size_t kMostInsts = 1500;      // of all loops, as code

struct Size {
  bool fits = true;
  double work = 0;
  std::size_t insts = 0;
};

void measure(const Plan& plan, Size& size);

void measure(const compile::Step& step, Size& size) {
  if (const auto* l = std::get_if<compile::Loop>(&step.what)) {
    const std::int64_t elements = compile::product(l->extents);
    size.fits &= elements > 0 && elements <= kMostElements;
    size.work += static_cast<double>(elements) * static_cast<double>(l->body.insts.size() + l->accesses.size());
    size.insts += l->body.insts.size() + l->accesses.size();
  } else if (const auto* r = std::get_if<compile::Repeat>(&step.what)) {
    measure(*r->body, size);
    if (r->condition) measure(*r->condition, size);
  } else if (const auto* b = std::get_if<compile::Branch>(&step.what)) {
    for (const compile::PlanPtr& p : b->branches) measure(*p, size);
  } else {
    size.fits = false;
  }
}

void measure(const Plan& plan, Size& size) {
  for (const compile::Stage& stage : plan.stages) size.fits &= stage.rows == 0;
  for (const compile::Step& step : plan.steps)
    if (size.fits) measure(step, size);
}

class CodeWork final : public run::Work {
 public:
  explicit CodeWork(std::vector<int> storages) : storages_(std::move(storages)) { cost_ns = 1; }
  void run(char* const* at, int) const override {
    constexpr std::size_t kLocal = 64;
    char* local[kLocal];
    std::unique_ptr<char*[]> many;
    char** here = local;
    if (storages_.size() > kLocal) many.reset(here = new char*[storages_.size()]);
    for (std::size_t k = 0; k < storages_.size(); ++k) here[k] = at[storages_[k]];
    function(here);
  }
  void (*function)(char* const* at) = nullptr;

 private:
  std::vector<int> storages_;
};

}  // namespace

std::optional<LoopCode> loop_code(const compile::Repeat& loop) {
  if (std::getenv("E_NOCODE")) return std::nullopt;
  Size size;
  measure(*loop.body, size);
  if (loop.condition) measure(*loop.condition, size);
  if (!size.fits || size.work > kMostWork || size.insts > kMostInsts) return std::nullopt;
  auto work = std::make_unique<CodeWork>(storages_of(loop));
  LoopCode out;
  out.function = &work->function;
  out.work = std::move(work);
  static std::atomic<int> number = 0;
  out.source.text = "loop " + std::to_string(number++);  // the plans of programs are kept, so this is not met again
  out.source.optimised = true;
  library_of(loop, out.source.library);
  out.source.emit = [&loop](llvm::Module& module, const std::string& name, bool wide) {
    emit_loop(module, name, loop, wide);
  };
  return out;
}

}  // namespace tutti::cpu
