#include "backend/cpu/conv_work.hpp"

#include <vector>

#include "backend/cpu/conv_task.hpp"
#include "device/buffer.hpp"
#include "run/pool.hpp"
#include "run/shared_jobs.hpp"

namespace tutti::cpu {
namespace {

constexpr double kInline = 30e3, kOperation = 0.02;  // ns; of one thread

template <class T> class ConvWork final : public run::Work {
 public:
  explicit ConvWork(const compile::CallEqn& c) : left_(c.operands[0]), right_(c.operands[1]), out_(c.results[0]) {
    const auto& form = c.eqn.params.get<ops::Convolution>();
    for (const ConvSums& s :
         conv_sums(form, c.operand_types[0].shape, c.operand_types[1].shape, c.result_types[0].shape)) {
      loops_.emplace_back(s, conv_blocks(s, tile_lanes<T>(), tile_vectors(), sizeof(T), false));
      fine_.emplace_back(s, conv_blocks(s, tile_lanes<T>(), tile_vectors(), sizeof(T), true));
    }
    cost_ns = kOperation * c.eqn.op->flops(Call{*c.eqn.op, c.eqn.params, c.operand_types, c.eqn.subs}, c.result_types);
    spreads = cost_ns > kInline;
  }

  // One task, in which blocks are shared out: first operands are brought to panels, last parts are added up.
  void run(char* const* at, int) const override { run(num_threads() > run::kFewThreads ? fine_ : loops_, at); }

 private:
  using Loops = std::vector<ConvLoops<T>>;

  void run(const Loops& loops, char* const* at) const {
    ConvArrays<T> arrays{reinterpret_cast<const T*>(at[left_]), reinterpret_cast<const T*>(at[right_]), nullptr,
                         reinterpret_cast<T*>(at[out_]), nullptr};
    std::vector<ConvArrays<T>> of(loops.size(), arrays);
    std::int64_t panels = 0, parts = 0;
    for (const ConvLoops<T>& l : loops) {
      panels += l.panel_elements();
      parts += l.part_elements() * l.tasks();
    }
    const HostPtr room = allocate_buffer(static_cast<std::size_t>(panels + parts) * sizeof(T));
    T* next = static_cast<T*>(room->data());
    for (std::size_t k = 0; k < of.size(); ++k) {
      of[k].panels = next;
      next += loops[k].panel_elements();
      of[k].parts = next;
      next += loops[k].part_elements() * loops[k].tasks();
    }
    each(
        loops, [](const ConvLoops<T>& l) { return l.panels(); },
        [&](std::size_t k, std::int64_t i) { loops[k].make_panel(of[k], const_cast<T*>(of[k].panels), i); });
    each(
        loops, [](const ConvLoops<T>& l) { return l.tasks(); },
        [&](std::size_t k, std::int64_t i) { loops[k].run(of[k], i); });
    each(
        loops, [](const ConvLoops<T>& l) { return l.pieces(); },
        [&](std::size_t k, std::int64_t i) { loops[k].add_piece(of[k], i); });
    each(
        loops, [](const ConvLoops<T>& l) { return l.results(); },
        [&](std::size_t k, std::int64_t i) { loops[k].write_block(of[k], i); });
  }

  // Calls f(number of the loops, i) for `count` numbers of each.
  template <class Count, class F> void each(const Loops& loops, Count count, F f) const {
    std::int64_t all = 0;
    for (const ConvLoops<T>& l : loops) all += count(l);
    struct Context {
      const Loops& loops;
      Count& count;
      F& f;
    } context{loops, count, f};
    const run::TaskFunction task{[](void* c, int i) {
                                   const Context& x = *static_cast<Context*>(c);
                                   std::int64_t at = i;
                                   for (std::size_t k = 0;; at -= x.count(x.loops[k]), ++k)
                                     if (at < x.count(x.loops[k])) return x.f(k, at);
                                 },
                                 &context};
    if (all > 1 && cost_ns > kInline) return run::run_tasks(static_cast<int>(all), task);
    for (int i = 0; i < all; ++i) task.call(&context, i);
  }

  int left_, right_, out_;
  Loops loops_, fine_;  // for a few threads, for many
};

}  // namespace

std::unique_ptr<run::Work> conv_work(const compile::CallEqn& c) {
  if (c.eqn.op != &ops::convolution || c.result_types[0].num_elements() == 0) return nullptr;
  const DType dtype = c.result_types[0].dtype;
  if (c.operand_types[0].dtype != dtype) return nullptr;
  if (dtype == float32) return std::make_unique<ConvWork<float>>(c);
  if (dtype == float64) return std::make_unique<ConvWork<double>>(c);
  return nullptr;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
