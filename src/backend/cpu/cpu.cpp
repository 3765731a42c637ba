// The CPU backend: plans with machine code for loops, library calls for products, eval for the rest.
#include "backend/cpu/cpu.hpp"

#include <chrono>
#include <set>

#include "backend/cpu/dot_work.hpp"
#include "backend/cpu/kernel.hpp"
#include "backend/cpu/transpose_work.hpp"
#include "backend/cpu/window_work.hpp"
#include "compile/passes.hpp"
#include "run/executor.hpp"

namespace tutti {
namespace {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(run::Executor executor, PlanStats stats) : executor_(std::move(executor)), stats_(std::move(stats)) {}
  std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool> donated) override { return executor_.run(inputs, donated); }
  std::string text() const override { return executor_.plan().str(); }
  PlanStats stats() const override { return stats_; }

 private:
  run::Executor executor_;
  PlanStats stats_;
};

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  std::shared_ptr<Executable> compile(const Program& program, const std::vector<bool>& donatable) override {
    const auto start = std::chrono::steady_clock::now();
    compile::Plan plan = compile::compile(program, donatable);
    std::vector<std::unique_ptr<run::Work>> works(plan.steps.size());
    std::vector<run::Nest> nests;
    std::vector<cpu::KernelSpec> specs;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
      if (const auto* l = std::get_if<compile::Loop>(&plan.steps[i].what)) {
        if ((works[i] = cpu::transpose_work(*l))) continue;
        nests.push_back(run::make_nest(*l));
        specs.push_back(cpu::kernel_spec(plan, *l, nests.back()));
      }
    const std::vector<run::KernelFn> kernels = cpu::compile_kernels(specs);
    PlanStats stats = compile::stats_of(plan, donatable);
    std::size_t loop = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      if (works[i]) continue;
      const auto& what = plan.steps[i].what;
      if (const auto* l = std::get_if<compile::Loop>(&what)) {
        nests[loop].kernel = kernels[loop];
        const double ns = 0.05 + 0.03 * static_cast<double>(l->body.insts.size() + l->accesses.size());
        works[i] = std::make_unique<run::NestWork>(std::move(nests[loop++]), ns);
      } else if (const auto* d = std::get_if<compile::Dot>(&what)) {
        works[i] = cpu::dot_work(*d);
      } else if (!(works[i] = cpu::window_work(std::get<compile::CallEqn>(what)))) {
        works[i] = std::make_unique<run::CallWork>(std::get<compile::CallEqn>(what));
        ++stats.fallbacks;
      }
    }
    stats.kernels = static_cast<int>(std::set<run::KernelFn>(kernels.begin(), kernels.end()).size());
    run::Executor executor(std::move(plan), std::move(works));
    stats.tasks = executor.tasks();
    stats.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return std::make_shared<CpuExecutable>(std::move(executor), std::move(stats));
  }
};

}  // namespace

Backend& cpu_backend() {
  static CpuBackend b;
  return b;
}

}  // namespace tutti
