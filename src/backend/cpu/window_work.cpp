#include "backend/cpu/window_work.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "backend/cpu/run_places.hpp"
#include "backend/cpu/scatter_runs.hpp"
#include "backend/cpu/window_moves.hpp"
#include "array/buffer.hpp"
#include "base/stream.hpp"
#include "base/tasks.hpp"
#include "lane/side_by_side.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/movement/strided_read.hpp"

namespace tutti::cpu {
namespace {

using ops::Dims;

constexpr std::int64_t kRunsAhead = 16;  // runs that are asked for before they are read
constexpr double kTaskNs = 50e3;
constexpr std::int64_t kTasks = 128;

lax::GatherDims as_gather(const lax::ScatterDims& d) {
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

constexpr std::int64_t kSome = 16;  // elements that may lie side by side

// Single elements of `E`; a place below 0 is filled.
template <class E>
void read_elements(const char* array, const std::int64_t* places, std::int64_t n, const char* fill, char* result) {
  E outside;
  std::memcpy(&outside, fill, sizeof(E));
  const E* from = reinterpret_cast<const E*>(array);
  E* to = reinterpret_cast<E*>(result);
  auto one = [&](std::int64_t i) __attribute__((always_inline)) {
    const bool inside = places[i] >= 0;
    const E value = from[inside ? places[i] : 0];
    to[i] = inside ? value : outside;
  };
  lane::with_widest([&]() __attribute__((always_inline)) {
    std::int64_t i = 0;
    for (; i + kSome <= n; i += kSome)
      if (places[i] >= 0 && counts<kSome>(places + i))
        std::memcpy(to + i, from + places[i], kSome * sizeof(E));
      else
        for (std::int64_t k = i; k < i + kSome; ++k) one(k);
    for (; i < n; ++i) one(i);
  });
}

RunPlaces places_of_gather(const compile::CallEqn& c) {
  const auto& p = c.eqn.params.get<ops::Gather>();
  return {p.dims, p.mode, p.sizes, c.operand_types[0].shape, c.operand_types[1], c.result_types[0].shape};
}

class GatherWork final : public run::Work {
 public:
  explicit GatherWork(const compile::CallEqn& c)
      : from_(c.operands[0]),
        indices_(c.operands[1]),
        to_(c.results[0]),
        size_(c.operand_types[0].dtype.size()),
        places_(places_of_gather(c)) {
    const std::int64_t bytes = c.result_types[0].nbytes();
    cost_ns = 3.0 * static_cast<double>(places_.count()) + 0.1 * static_cast<double>(bytes);
    tasks = static_cast<int>(std::clamp(static_cast<std::int64_t>(cost_ns / kTaskNs), std::int64_t{1}, kTasks));
    streams_ = bytes >= kPastCache && places_.length() * size_ % 64 == 0;
    const std::vector<char> filled = fill_element(c);
    for (std::int64_t i = 0; i < places_.length(); ++i) fill_.insert(fill_.end(), filled.begin(), filled.end());
  }

  void run(char* const* at, int task) const override {
    const std::int64_t begin = places_.count() * task / tasks, end = places_.count() * (task + 1) / tasks;
    const std::int64_t bytes = places_.length() * size_;
    if (read_numbered(at, begin, end)) return;
    std::int64_t places[RunPlaces::kAtOnce + kRunsAhead];
    for (std::int64_t first = begin; first < end; first += RunPlaces::kAtOnce) {
      const std::int64_t n = std::min(RunPlaces::kAtOnce, end - first), known = std::min(n + kRunsAhead, end - first);
      places_.find(at[indices_], first, first + known, places);
      read(at[from_], places, n, known, bytes, at[to_] + first * bytes);
    }
  }

 private:
  // Single elements whose places are the indices themselves.
  bool read_numbered(char* const* at, std::int64_t begin, std::int64_t end) const {
    const std::int64_t n = places_.numbered();
    if (n == 0 || (size_ != 4 && size_ != 8)) return false;
    const auto* indices = reinterpret_cast<const std::int32_t*>(at[indices_]);
    const bool clips = !places_.fills();
    auto read = [&]<class E>(E outside) {
      const E* from = reinterpret_cast<const E*>(at[from_]);
      E* to = reinterpret_cast<E*>(at[to_]);
      std::memcpy(&outside, fill_.data(), sizeof(E));
      const auto last = static_cast<std::int32_t>(n - 1);
      auto one = [&](std::int64_t i) __attribute__((always_inline)) {
        const std::int32_t inside = std::clamp(indices[i], 0, last);
        const E value = from[inside];
        to[i] = clips || inside == indices[i] ? value : outside;
      };
      lane::with_widest([&]() __attribute__((always_inline)) {
        std::int64_t i = begin;
        for (; i + kSome <= end; i += kSome)
          if (indices[i] >= 0 && indices[i] <= n - kSome && counts<kSome>(indices + i))
            std::memcpy(to + i, from + indices[i], kSome * sizeof(E));
          else
            for (std::int64_t k = i; k < i + kSome; ++k) one(k);
        for (; i < end; ++i) one(i);
      });
    };
    size_ == 4 ? read(std::uint32_t{}) : read(std::uint64_t{});
    return true;
  }
  // `known`: places that there are, of which those behind n are only asked for.
  void read(const char* from, const std::int64_t* places, std::int64_t n, std::int64_t known, std::int64_t bytes,
            char* to) const {
    if (places_.length() == 1) switch (size_) {
        case 1: return read_elements<std::uint8_t>(from, places, n, fill_.data(), to);
        case 2: return read_elements<std::uint16_t>(from, places, n, fill_.data(), to);
        case 4: return read_elements<std::uint32_t>(from, places, n, fill_.data(), to);
        case 8: return read_elements<std::uint64_t>(from, places, n, fill_.data(), to);
        default: break;
      }
    const bool past = streams_ && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
    for (std::int64_t i = 0; i < n; ++i, to += bytes) {
      if (i + kRunsAhead < known && places[i + kRunsAhead] >= 0)
        for (std::int64_t line = 0; line < std::min<std::int64_t>(bytes, 512); line += 64)
          __builtin_prefetch(from + places[i + kRunsAhead] * size_ + line);
      const char* run = places[i] < 0 ? fill_.data() : from + places[i] * size_;
      if (past)
        stream_lines(run, bytes, to);
      else
        std::memcpy(to, run, static_cast<std::size_t>(bytes));
    }
    if (past) processor::finish_streams();
  }

  int from_, indices_, to_;
  std::int64_t size_;
  RunPlaces places_;
  bool streams_ = false;
  std::vector<char> fill_;
};

// The updates of a scatter, of whose runs each lies in one that a gather reads.
class GatheredUpdates {
 public:
  GatheredUpdates(const compile::CallEqn& c, std::int64_t length)
      : from_(c.operands[2]),
        indices_(c.operands[3]),
        places_(places_of_gather(*c.gather)),
        times_(places_.length() / length),
        length_(length) {
    const std::vector<char> filled = fill_element(*c.gather);
    for (std::int64_t i = 0; i < places_.length(); ++i) fill_.insert(fill_.end(), filled.begin(), filled.end());
  }
  static bool takes(const compile::CallEqn& c, std::int64_t length) {
    return length > 1 && places_of_gather(*c.gather).length() % length == 0;
  }
  /// `places`: of all runs.
  ScatterUpdates find(char* const* at, std::int64_t* places) const {
    in_pieces(places_.count(), 3, [&](std::int64_t begin, std::int64_t end) {
      places_.find(at[indices_], begin, end, places + begin * times_);
      for (std::int64_t i = end; times_ > 1 && i-- > begin;) {
        const std::int64_t place = places[begin * times_ + (i - begin)];
        for (std::int64_t k = times_; k-- > 0;) places[i * times_ + k] = place < 0 ? place : place + k * length_;
      }
    });
    return {at[from_], places, fill_.data()};
  }

 private:
  int from_, indices_;
  RunPlaces places_;
  std::int64_t times_, length_;  // runs of the scatter in one of the gather's; of those
  std::vector<char> fill_;
};

class ScatterWork final : public run::Work {
 public:
  explicit ScatterWork(const compile::CallEqn& c)
      : operand_(c.operands[0]),
        indices_(c.operands[1]),
        updates_(c.operands[2]),
        to_(c.results[0]),
        type_(c.result_types[0]),
        kind_(ops::scatter_kind(*c.eqn.op)),
        is_one_(c.spread),
        places_(as_gather(c.eqn.params.get<ops::Scatter>().dims), c.eqn.params.get<ops::Scatter>().mode, sizes_of(c),
                type_.shape, c.operand_types[1], c.operand_types[2].shape) {
    cost_ns = 5.0 * static_cast<double>(places_.count()) +
              0.1 * static_cast<double>(type_.nbytes() + c.operand_types[2].nbytes());
    if (!c.gather) return;
    if (GatheredUpdates::takes(c, places_.length())) {
      gathered_.emplace(c, places_.length());
    } else {
      compile::CallEqn alone = *c.gather;
      alone.operands = {0, 1};
      alone.results = {2};
      read_ = std::make_unique<GatherWork>(alone);
      read_bytes_ = alone.result_types[0].nbytes();
      read_indices_ = c.operands[3];
    }
  }

  // One task: where windows meet, the order of the updates counts. Places are shared out inside it.
  void run(char* const* at, int) const override {
    ScatterUpdates updates{.data = at[updates_]};
    BufferPtr here;
    if (gathered_) {
      here = allocate_buffer(static_cast<std::size_t>(places_.count()) * sizeof(std::int64_t));
      updates = gathered_->find(at, static_cast<std::int64_t*>(here->data()));
    } else if (read_) {
      here = allocate_buffer(static_cast<std::size_t>(read_bytes_));
      updates.data = here->data();
      char* const own[] = {at[updates_], at[read_indices_], static_cast<char*>(here->data())};
      in_pieces(read_->tasks, kTaskNs, [&](std::int64_t begin, std::int64_t end) {
        for (; begin < end; ++begin) read_->run(own, static_cast<int>(begin));
      });
    }
    const ScatterStart start{at[operand_], is_one_};
    scatter_runs(kind_, type_.dtype, places_, at[indices_], updates, start, type_.num_elements(), at[to_]);
  }

 private:
  // The extents of one window, from the updates.
  static Shape sizes_of(const compile::CallEqn& c) {
    const ops::WindowDims w(as_gather(c.eqn.params.get<ops::Scatter>().dims), c.operand_types[0].ndim(),
                            c.operand_types[2].ndim());
    Shape sizes(Dims(c.operand_types[0].shape.size(), 1));
    for (std::size_t i = 0; i < w.window.size(); ++i) sizes[w.operand[i]] = c.operand_types[2].shape[w.window[i]];
    return sizes;
  }

  int operand_, indices_, updates_, to_;
  Type type_;
  lax::ScatterKind kind_;
  bool is_one_;
  RunPlaces places_;
  std::optional<GatheredUpdates> gathered_;
  // Of a gather whose runs are others: it writes them here.
  std::unique_ptr<GatherWork> read_;
  std::int64_t read_bytes_ = 0;
  int read_indices_ = -1;
};

// Rows of places that are known.
class StridedAddWork final : public run::Work {
 public:
  explicit StridedAddWork(const compile::CallEqn& c)
      : operand_(c.operands[0]),
        updates_(c.operands[1]),
        to_(c.results[0]),
        type_(c.result_types[0]),
        stretches_(stretches_of(c), type_.num_elements()) {
    cost_ns = 0.1 * static_cast<double>(type_.nbytes() + c.operand_types[1].nbytes());
  }

  void run(char* const* at, int) const override {
    add_stretches(type_.dtype, stretches_, at[updates_], {at[operand_], false}, type_.num_elements(), at[to_]);
  }

  static bool takes(const compile::CallEqn& c) {
    const auto& p = c.eqn.params.get<ops::StridedAdd>();
    return !p.strides.empty() && p.strides.back() == 1 && c.operand_types[1].num_elements() > 0;
  }

 private:
  static std::vector<Stretches::Stretch> stretches_of(const compile::CallEqn& c) {
    const auto& p = c.eqn.params.get<ops::StridedAdd>();
    std::vector<Stretches::Stretch> out;
    Shape rows = c.operand_types[1].shape;
    const std::int64_t row = std::exchange(rows[rows.ndim() - 1], 1);
    ops::for_each_index(rows, [&](const Dims& index, std::int64_t flat) {
      std::int64_t place = p.offset;
      for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * p.strides[d];
      out.push_back({place, flat * row, row});
    });
    return out;
  }

  int operand_, updates_, to_;
  Type type_;
  Stretches stretches_;
};

// One box, whose place is a start for each dim.
class BoxWork final : public run::Work {
 public:
  BoxWork(const compile::CallEqn& c, WindowMoves moves)
      : m_(std::move(moves)), operands_(c.operands), to_(c.results[0]), size_(m_.array.dtype.size()), runs_(m_.runs()) {
    const double bytes = static_cast<double>(runs_ * m_.length * size_);
    cost_ns = 3.0 * static_cast<double>(runs_) + 0.1 * bytes;
    if (m_.kind == WindowMoves::Kind::read)
      tasks = static_cast<int>(
          std::clamp<double>(cost_ns / kTaskNs, 1, static_cast<double>(std::min<std::int64_t>(runs_, kTasks))));
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
  if (c.eqn.op == &static_cast<const Op&>(ops::strided_add) && StridedAddWork::takes(c))
    return std::make_unique<StridedAddWork>(c);
  if (c.eqn.op->window == Op::Window::none) return nullptr;
  if (c.eqn.op->window == Op::Window::read_box || c.eqn.op->window == Op::Window::write_box) {
    std::optional<WindowMoves> moves = window_moves(c);
    return moves ? std::make_unique<BoxWork>(c, std::move(*moves)) : nullptr;
  }
  if (c.eqn.op->window != Op::Window::read) {
    if (c.spread || c.result_types[0].num_elements() > 0) return std::make_unique<ScatterWork>(c);
    return nullptr;
  }
  for (const Type& t : c.operand_types)
    if (t.num_elements() == 0) return nullptr;
  if (c.result_types[0].num_elements() == 0) return nullptr;
  return std::make_unique<GatherWork>(c);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
