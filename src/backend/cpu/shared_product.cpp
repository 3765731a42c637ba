// The inner dimension is cut in blocks. In each phase the tiles of one block are computed while the operands of the
// next one are packed: tasks of a phase do not depend on each other, and memory is read while others compute. Where
// there is one block, there is one phase: who needs rows or columns that nobody has packed yet packs them.
#include "backend/cpu/shared_product.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>

#include "backend/cpu/large_product.hpp"
#include "backend/cpu/packed_product.hpp"
#include "backend/cpu/product_cut.hpp"
#include "backend/cpu/product_tiles.hpp"
#include "device/buffer.hpp"
#include "run/pool.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kMostRoom = std::int64_t{64} << 20;      // bytes of packed operands, about
constexpr std::int64_t kAddedElements = std::int64_t{1} << 14;  // of a task that adds up slices
constexpr std::int64_t kLine = 64;                              // bytes
constexpr int kFewThreads = 4;
constexpr int kSpins = 4000;  // until the strip that another thread packs may take long

// `narrow`: the result is of T, which is narrower than the sums.
template <class T, bool narrow> class SharedProduct final : public run::Work {
  using Sum = SumOf<T>;
  using Result = std::conditional_t<narrow, T, Sum>;
  static std::int64_t parts(std::int64_t extent, std::int64_t each) { return ProductCut::parts(extent, each); }

 public:
  explicit SharedProduct(const compile::Dot& d)
      : d_(d),
        batches_(compile::product(d.batch)),
        tiles_(tiles<T>()),
        cut_(batches_, {d.m, d.n, d.k}, {tiles_.rows, tiles_.columns, tiles_.deep, tiles_.speed}),
        row_tiles_(parts(d.m, cut_.rows)),
        column_tiles_(parts(d.n, cut_.columns)) {
    left_ = parts(row_tiles_ * cut_.rows * tiles_.packed(cut_.deep), kLine) * kLine;
    right_ = parts(parts(d.n, tiles_.columns) * tiles_.columns * tiles_.packed(cut_.deep), kLine) * kLine;
    const std::int64_t room = 2 * cut_.slices * (left_ + right_);
    together_ = std::clamp<std::int64_t>(kMostRoom / room, 1, batches_);
    keeps_sums_ = cut_.slices > 1 || (narrow && cut_.blocks > 1);
    cost_ns = static_cast<double>(batches_ * d.m * d.n) * static_cast<double>(d.k) * 0.005 * sizeof(Sum) / tiles_.speed;
    spreads = true;
  }

  void run(char* const* at, int) const override {
    if (is_by_parts(num_threads())) return run_by_parts(at);
    const std::int64_t units = together_ * cut_.slices, one_room = units * (left_ + right_),
                       rooms = (blocks() > 1 ? 2 : 1) * one_room, sums = keeps_sums_ ? units * d_.m * d_.n : 0;
    const HostPtr room =
        allocate_buffer(static_cast<std::size_t>(rooms) + static_cast<std::size_t>(sums) * sizeof(Sum));
    auto* const packed = static_cast<char*>(room->data());
    const auto states = blocks() > 1 ? nullptr : std::make_unique<std::atomic<char>[]>(units * strips());
    Phase phase{this, at, reinterpret_cast<Sum*>(packed + rooms), states.get()};
    for (std::int64_t first = 0; first < batches_; first += together_) {
      phase.first = first;
      phase.units = std::min(together_, batches_ - first) * cut_.slices;
      if (states) {
        for (std::int64_t k = 0; k < phase.units * strips(); ++k) states[k].store(kOpen, std::memory_order_relaxed);
        phase.to = phase.from = packed;
        run_tasks<&SharedProduct::tile_and_pack>(phase, phase.units * tiles_of_unit());
      } else {
        for (phase.block = 0; phase.block <= blocks(); ++phase.block) {
          phase.packs = phase.block < blocks() ? strips() : 0;
          phase.tiles = phase.block > 0 ? tiles_of_unit() : 0;
          phase.to = packed + phase.block % 2 * one_room;
          phase.from = packed + (phase.block + 1) % 2 * one_room;
          run_tasks<&SharedProduct::tile_or_pack>(phase, phase.units * (phase.packs + phase.tiles));
        }
      }
      if (cut_.slices > 1) run_tasks<&SharedProduct::add>(phase, phase.units / cut_.slices * parts(d_.m, rows_added()));
    }
  }

 private:
  static constexpr char kOpen = 0, kBegun = 1, kDone = 2;  // states of a strip

  // The tasks between two meetings.
  struct Phase {
    const SharedProduct* self;
    char* const* at;
    Sum* sums;                            // of slices; not rounded yet
    std::atomic<char>* states;            // of strips, where who needs them packs them
    std::int64_t first = 0, units = 0;    // batch element; a unit is a slice of one
    std::int64_t packs = 0, tiles = 0;    // tasks of a unit
    std::int64_t block = 0;               // that is packed; rows or columns of a part
    bool by_rows = false;                 // parts
    char *to = nullptr, *from = nullptr;  // where it is packed; the one before, which is multiplied
  };

  template <void (SharedProduct::*f)(const Phase&, std::int64_t) const>
  static void run_tasks(Phase& phase, std::int64_t count) {
    run::run_tasks(static_cast<int>(count), {[](void* p, int task) {
                                               const Phase& x = *static_cast<const Phase*>(p);
                                               (x.self->*f)(x, task);
                                             },
                                             &phase});
  }

  std::int64_t blocks() const { return cut_.blocks; }
  std::int64_t tiles_of_unit() const { return row_tiles_ * column_tiles_; }
  // Rows of the left operand for one row of tiles; columns of the right one for one column of tiles.
  std::int64_t strips() const { return row_tiles_ + column_tiles_; }

  // Tiles first: who packs may wait for memory.
  void tile_or_pack(const Phase& p, std::int64_t task) const {
    if (task < p.units * p.tiles) return tile(p, task / p.tiles, task % p.tiles, p.block - 1);
    task -= p.units * p.tiles;
    pack(p, task / p.packs, task % p.packs, p.block);
  }

  void tile_and_pack(const Phase& p, std::int64_t task) const {
    const std::int64_t unit = task / tiles_of_unit(), here = task % tiles_of_unit();
    packed(p, unit, here / column_tiles_);
    packed(p, unit, row_tiles_ + here % column_tiles_);
    tile(p, unit, here, 0);
  }

  // Returns when that strip is packed.
  void packed(const Phase& p, std::int64_t unit, std::int64_t strip) const {
    std::atomic<char>& state = p.states[unit * strips() + strip];
    char expected = kOpen;
    if (state.load(std::memory_order_acquire) == kDone) return;
    if (state.compare_exchange_strong(expected, kBegun, std::memory_order_acq_rel)) {
      pack(p, unit, strip, 0);
      state.store(kDone, std::memory_order_release);
    } else {
      for (int spins = 0; state.load(std::memory_order_acquire) != kDone; ++spins)
        if (spins > kSpins) std::this_thread::yield();
    }
  }

  struct Unit {
    const T *a, *b;
    Sum* c;
    std::int64_t c_row, deep;  // inner elements of the block
    bool adds;                 // to what stands there
    T* rounded;                // not null: the block is the last one, and what it gives is rounded
  };
  struct Operands {
    const T *a, *b;
    Result* c;
  };
  Operands operands(const Phase& p, std::int64_t batch) const {
    std::int64_t a = d_.a_offset, b = d_.b_offset, c = d_.c_offset;
    for (std::size_t i = d_.batch.size(); i-- > 0;) {
      const std::int64_t x = batch % d_.batch[i];
      batch /= d_.batch[i];
      a += x * d_.a_batch[i];
      b += x * d_.b_batch[i];
      c += x * d_.c_batch[i];
    }
    return {reinterpret_cast<const T*>(p.at[d_.a]) + a, reinterpret_cast<const T*>(p.at[d_.b]) + b,
            reinterpret_cast<Result*>(p.at[d_.c]) + c};
  }
  // A few threads do better with a part of the product each, for which they pack what they need: nothing goes from one
  // core's cache to another's. The sums are the same.
  bool is_by_parts(int threads) const { return threads <= kFewThreads && cut_.slices == 1; }
  void run_by_parts(char* const* at) const {
    const std::int64_t each = parts(num_threads(), batches_),
                       rows = ProductCut::even(d_.m, parts(d_.m, each), tiles_.rows),
                       columns = ProductCut::even(d_.n, parts(d_.n, each), tiles_.columns);
    Phase phase{this, at, nullptr, nullptr};
    phase.by_rows = rows * d_.n <= columns * d_.m;  // the largest part is smaller
    phase.block = phase.by_rows ? rows : columns;
    phase.tiles = parts(phase.by_rows ? d_.m : d_.n, phase.block);
    run_tasks<&SharedProduct::part>(phase, batches_ * phase.tiles);
  }
  // Of phase.block rows or columns of one batch element.
  void part(const Phase& p, std::int64_t task) const {
    const Operands x = operands(p, task / p.tiles);
    const std::int64_t from = task % p.tiles * p.block, row = p.by_rows ? from : 0, column = p.by_rows ? 0 : from,
                       m = p.by_rows ? std::min(p.block, d_.m - from) : d_.m,
                       n = p.by_rows ? d_.n : std::min(p.block, d_.n - from);
    const Operands here{x.a + row * d_.a_m, x.b + column * d_.b_n, x.c + row * d_.c_m + column};
    if constexpr (std::is_same_v<T, float>)
      if (has_large_product())
        return large_product(m, n, d_.k, {here.a, d_.a_m, d_.a_k}, {here.b, d_.b_k, d_.b_n}, here.c, d_.c_m,
                             first_sums());
    PackedResult<T> result{nullptr, d_.c_m};
    if constexpr (narrow)
      result.rounded = here.c;
    else
      result.c = here.c;
    packed_product<T>(m, n, d_.k, cut_.deep, {here.a, d_.a_m, d_.a_k}, {here.b, d_.b_k, d_.b_n}, result, first_sums());
  }
  Sums first_sums() const { return d_.plus_zero ? Sums::plus_zero : Sums::plain; }
  Unit unit(const Phase& p, std::int64_t number, std::int64_t block) const {
    const Operands x = operands(p, p.first + number / cut_.slices);
    const std::int64_t l = (number % cut_.slices * cut_.blocks + block) * cut_.deep,
                       deep = std::clamp<std::int64_t>(d_.k - l, 0, cut_.deep);
    Unit u{x.a + l * d_.a_k, x.b + l * d_.b_k, p.sums + number * d_.m * d_.n, d_.n, deep, block > 0, nullptr};
    if constexpr (narrow) {
      if (cut_.slices == 1 && block + 1 == blocks()) u.rounded = x.c;
    } else if (!keeps_sums_) {
      u.c = x.c;
      u.c_row = d_.c_m;
    }
    return u;
  }
  char* left_of(char* room, std::int64_t unit) const { return room + unit * (left_ + right_); }

  void pack(const Phase& p, std::int64_t number, std::int64_t strip, std::int64_t block) const {
    const Unit u = unit(p, number, block);
    char* const left = left_of(p.to, number);
    const std::int64_t height = tiles_.packed(u.deep);
    if (u.deep == 0) return;
    if (strip < row_tiles_) {
      for (std::int64_t r = strip * cut_.rows; r < std::min(d_.m, (strip + 1) * cut_.rows); r += tiles_.rows)
        tiles_.pack_rows(u.deep, std::min(tiles_.rows, d_.m - r), u.a + r * d_.a_m, d_.a_k, d_.a_m, left + r * height);
      return;
    }
    const std::int64_t from = (strip - row_tiles_) * cut_.columns, to = std::min(d_.n, from + cut_.columns);
    for (std::int64_t q = from; q < to; q += tiles_.columns)
      tiles_.pack_columns(u.deep, std::min(tiles_.columns, d_.n - q), u.b + q * d_.b_n, d_.b_k, d_.b_n,
                          left + left_ + q * height);
  }

  void tile(const Phase& p, std::int64_t number, std::int64_t task, std::int64_t block) const {
    const Unit u = unit(p, number, block);
    const char *const left = left_of(p.from, number), *const right = left + left_;
    const std::int64_t row = task / column_tiles_ * cut_.rows, column = task % column_tiles_ * cut_.columns,
                       rows = std::min(cut_.rows, d_.m - row), last = std::min(d_.n, column + cut_.columns),
                       height = tiles_.packed(u.deep);
    if (u.adds && u.deep == 0) return;
    const Sums sums = u.adds ? Sums::added : cut_.slices == 1 ? first_sums() : Sums::plain;
    for (std::int64_t q = column; q < last; q += tiles_.columns) {
      NextLines next;
      if (q + tiles_.columns < last) {
        const std::int64_t line = tiles_.columns * tiles_.bytes;
        next = {right + (q + tiles_.columns) * height, line, line / kLine, height / tiles_.bytes};
      }
      tiles_.multiply(
          {u.deep, left + row * height, right + q * height, u.c + row * u.c_row + q, u.c_row, rows,
           std::min(tiles_.columns, last - q), sums, u.rounded ? u.rounded + row * d_.c_m + q : nullptr, d_.c_m},
          next);
    }
  }

  std::int64_t rows_added() const { return std::max<std::int64_t>(1, kAddedElements / d_.n); }
  // The sums of slices, one after the other.
  void add(const Phase& p, std::int64_t task) const {
    const std::int64_t each = parts(d_.m, rows_added()), batch = task / each, row = task % each * rows_added();
    const Sum* const sums = p.sums + batch * cut_.slices * d_.m * d_.n;
    Result* const c = operands(p, p.first + batch).c;
    for (std::int64_t i = row; i < std::min(d_.m, row + rows_added()); ++i)
      for (std::int64_t j = 0; j < d_.n; ++j) {
        Sum sum = d_.plus_zero ? Sum(0) : sums[i * d_.n + j];
        for (std::int64_t s = d_.plus_zero ? 0 : 1; s < cut_.slices; ++s) sum += sums[(s * d_.m + i) * d_.n + j];
        c[i * d_.c_m + j] = static_cast<Result>(sum);
      }
  }

  compile::Dot d_;
  std::int64_t batches_;
  const Tiles<T>& tiles_;
  ProductCut cut_;
  std::int64_t row_tiles_, column_tiles_;
  std::int64_t left_ = 0, right_ = 0;  // bytes of the packed operands of a unit
  bool keeps_sums_ = false;            // elsewhere than in the result
  std::int64_t together_ = 1;          // batch elements in one phase
};

}  // namespace

std::unique_ptr<run::Work> shared_product(const compile::Dot& d) {
  if (d.mask || d.panel || d.adds || !is_large_product(d.m, d.n, d.k)) return nullptr;
  if (d.dtype == float32 && d.result == float32) return std::make_unique<SharedProduct<float, false>>(d);
  if (d.dtype == float64 && d.result == float64) return std::make_unique<SharedProduct<double, false>>(d);
  if (d.dtype == bfloat16 && d.result == bfloat16) return std::make_unique<SharedProduct<BFloat16, true>>(d);
  if (d.dtype == bfloat16 && d.result == float32) return std::make_unique<SharedProduct<BFloat16, false>>(d);
  if (d.dtype == float16 && d.result == float16) return std::make_unique<SharedProduct<Float16, true>>(d);
  if (d.dtype == float16 && d.result == float32) return std::make_unique<SharedProduct<Float16, false>>(d);
  return nullptr;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
