// The CPU backend: plans with machine code for loops, library calls for products, kernels of ops, eval for the rest.
#include "backend/cpu/cpu.hpp"

#include <algorithm>
#include <map>

#include "backend/cpu/conv_work.hpp"
#include "backend/cpu/dot_work.hpp"
#include "backend/cpu/kernel.hpp"
#include "backend/cpu/kernels/kernels.hpp"
#include "backend/cpu/literals.hpp"
#include "backend/cpu/loop_code.hpp"
#include "backend/cpu/transpose_work.hpp"
#include "backend/cpu/window_work.hpp"
#include "compile/passes.hpp"
#include "compile/reach.hpp"
#include "ir/passes.hpp"
#include "run/collective_work.hpp"
#include "run/executor.hpp"
#include "run/repeat_work.hpp"
#include "run/rows_work.hpp"
#include "run/transport.hpp"

namespace tutti {
namespace {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(run::Executor executor, PlanStats stats, std::vector<cpu::Function> kernels)
      : kernels_(std::move(kernels)), executor_(std::move(executor)), stats_(std::move(stats)) {}
  std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool> donated) override {
    std::vector<BufferPtr> results(executor_.plan().outputs.size());
    executor_.run(inputs, donated, results);
    return results;
  }
  void run_into(std::span<const BufferPtr> inputs, std::span<const bool> donated,
                std::span<BufferPtr> results) override {
    executor_.run(inputs, donated, results);
  }
  std::string text() const override { return executor_.plan().str(); }
  PlanStats stats() const override { return stats_; }

 private:
  std::vector<cpu::Function> kernels_;  // alive as long as the executor calls them
  run::Executor executor_;
  PlanStats stats_;
};

double ns_per_element(const compile::Loop& l) {
  return 0.05 + 0.03 * static_cast<double>(l.body.insts.size() + l.accesses.size());
}

// The same in a core's caches. Measured with AVX-512: ns of a word of 4 bytes for each instruction on whole vectors,
// for those that divide or take roots, and for elements that lie apart and come one by one.
double near_ns_per_element(const compile::Loop& l) {
  constexpr double kInstruction = 0.007, kDivision = 0.2, kApart = 0.3, kCall = 5;
  using Inst = compile::Inst;
  double ns = 0;
  for (const Inst& i : l.body.insts) {
    const bool divides = (i.kind == Inst::Kind::binary && (i.sub == static_cast<int>(VectorIR::Bin::div) ||
                                                           i.sub == static_cast<int>(VectorIR::Bin::rem))) ||
                         (i.kind == Inst::Kind::unary && i.sub == static_cast<int>(VectorIR::Un::sqrt));
    ns += i.kind == Inst::Kind::library
              ? kCall
              : (divides ? kDivision : kInstruction) * static_cast<double>(i.dtype.size()) / 4;
  }
  for (const compile::Access& a : l.accesses) {
    const bool apart = a.kind != compile::Access::Kind::index && !a.strides.empty() && a.strides.back() != 0 &&
                       a.strides.back() != a.dtype.size();
    ns += apart ? kApart : kInstruction * static_cast<double>(a.dtype.size()) / 4;
  }
  return ns;
}

// Functions that works are waiting for: compiled in one go.
class Kernels {
 public:
  /// Both nests have the same kernel, and stay where they are until compile().
  void want(run::Nest& nest, run::Nest& fine, const cpu::LoopInPlan& loop) {
    want(cpu::source_of(cpu::kernel_spec(loop, nest)),
         [&nest, &fine](void* address) { nest.kernel = fine.kernel = reinterpret_cast<run::KernelFn>(address); });
  }
  void want(cpu::Source source, std::function<void(void*)> ready) {
    sources_.push_back(std::move(source));
    ready_.push_back(std::move(ready));
  }
  void compile() {
    made_ = cpu::compile_sources(sources_);
    for (std::size_t k = 0; k < made_.size(); ++k) ready_[k](made_[k].address);
  }
  /// Each once.
  std::vector<cpu::Function> distinct() const {
    std::map<void*, cpu::Function> out;
    for (const cpu::Function& f : made_) out.emplace(f.address, f);
    std::vector<cpu::Function> list;
    for (auto& [address, f] : out) list.push_back(std::move(f));
    return list;
  }

 private:
  std::vector<cpu::Source> sources_;
  std::vector<std::function<void(void*)>> ready_;
  std::vector<cpu::Function> made_;
};

