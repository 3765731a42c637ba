#include "backend/cpu/loop_code.hpp"

#include <algorithm>
#include <atomic>

#include "backend/cpu/loop_emit.hpp"
#include "backend/cpu/loop_products.hpp"
#include "backend/cpu/window_moves.hpp"

namespace tutti::cpu {
namespace {

using compile::Plan;
using compile::Repeat;

constexpr std::int64_t kMostElements = 4096;  // of one loop nest
constexpr double kMostWork = 60e3;            // instructions on elements of one step
constexpr std::size_t kMostInsts = 1500;      // of all loops, as code
constexpr std::int64_t kTile = 64;            // rows that one function makes, about: four vectors side
                                              // by side, fewer where a row has more than kFewTimes elements
constexpr std::int64_t kFewTimes = 4, kVector = 16;
constexpr std::int64_t kMostOwn = 4096, kMostOwnInAll = 32768;  // bytes of a storage of theirs, and of all
constexpr double kSteps = 100;                                  // of a loop that has a condition, a guess
constexpr double kTask = 12e3;                                  // ns

struct Size {
  bool fits = true;      // loop nests, windows that are moved, and what is made of them
  bool windows = false;  // there are such
  std::int64_t largest = 0;
  double work = 0;
  std::size_t insts = 0;
};

void measure(const Plan& plan, Size& size);

void measure(const compile::CallEqn& call, Size& size) {
  const std::optional<WindowMoves> moves = window_moves(call);
  size.fits &= moves.has_value();
  if (!moves) return;
  const std::int64_t runs = moves->runs(), elements = runs * moves->length;
  const std::size_t insts = 4 * (1 + moves->starts.size()) + 2 * moves->dims.size();
  size.windows = true;
  size.largest = std::max(size.largest, elements);
  size.work += static_cast<double>(runs) * static_cast<double>(insts) + static_cast<double>(elements) / 8;
  size.insts += insts;
}

void measure(const compile::Step& step, Size& size) {
  if (const std::optional<compile::Loop> l = nest_of(step)) {
    const std::int64_t elements = compile::product(l->extents);
    const std::size_t insts = l->body.insts.size() + l->accesses.size();
    size.fits &= elements > 0;
    size.largest = std::max(size.largest, elements);
    size.work += static_cast<double>(elements) * static_cast<double>(insts);
    size.insts += insts;
  } else if (const auto* r = std::get_if<Repeat>(&step.what)) {
    measure(*r->body, size);
    if (r->condition) measure(*r->condition, size);
  } else if (const auto* b = std::get_if<compile::Branch>(&step.what)) {
    for (const compile::PlanPtr& p : b->branches) measure(*p, size);
  } else if (const auto* c = std::get_if<compile::CallEqn>(&step.what)) {
    measure(*c, size);
  } else {
    size.fits = false;
  }
}

void measure(const Plan& plan, Size& size) {
  for (const compile::Stage& stage : plan.stages) size.fits &= stage.scratch_bytes == 0;
  for (const compile::Step& step : plan.steps)
    if (size.fits) measure(step, size);
}

// The addresses that a function of a loop takes.
class Gathered {
 public:
  Gathered(const std::vector<int>& storages, char* const* at) {
    if (storages.size() > kLocal) many_.reset(here_ = new char*[storages.size()]);
    for (std::size_t k = 0; k < storages.size(); ++k) here_[k] = at[storages[k]];
  }
  char* const* all() const { return here_; }

 private:
  static constexpr std::size_t kLocal = 64;
  char* local_[kLocal];
  std::unique_ptr<char*[]> many_;
  char** here_ = local_;
};

class WholeLoop final : public run::Work {
 public:
  explicit WholeLoop(const Repeat& loop) : storages_(storages_of(loop)) { cost_ns = 1; }
  void run(char* const* at, int) const override { function(Gathered(storages_, at).all()); }
  void (*function)(char* const* at) = nullptr;

 private:
  std::vector<int> storages_;
};

class LoopByRows final : public run::Work {
 public:
  LoopByRows(const Repeat& loop, std::int64_t rows, std::int64_t tile, double cost)
      : storages_(storages_of(loop)), rows_(rows), tile_(tile), tiles_((rows + tile - 1) / tile) {
    cost_ns = cost;
    tasks =
        static_cast<int>(std::clamp<double>(cost / kTask, 1, static_cast<double>(std::min<std::int64_t>(tiles_, 64))));
  }
  void run(char* const* at, int task) const override {
    const Gathered here(storages_, at);
    for (std::int64_t t = tiles_ * task / tasks, end = tiles_ * (task + 1) / tasks; t < end; ++t)
      (t * tile_ + tile_ <= rows_ ? function : last)(here.all(), t * tile_);
  }
  using Function = void (*)(char* const* at, std::int64_t row);
  Function function = nullptr, last = nullptr;  // of a tile, and of the last one when that is shorter

