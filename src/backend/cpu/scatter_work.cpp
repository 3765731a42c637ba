// Scatters, run by run; their updates as they lie in memory, or where a gather would read them.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cpu/run_places.hpp"
#include "backend/cpu/scatter_runs.hpp"
#include "backend/cpu/window_moves.hpp"
#include "backend/cpu/window_work.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/movement/strided_read.hpp"

namespace tutti::cpu {
namespace {

using ops::Dims;

lax::GatherDims as_gather(const lax::ScatterDims& d) {
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

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
      read_ = gather_work(alone);
      read_bytes_ = alone.result_types[0].nbytes();
      read_indices_ = c.operands[3];
    }
  }

  // One task: where windows meet, the order of the updates counts. Places are shared out inside it.
  void run(char* const* at, int) const override {
    ScatterUpdates updates{.data = at[updates_]};
    HostPtr here;
    if (gathered_) {
      here = allocate_buffer(static_cast<std::size_t>(places_.count()) * sizeof(std::int64_t));
      updates = gathered_->find(at, static_cast<std::int64_t*>(here->data()));
    } else if (read_) {
      here = allocate_buffer(static_cast<std::size_t>(read_bytes_));
      updates.data = here->data();
      char* const own[] = {at[updates_], at[read_indices_], static_cast<char*>(here->data())};
      in_pieces(read_->tasks, read_->cost_ns / read_->tasks, [&](std::int64_t begin, std::int64_t end) {
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
  std::unique_ptr<run::Work> read_;
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

}  // namespace

std::unique_ptr<run::Work> scatter_work(const compile::CallEqn& c) { return std::make_unique<ScatterWork>(c); }

std::unique_ptr<run::Work> strided_add_work(const compile::CallEqn& c) {
  return StridedAddWork::takes(c) ? std::make_unique<StridedAddWork>(c) : nullptr;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
