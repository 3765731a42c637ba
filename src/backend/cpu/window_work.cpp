#include "backend/cpu/window_work.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/movement/gather.hpp"
#include "ops/movement/scatter.hpp"

namespace tutti::cpu {
namespace {

using ops::Dims;

constexpr std::int64_t kFewRuns = 64;

lax::GatherDims as_gather(const lax::ScatterDims& d) {
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

// The last dims of the windows, as far as they lie in one piece in the operand too.
struct Runs {
  Shape outer;              // of the windows' array, the last dims with extent 1
  std::int64_t length = 1;  // elements of one run

  Runs(const lax::GatherDims& dims, const Shape& from, const Shape& windows) : outer(windows) {
    const ops::WindowDims w(dims, from.ndim(), windows.ndim());
    int at = windows.ndim() - 1, operand = from.ndim() - 1;
    while (at >= 0 && operand >= 0) {
      auto it = std::find(w.window.begin(), w.window.end(), at);
      if (it == w.window.end() || w.operand[static_cast<std::size_t>(it - w.window.begin())] != operand) break;
      length *= windows[at];
      outer[at] = 1;
      if (windows[at] != from[operand]) break;
      --at;
      --operand;
    }
  }
};

class GatherWork final : public run::Work {
 public:
  explicit GatherWork(compile::CallEqn c)
      : c_(std::move(c)),
        p_(c_.eqn.params.get<ops::Gather>()),
        runs_(p_.dims, c_.operand_types[0].shape, c_.result_types[0].shape) {
    cost_ns =
        40.0 * static_cast<double>(runs_.outer.num_elements()) + 0.1 * static_cast<double>(c_.result_types[0].nbytes());
    // What stands for an index out of range, from the op itself.
    const Type x{c_.operand_types[0].dtype, {1}, false, {}}, index{int32, {1, 1}, false, {}},
        result{x.dtype, {1, 1}, false, {}};
    std::int32_t outside = 5;
    std::int64_t element = 0, filled = 0;
    const Params params = ops::Gather{{{1}, {}, {0}, {}, {}}, {1}, lax::GatherMode::fill, p_.zero_fill};
    const std::vector<ProgramPtr> none;
    const HostView in[] = {{x, &element}, {index, &outside}}, out[] = {{result, &filled}};
    c_.eqn.op->eval(Call{*c_.eqn.op, params, {x, index}, none}, in, out);
    fill_.resize(static_cast<std::size_t>(runs_.length * x.dtype.size()));
    for (std::int64_t i = 0; i < runs_.length; ++i)
      std::memcpy(fill_.data() + i * x.dtype.size(), &filled, static_cast<std::size_t>(x.dtype.size()));
  }

  void run(char* const* at, int) const override {
    const char* from = at[c_.operands[0]];
    char* to = at[c_.results[0]];
    const HostView indices{c_.operand_types[1], at[c_.operands[1]]};
    const ops::Windows windows(p_.dims, p_.mode, p_.sizes, c_.operand_types[0].shape, indices,
                               c_.result_types[0].ndim());
    const std::int64_t size = c_.operand_types[0].dtype.size();
    const std::size_t bytes = static_cast<std::size_t>(runs_.length * size);
    ops::for_each_index(runs_.outer, [&](const Dims& index, std::int64_t run) {
      const std::int64_t place = windows.at(index);
      std::memcpy(to + run * static_cast<std::int64_t>(bytes), place < 0 ? fill_.data() : from + place * size, bytes);
    });
  }

 private:
  compile::CallEqn c_;
  ops::Gather p_;
  Runs runs_;
  std::vector<char> fill_;
};

class ScatterWork final : public run::Work {
 public:
  explicit ScatterWork(compile::CallEqn c)
      : c_(std::move(c)),
        p_(c_.eqn.params.get<ops::Scatter>()),
        dims_(as_gather(p_.dims)),
        runs_(dims_, c_.operand_types[0].shape, c_.operand_types[2].shape),
        sizes_(Dims(c_.operand_types[0].shape.size(), 1)) {
    const ops::WindowDims w(dims_, c_.operand_types[0].ndim(), c_.operand_types[2].ndim());
    for (std::size_t i = 0; i < w.window.size(); ++i) sizes_[w.operand[i]] = c_.operand_types[2].shape[w.window[i]];
    cost_ns = 40.0 * static_cast<double>(runs_.outer.num_elements()) +
              0.1 * static_cast<double>(c_.operand_types[0].nbytes() + c_.operand_types[2].nbytes());
  }

  // One task: where windows meet, the order of the updates counts.
  void run(char* const* at, int) const override {
    char* to = at[c_.results[0]];
    if (to != at[c_.operands[0]])
      std::memcpy(to, at[c_.operands[0]], static_cast<std::size_t>(c_.operand_types[0].nbytes()));
    const char* updates = at[c_.operands[2]];
    const HostView indices{c_.operand_types[1], at[c_.operands[1]]};
    const ops::Windows windows(dims_, p_.mode, sizes_, c_.operand_types[0].shape, indices, c_.operand_types[2].ndim());
    const std::int64_t size = c_.operand_types[0].dtype.size(), n = runs_.length;
    const bool add = c_.eqn.op->window == Op::Window::add;
    // A few additions to one place are as good in float32.
    std::optional<ops::PlaceSums<float>> sums;
    if (add && runs_.outer.num_elements() > kFewRuns)
      sums.emplace(c_.operand_types[0].num_elements(), runs_.outer.num_elements(), n);
    ops::for_each_index(runs_.outer, [&](const Dims& index, std::int64_t run) {
      const std::int64_t place = windows.at(index);
      if (place < 0) return;
      const char* from = updates + run * n * size;
      if (!add) {
        std::memcpy(to + place * size, from, static_cast<std::size_t>(n * size));
        return;
      }
      const float* x = reinterpret_cast<const float*>(from);
      if (sums) return sums->add(place, x);
      float* sum = reinterpret_cast<float*>(to) + place;
      for (std::int64_t i = 0; i < n; ++i) sum[i] += x[i];
    });
    if (sums) sums->add_to(reinterpret_cast<float*>(to));
  }

 private:
  compile::CallEqn c_;
  ops::Scatter p_;
  lax::GatherDims dims_;
  Runs runs_;
  Shape sizes_;
};

}  // namespace

std::unique_ptr<run::Work> window_work(const compile::CallEqn& c) {
  if (c.eqn.op->window == Op::Window::none) return nullptr;
  for (const Type& t : c.operand_types)
    if (t.num_elements() == 0) return nullptr;
  if (c.result_types[0].num_elements() == 0) return nullptr;
  switch (c.eqn.op->window) {
    case Op::Window::read: return std::make_unique<GatherWork>(c);
    case Op::Window::write: return std::make_unique<ScatterWork>(c);
    case Op::Window::add:
      if (c.operand_types[0].dtype == float32) return std::make_unique<ScatterWork>(c);
      return nullptr;
    default: return nullptr;
  }
}

}  // namespace tutti::cpu