 private:
  std::vector<int> storages_;
  std::int64_t rows_, tile_, tiles_;
};

Source source(const Repeat& loop, std::function<void(llvm::Module&, const std::string&, bool)> emit) {
  static std::atomic<int> number = 0;
  Source s;
  s.text = "loop " + std::to_string(number++);  // the plans of programs are kept, so this is not met again
  s.optimised = true;
  library_of(loop, s.library);
  s.emit = std::move(emit);
  return s;
}

LoopCode whole(const Repeat& loop) {
  auto work = std::make_unique<WholeLoop>(loop);
  LoopCode out;
  out.functions.push_back(
      {source(loop, [&loop](llvm::Module& m, const std::string& name, bool wide) { emit_loop(m, name, loop, wide); }),
       [w = work.get()](void* f) { w->function = reinterpret_cast<void (*)(char* const*)>(f); }});
  out.work = std::move(work);
  return out;
}

bool fits(const LoopRows& rows, std::int64_t tile) {
  std::int64_t most = 0, all = 0;
  for (const LoopRows::Layout& x : rows.layouts) {
    most = std::max(most, x.row * x.planes * tile);
    all += x.row * x.planes * tile;
  }
  return most <= kMostOwn && all <= kMostOwnInAll;
}

// Rows of a function: such that no smaller tile is left over, if there is such a number, and all fits in its memory. 0:
// not even one row does.
std::int64_t tile_of(const LoopRows& rows) {
  const std::int64_t elements = std::max<std::int64_t>(1, rows.elements / kFewTimes),
                     wanted = std::min(rows.rows, std::max<std::int64_t>(1, kTile / elements));
  for (std::int64_t sixteenths : {16, 20, 12, 24, 8})
    if (const std::int64_t tile = wanted * sixteenths / 16;
        tile > 0 && rows.rows % tile == 0 && (tile % kVector == 0 || wanted < kVector) && fits(rows, tile))
      return tile;
  for (std::int64_t tile = wanted; tile > 0; tile /= 2)
    if (fits(rows, tile)) return tile;
  return 0;
}

// The storages in whose memory one of them may lie, itself among them; places in the slab count from -1 down.
std::vector<std::int64_t> memory_of(const Plan& plan, int storage) {
  std::vector<std::int64_t> out;
  for (int s = storage; s >= 0; s = plan.storages[s].takes) {
    out.push_back(s);
    if (plan.storages[s].kind == compile::Storage::Kind::temporary) out.push_back(-1 - plan.storages[s].offset);
  }
  return out;
}

// Whether a carry that all rows have in common would be written over while some of them have yet to read it.
bool writes_over_start(const Plan& plan, const Repeat& loop, const LoopRows& rows) {
  for (std::size_t c = 0; c < loop.carries.size(); ++c) {
    if (rows.layouts[static_cast<std::size_t>(loop.body->outputs[c])].row != 0) continue;
    const std::vector<std::int64_t> start = memory_of(plan, loop.carries[c].start),
                                    result = memory_of(plan, loop.carries[c].result);
    if (std::find_first_of(start.begin(), start.end(), result.begin(), result.end()) != start.end()) return true;
  }
  return false;
}

LoopCode by_rows(const Repeat& loop, const LoopRows& rows, std::int64_t tile, const Size& size) {
  const double steps = loop.condition ? kSteps : static_cast<double>(loop.length);
  auto work = std::make_unique<LoopByRows>(loop, rows.rows, tile, size.work * steps * 0.03);
  LoopCode out;
  auto want = [&](std::int64_t count, LoopByRows::Function& to) {
    out.functions.push_back(
        {source(loop, [&loop, rows, count](llvm::Module& m, const std::string& name,
                                           bool wide) { emit_loop_of_rows(m, name, loop, wide, rows, count); }),
         [&to](void* f) { to = reinterpret_cast<LoopByRows::Function>(f); }});
  };
  want(tile, work->function);
  if (rows.rows % tile) want(rows.rows % tile, work->last);
  out.work = std::move(work);
  return out;
}

}  // namespace

std::optional<LoopCode> loop_code(const Plan& plan, const Repeat& loop) {
  Size size;
  measure(*loop.body, size);
  if (loop.condition) measure(*loop.condition, size);
  if (!size.fits || size.insts > kMostInsts) return std::nullopt;
  if (const std::optional<LoopRows> rows = size.windows ? std::nullopt : rows_of(loop)) {
    const std::int64_t tile = tile_of(*rows);
    if (tile > 0 && rows->rows >= 4 * tile && !writes_over_start(plan, loop, *rows))
      return by_rows(loop, *rows, tile, size);
  }
  if (size.largest > kMostElements || size.work > kMostWork) return std::nullopt;
  return whole(loop);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
