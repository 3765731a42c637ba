#include "partition/diagonals.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/index.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

// `n` elements of a matrix from (row, column) on, one row and one column further each time.
struct Diagonal {
  std::int64_t n, row, column;
};

// Of a matrix whose rows stand one behind the other: `n` elements from `start` on, `stride` apart.
std::optional<Diagonal> diagonal(const Shape& matrix, std::int64_t start, std::int64_t n, std::int64_t stride) {
  const std::int64_t rows = matrix[matrix.ndim() - 2], columns = matrix.back();
  if (n < 2 || stride != columns + 1) return std::nullopt;
  const Diagonal out{n, start / columns, start % columns};
  return out.row + n <= rows && out.column + n <= columns ? std::optional(out) : std::nullopt;
}

// Whether the last two dims of `matrix` are the last one of `flat`.
bool is_flat(const Shape& flat, const Shape& matrix) {
  const int batch = matrix.ndim() - 2;
  return batch >= 0 && flat.ndim() == batch + 1 && flat.back() == matrix[batch] * matrix[batch + 1] &&
         std::equal(flat.begin(), flat.end() - 1, matrix.begin());
}

bool has_diagonals(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    if (e.op == &ops::slice && e.params.get<ops::SliceParams>().strides.size() > 0 &&
        e.params.get<ops::SliceParams>().strides.back() > 2)
      return true;
    if (e.op == &ops::pad && !e.params.get<ops::Pad>().config.empty() &&
        e.params.get<ops::Pad>().config.back().interior > 1)
      return true;
    return std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return has_diagonals(*s); });
  });
}

class Diagonals : Rewriting {
 public:
  explicit Diagonals(const ShardedProgram& sharded) : Rewriting(sharded), index_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_diagonals);
      if (read(e) || written(e))
        changed_ = true;
      else
        push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  const Eqn* maker(const Atom& a, const Home& op) const {
    const int i = a.is_literal() ? -1 : index_.producer(a.id);
    return i >= 0 && p_.eqns[static_cast<std::size_t>(i)].op == &op ? &p_.eqns[static_cast<std::size_t>(i)] : nullptr;
  }
  bool is_cut(ValueId v, int dim) const { return in_.layouts[static_cast<std::size_t>(v)].ways(dim) > 1; }

  // A slice of a reshape: of each row that counts (each column, where columns are cut) the element on the diagonal.
  bool read(const Eqn& e) {
    const Eqn* flat = e.op == &ops::slice ? maker(e.operands[0], ops::reshape) : nullptr;
    if (!flat || flat->operands[0].is_literal()) return false;
    const ValueId x = flat->operands[0].id;
    const Shape &matrix = p_.types[x].shape, &result = p_.types[e.results[0]].shape;
    if (!is_flat(p_.types[flat->results[0]].shape, matrix)) return false;
    const auto& p = e.params.get<ops::SliceParams>();
    const int batch = matrix.ndim() - 2;
    for (int d = 0; d < batch; ++d)
      if (result[d] != matrix[d]) return false;
    const std::optional<Diagonal> found = diagonal(matrix, p.start.back(), result.back(), p.strides.back());
    const int by = is_cut(x, batch) ? batch : batch + 1, along = 2 * batch + 1 - by;
    if (!found || !is_cut(x, by)) return false;
    const std::int64_t first = by == batch ? found->row : found->column;
    const Atom rows = part(x, by, first, found->n, e.loc);
    ops::Gather take{{{}, {along}, {along}, {}, {}}, Shape(lax::Dims(matrix.size(), 1)), lax::GatherMode::clip};
    for (int d = 0; d <= batch; ++d) {
      take.dims.operand_batching_dims.push_back(d < batch ? d : by);
      take.dims.start_indices_batching_dims.push_back(d);
    }
    Shape places = result;
    places.push_back(1);
    const std::int64_t start = by == batch ? found->column : found->row;
    make(ops::gather, take, {rows, counted(places, batch, start, e.loc)}, e.loc, e.results[0]);
    return true;
  }

  // A reshape of a padded vector: numbers where row and column agree.
  bool written(const Eqn& e) {
    const Eqn* pad = e.op == &ops::reshape ? maker(e.operands[0], ops::pad) : nullptr;
    if (!pad || pad->operands[0].is_literal() || p_.types[e.results[0]].dtype.is_key()) return false;
    const Shape &matrix = p_.types[e.results[0]].shape, &given = p_.types[pad->operands[0].id].shape;
    const int batch = matrix.ndim() - 2;
    if (!is_flat(p_.types[pad->results[0]].shape, matrix)) return false;
    const auto& config = pad->params.get<ops::Pad>().config;
    for (int d = 0; d < batch; ++d)
      if (config[d].low != 0 || config[d].high != 0 || config[d].interior != 0) return false;
    if (config.back().low < 0 || config.back().high < 0) return false;
    const auto found = diagonal(matrix, config.back().low, given.back(), config.back().interior + 1);
    if (!found || (!is_cut(e.results[0], batch) && !is_cut(e.results[0], batch + 1))) return false;
    const Atom value = pad->operands[1];
    Atom rows = pad->operands[0];
    if (const std::int64_t after = matrix[batch] - found->row - found->n; found->row > 0 || after > 0) {
      ops::Pad around{std::vector<lax::PadDim>(given.size())};
      around.config.back() = {found->row, after, 0};
      rows = make(ops::pad, around, {rows, value}, e.loc);
    }
    lax::Dims dims(static_cast<std::size_t>(batch + 1));
    std::iota(dims.begin(), dims.end(), 0);
    const Atom spread = make(ops::broadcast_in_dim, ops::BroadcastInDim{matrix, dims}, {rows}, e.loc);
    const Atom none = make(ops::broadcast_in_dim, ops::BroadcastInDim{matrix, {}}, {value}, e.loc);
    const Atom row = counted(matrix, batch, found->column - found->row, e.loc);
    const Atom on = make(ops::eq, {}, {row, counted(matrix, batch + 1, 0, e.loc)}, e.loc);
    make(ops::select, {}, {on, spread, none}, e.loc, e.results[0]);
    return true;
  }

  // Numbers from `first` on along a dim.
  Atom counted(const Shape& shape, int dim, std::int64_t first, Loc loc) {
    const Atom out = make(ops::iota, ops::Iota{int32, shape, dim}, {}, loc);
    return first == 0 ? out : make(ops::add, {}, {out, Atom(Scalar(first).to(int32), false)}, loc);
  }
  Atom part(const Atom& x, int dim, std::int64_t first, std::int64_t n, Loc loc) {
    const Shape& shape = type(x).shape;
    if (n == shape[dim]) return x;
    ops::SliceParams p{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
    p.start[static_cast<std::size_t>(dim)] = first;
    p.limit[static_cast<std::size_t>(dim)] = first + n;
    return make(ops::slice, p, {x}, loc);
  }

  const ProgramIndex index_;
};

}  // namespace

ShardedProgram with_diagonals(const ShardedProgram& sharded) {
  return has_diagonals(*sharded.program) ? Diagonals(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
