#include "backend/cpu/window_work.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/window_moves.hpp"
#include "ops/movement/strided_read.hpp"

namespace tutti::cpu {
namespace {

constexpr double kBoxTaskNs = 50e3;
constexpr std::int64_t kMostBoxTasks = 128;

// One box, whose place is a start for each dim.
class BoxWork final : public run::Work {
 public:
  BoxWork(const compile::CallEqn& c, WindowMoves moves)
      : m_(std::move(moves)), operands_(c.operands), to_(c.results[0]), size_(m_.array.dtype.size()), runs_(m_.runs()) {
    const double bytes = static_cast<double>(runs_ * m_.length * size_);
    cost_ns = 3.0 * static_cast<double>(runs_) + 0.1 * bytes;
    if (m_.kind == WindowMoves::Kind::read)
      tasks = static_cast<int>(std::clamp<double>(cost_ns / kBoxTaskNs, 1,
                                                  static_cast<double>(std::min<std::int64_t>(runs_, kMostBoxTasks))));
  }

  void run(char* const* at, int task) const override {
    char* to = at[to_];
    const char* from = at[operands_[0]];
    const bool reads = m_.kind == WindowMoves::Kind::read;
    if (!reads && to != from) std::memcpy(to, from, static_cast<std::size_t>(m_.array.nbytes()));
    char* array = reads ? const_cast<char*>(from) : to;
    char* windows = reads ? to : at[operands_[1]];
    for (const WindowMoves::Start& s : m_.starts)
      array += std::clamp<std::int64_t>(first_index(s, at), 0, s.last) * s.stride * size_;
    const auto bytes = static_cast<std::size_t>(m_.length * size_);
    for (std::int64_t run = runs_ * task / tasks, end = runs_ * (task + 1) / tasks; run < end; ++run) {
      std::int64_t in_array = 0, in_windows = 0, rest = run;
      for (std::size_t d = m_.dims.size(); d-- > 0; rest /= m_.dims[d].extent) {
        in_array += rest % m_.dims[d].extent * m_.dims[d].array;
        in_windows += rest % m_.dims[d].extent * m_.dims[d].windows;
      }
      char *there = array + in_array * size_, *here = windows + in_windows * size_;
      std::memcpy(reads ? here : there, reads ? there : here, bytes);
    }
  }

 private:
  std::int64_t first_index(const WindowMoves::Start& s, char* const* at) const {
    void* data = at[operands_[static_cast<std::size_t>(s.operand)]];
    return ops::integer_at({{s.dtype, {}, false, {}}, data}, 0);
  }

  WindowMoves m_;
  std::vector<int> operands_;
  int to_;
  std::int64_t size_, runs_;
};

}  // namespace

std::unique_ptr<run::Work> window_work(const compile::CallEqn& c) {
  if (c.eqn.op == &static_cast<const Op&>(ops::strided_add)) return strided_add_work(c);
  if (c.eqn.op->window == Op::Window::none) return nullptr;
  if (c.eqn.op->window == Op::Window::read_box || c.eqn.op->window == Op::Window::write_box) {
    std::optional<WindowMoves> moves = window_moves(c);
    return moves ? std::make_unique<BoxWork>(c, std::move(*moves)) : nullptr;
  }
  if (c.eqn.op->window != Op::Window::read) {
    if (c.spread || c.result_types[0].num_elements() > 0) return scatter_work(c);
    return nullptr;
  }
  for (const Type& t : c.operand_types)
    if (t.num_elements() == 0) return nullptr;
  if (c.result_types[0].num_elements() == 0) return nullptr;
  return gather_work(c);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