// The steps of a stage by rows; each runs on one thread.
class RowsSteps {
 public:
  RowsSteps(const compile::Plan& plan, const compile::Stage& stage, Kernels& kernels)
      : plan_(plan), stage_(stage), kernels_(kernels), steps(stage.steps.size()) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
      run::RowsStep& to = steps[k];
      std::visit([&](const auto& what) { make(what, to); }, plan.steps[stage.steps[k]].what);
    }
  }

 private:
  void make(const compile::Loop& l, run::RowsStep& to) {
    for (const compile::Access& a : l.accesses) {
      to.storages.push_back(a.kind == compile::Access::Kind::index ? -1 : a.storage);
      to.row_steps.push_back(a.strides[0] * (l.extents[0] / stage_.rows));
    }
    cost += ns_per_element(l) * static_cast<double>(compile::product(l.extents));
    fill(to, [&](run::RowsStep::Part& part, std::int64_t rows) {
      compile::Loop some = run::loop_of_rows(l, stage_.rows, rows);
      part.nest = run::make_nest(some);
      compile::Loop numbered = some;
      for (std::size_t k = 0; k < some.accesses.size(); ++k) numbered.accesses[k].storage = static_cast<int>(k);
      part.work = cpu::transpose_work(numbered, false);
      if (part.work) return;
      part.fine = run::finer(part.nest, ns_per_element(l));
      kernels_.want(part.nest, part.fine, {plan_, stage_, l, some});
    });
  }
  void make(const compile::Dot& d, run::RowsStep& to) {
    const std::int64_t inner = compile::first_extent({d, {}}) / stage_.rows, size = d.dtype.size();
    const bool batched = !d.batch.empty();
    to.storages = {d.a, d.b, d.c};
    if (d.adds) {
      to.row_steps = {inner * size * d.a_k, inner * size * d.b_k, 0};
      to.group_step = d.m * d.n * size;
    } else {
      to.row_steps = {inner * size * (batched ? d.a_batch[0] : d.a_m), batched ? inner * size * d.b_batch[0] : 0,
                      inner * d.result.size() * (batched ? d.c_batch[0] : d.c_m)};
      if (d.mask) {
        to.storages.push_back(d.mask->storage);
        to.row_steps.push_back(inner * (batched ? d.mask->batch[0] : d.mask->m));
      }
    }
    fill(to, [&](run::RowsStep::Part& part, std::int64_t rows) {
      compile::Dot some = compile::dot_of_rows(d, stage_.rows, rows);
      some.a = 0;
      some.b = 1;
      some.c = 2;
      if (some.mask) some.mask->storage = 3;
      if (some.adds) part.more = cpu::dot_work(some, true);
      some.adds = false;
      part.work = cpu::dot_work(some, true);
      cost += part.work->cost_ns * static_cast<double>(rows == stage_.chunk ? stage_.rows / stage_.chunk : 1);
    });
  }
  template <class T> void make(const T&, run::RowsStep&) { throw InternalError("rows: neither a loop nor a product"); }
  template <class F> void fill(run::RowsStep& to, const F& make_part) {
    make_part(to.chunk, stage_.chunk);
    if (const std::int64_t rest = stage_.rows % stage_.chunk) make_part(to.rest, rest);
  }

  const compile::Plan& plan_;
  const compile::Stage& stage_;
  Kernels& kernels_;

 public:
  std::vector<run::RowsStep> steps;  // does not grow: nests stay where they are
  double cost = 0;
};

std::unique_ptr<run::RowsWork> rows_work(const compile::Plan& plan, const compile::Stage& stage, Kernels& kernels) {
  RowsSteps made(plan, stage, kernels);
  return std::make_unique<run::RowsWork>(plan, stage, std::move(made.steps), made.cost);
}

// Elementwise loops that hand nothing on in a task's memory: in how long chunks they run is not seen in the results.
bool may_be_cut(const compile::Plan& plan, const compile::Stage& stage) {
  return stage.groups == 0 && stage.scratch_bytes == 0 &&
         std::all_of(stage.steps.begin(), stage.steps.end(), [&](int i) {
           const auto* l = std::get_if<compile::Loop>(&plan.steps[i].what);
           return l && l->reduced < 0;
         });
}

std::unique_ptr<run::Work> rows_work_for_all(const compile::Plan& plan, const compile::Stage& stage, Kernels& kernels) {
  constexpr std::int64_t finer = 4;
  auto work = rows_work(plan, stage, kernels);
  if (stage.chunk >= finer && may_be_cut(plan, stage)) {
    compile::Stage fine = stage;
    fine.chunk /= finer;
    work->set_fine(rows_work(plan, fine, kernels));
  }
  return work;
}

