#include "partition/known_rows.hpp"

#include <optional>

#include "array/known_values.hpp"
#include "ir/op.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/slice.hpp"
#include "partition/picks_first.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

// Of numbers that are worked out, and of runs of rows one behind the other.
constexpr std::int64_t most_numbers = 1 << 20;
constexpr std::size_t most_runs = 8;

struct Run {
  std::int64_t from, length;
};

class KnownRows : Rewriting {
 public:
  explicit KnownRows(const ShardedProgram& sharded) : Rewriting(sharded), known_(p_, most_numbers) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_known_rows);
      const std::optional<int> dim = rows_of(e);
      const std::vector<Run> runs = dim ? runs_of(e, *dim) : std::vector<Run>{};
      changed_ = changed_ || !runs.empty();
      if (runs.empty())
        push(std::move(e), std::move(bodies));
      else
        put_together(e, *dim, runs);
    }
    return done();
  }

 private:
  // The dim of which the Eqn reads rows into the same dim of its result.
  std::optional<int> rows_of(const Eqn& e) const {
    if (e.op->window != Op::Window::read || e.operands[0].is_literal() || e.operands[1].is_literal())
      return std::nullopt;
    const auto& gather = e.params.get<ops::Gather>();
    const Shape &from = p_.types[e.operands[0].id].shape, &to = p_.types[e.results[0]].shape;
    if (gather.dims.start_index_map.size() != 1 || gather.dims.collapsed_slice_dims != gather.dims.start_index_map ||
        !gather.dims.operand_batching_dims.empty() || from.ndim() != to.ndim() || to.num_elements() == 0)
      return std::nullopt;
    const auto d = static_cast<int>(gather.dims.start_index_map[0]);
    for (int k = 0; k < from.ndim(); ++k)
      if (k != d && gather.sizes[k] != from[k]) return std::nullopt;
    for (int k = 0, window = 0; k < to.ndim(); ++k)
      if (k != d && gather.dims.offset_dims[window++] != k) return std::nullopt;
    return d;
  }

  std::vector<Run> runs_of(const Eqn& e, int dim) {
    const ValueId numbers = e.operands[1].id;
    const Type& type = p_.types[numbers];
    if (type.num_elements() > most_numbers || !type.dtype.is_integer() || !known_.knows(numbers)) return {};
    const std::int64_t rows = p_.types[e.operands[0].id].shape[dim];
    std::vector<Run> out;
    for (const std::int64_t at : known_.integers(numbers)) {
      if (at < 0 || at >= rows) return {};
      if (!out.empty() && out.back().from + out.back().length == at)
        ++out.back().length;
      else
        out.push_back({at, 1});
      if (out.size() > most_runs) return {};
    }
    return out;
  }

  void put_together(const Eqn& e, int dim, const std::vector<Run>& runs) {
    const Type source = types_[e.operands[0].id];
    std::vector<Atom> pieces;
    for (const Run& run : runs) {
      if (run.length == source.shape[dim]) {
        pieces.push_back(e.operands[0]);
        continue;
      }
      ops::SliceParams cut{lax::Dims(source.shape.size(), 0), source.shape.dims(), lax::Dims(source.shape.size(), 1)};
      cut.start[dim] = run.from;
      cut.limit[dim] = run.from + run.length;
      pieces.push_back(make(ops::slice, cut, {e.operands[0]}, e.loc));
    }
    make(ops::concatenate, ops::Concatenate{dim}, pieces, e.loc, e.results[0]);
  }

  KnownValues known_;
};

}  // namespace

ShardedProgram with_known_rows(const ShardedProgram& sharded) {
  return reads_windows(*sharded.program) ? KnownRows(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