std::unique_ptr<run::Work> loop_work(const compile::Plan& plan, const compile::Stage& stage, const compile::Loop& l,
                                     Kernels& kernels) {
  if (auto work = cpu::transpose_work(l, cpu::is_far(plan, l))) return work;
  auto nest = std::make_unique<run::NestWork>(run::make_nest(l), ns_per_element(l), near_ns_per_element(l));
  kernels.want(nest->nest(), nest->fine(), {plan, stage, l, l});
  return nest;
}

// The works of a plan, and of the plans that its steps hold.
class Works {
 public:
  Works(Kernels& kernels, const Places* places) : kernels_(kernels), places_(places) {}
  int fallbacks = 0;

  std::vector<std::unique_ptr<run::Work>> of(const compile::Plan& plan) {
    std::vector<std::unique_ptr<run::Work>> works(plan.steps.size());
    for (const compile::Stage& stage : plan.stages) {
      if (stage.rows)
        works[stage.steps[0]] = rows_work_for_all(plan, stage, kernels_);
      else
        for (int i : stage.steps) works[i] = std::visit(Make{*this, plan, stage}, plan.steps[i].what);
    }
    return works;
  }

 private:
  std::unique_ptr<run::Steps> within(const compile::PlanPtr& plan) {
    return plan ? std::make_unique<run::Steps>(*plan, of(*plan), loops_ > 0) : nullptr;
  }

  struct Make {
    Works& self;
    const compile::Plan& plan;
    const compile::Stage& stage;
    using Work = std::unique_ptr<run::Work>;
    Work operator()(const compile::Loop& l) const { return loop_work(plan, stage, l, self.kernels_); }
    Work operator()(const compile::Dot& d) const { return cpu::dot_work(d); }
    Work operator()(const compile::CallEqn& c) const {
      if (c.eqn.op->collective) {
        if (!self.places_) throw InternalError(c.eqn.op->name + " in a program that is not one of several processes'");
        const int channel = 1 + self.collectives_++ % (run::Transport::kProgramChannels - 1);
        return std::make_unique<run::CollectiveWork>(c, *self.places_, channel);
      }
      if (Work work = cpu::window_work(c)) return work;
      if (Work work = cpu::conv_work(c)) return work;
      kernels::Kernel* kernel = kernels::kernel_of(Call{*c.eqn.op, c.eqn.params, c.operand_types, c.eqn.subs});
      self.fallbacks += kernel == nullptr;
      return std::make_unique<run::CallWork>(c, kernel);
    }
    Work operator()(const compile::Repeat& r) const {
      if (std::optional<cpu::LoopCode> code = cpu::loop_code(plan, r)) {
        for (cpu::LoopCode::Wanted& f : code->functions) self.kernels_.want(std::move(f.source), std::move(f.ready));
        return std::move(code->work);
      }
      ++self.loops_;
      Work work = std::make_unique<run::RepeatWork>(r, self.within(r.body), self.within(r.condition));
      --self.loops_;
      return work;
    }
    Work operator()(const compile::Branch& b) const {
      std::vector<std::unique_ptr<run::Steps>> branches;
      for (const compile::PlanPtr& p : b.branches) branches.push_back(self.within(p));
      return std::make_unique<run::BranchWork>(b, std::move(branches));
    }
  };

  Kernels& kernels_;
  const Places* places_;
  int loops_ = 0;  // around what is being made
  int collectives_ = 0;
};

std::shared_ptr<Executable> machine_code(compile::Plan made, PlanStats stats, const Places* places) {
  auto plan = std::make_unique<const compile::Plan>(std::move(made));
  Kernels kernels;
  Works maker(kernels, places);
  std::vector<std::unique_ptr<run::Work>> works = maker.of(*plan);
  stats.fallbacks += maker.fallbacks;
  kernels.compile();
  std::vector<cpu::Function> distinct = kernels.distinct();
  stats.kernels = static_cast<int>(distinct.size());
  run::Executor executor(std::move(plan), std::move(works));
  stats.tasks = executor.tasks();
  return std::make_shared<CpuExecutable>(std::move(executor), std::move(stats), std::move(distinct));
}

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  std::shared_ptr<Executable> compile(const LocalProgram& program, const std::vector<bool>& donatable) override {
    compile::Plan plan = run_pass(PassId::literals, cpu::load_changing_literals, compile::compile(program, donatable));
    PlanStats stats = compile::stats_of(plan, donatable);
    return run_pass(PassId::code, machine_code, std::move(plan), std::move(stats), places_of(program.mesh).get());
  }
};

}  // namespace

Backend& cpu_backend() {
  static auto& b = *new CpuBackend;
  return b;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
