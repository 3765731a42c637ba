// Sums of squared deviations from a mean over the same rows, of an array that fits no cache, read it twice: for the
// mean and for the squares. Instead both are taken of a block of rows while it is in a cache, the squares of deviations
// from the block's own mean; those of the means follow (Chan, Golub, LeVeque: Updating formulae for computing sample
// variances).
#include <algorithm>
#include <map>
#include <optional>

#include "compile/fuse.hpp"
#include "compile/live.hpp"
#include "compile/passes.hpp"
#include "ir/index.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/moments.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFitsNoCache = std::int64_t{16} << 20,
                       kBlockBytes = std::int64_t{1} << 20;  // bytes: an array, a block
constexpr std::int64_t kFewestOfBlock = 8, kMostOfBlock = 64, kWideEnough = 16, kMostOfLine = 1 << 16,
                       kFewestBlocks = 8;

bool is_sum_of_rows(const Eqn& e) { return e.op->reduce == Op::Reduce::sum; }
const std::vector<int>& summed_axes(const Eqn& e) { return e.params.get<ops::Reduction>().axes; }

// The first dims of a large array of floats are added up.
bool sums_large(const Program& p, const Eqn& e) {
  if (!is_sum_of_rows(e) || e.operands[0].is_literal()) return false;
  const Type& t = p.type(e.operands[0]);
  if ((t.dtype != float32 && t.dtype != float64) || t.nbytes() < kFitsNoCache) return false;
  const std::vector<int>& axes = summed_axes(e);
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k] != static_cast<int>(k)) return false;
  return true;
}

class Deviations {
 public:
  explicit Deviations(const Program& p) : p_(p), f_(read_values(p)), index_(p), out_(p) { out_.eqns.clear(); }

  Program run() {
    for (const Eqn& e : p_.eqns)
      if (const std::optional<Found> found = find(e)) {
        found_.emplace(e.results[0], *found);
        sums_.emplace(found->sum, Blocks{found->rows, {}, {}});
      }
    if (found_.empty()) return p_;
    for (const Eqn& e : p_.eqns) {
      const auto sum = is_sum_of_rows(e) ? sums_.find(e.results[0]) : sums_.end();
      const auto squares = is_sum_of_rows(e) ? found_.find(e.results[0]) : found_.end();
      if (sum != sums_.end())
        add_blocks(e, sum->second);
      else if (squares != found_.end())
        add_squares(e, squares->second);
      else
        out_.eqns.push_back(e);
    }
    return live(out_);
  }

 private:
  struct Found {
    ValueId sum, mean;
    std::int64_t rows;  // of a block
  };
  struct Blocks {
    std::int64_t rows;
    Atom sums, squares;  // of each block
  };

  const Eqn* maker(const Atom& a) const {
    const int e = a.is_literal() ? -1 : index_.producer(a.id);
    return e < 0 ? nullptr : &p_.eqns[e];
  }
  bool has_memory(const Atom& a) const {
    const int e = index_.producer(a.id);
    return e < 0 || f_.roles[e] == Role::dot || f_.roles[e] == Role::call;
  }

  // What `e` adds up, where that are squares of deviations from the mean over the dims that it adds up.
  std::optional<Found> find(const Eqn& e) const {
    if (!sums_large(p_, e)) return std::nullopt;
    const Eqn* square = maker(e.operands[0]);
    const std::optional<Atom> root = square ? ops::squared(*square) : std::nullopt;
    const Eqn* off = root ? maker(*root) : nullptr;
    const auto apart = off ? ops::difference(*off) : std::nullopt;
    if (!apart || apart->first.is_literal() || apart->second.is_literal() || !has_memory(apart->first))
      return std::nullopt;
    const Shape& shape = p_.type(*root).shape;
    const std::size_t reduced = summed_axes(e).size();
    const Reading mean = f_.read(apart->second);
    const Eqn* divided = mean.index ? nullptr : maker(mean.base);
    const auto parts = divided ? ops::quotient(*divided) : std::nullopt;
    if (!parts || !reads_per_column(mean.view, shape.dims(), reduced)) return std::nullopt;
    std::int64_t n = 1;
    for (std::size_t d = 0; d < reduced; ++d) n *= shape[static_cast<int>(d)];
    const DType dtype = p_.type(e.results[0]).dtype;
    if (parts->first.is_literal() || !parts->second.is_literal() ||
        !(parts->second.literal.to(dtype) == Scalar(n).to(dtype)))
      return std::nullopt;
    const Reading total = f_.read(parts->first);
    const Eqn* sum = total.index ? nullptr : maker(total.base);
    if (!sum || !is_sum_of_rows(*sum) || !(sum->operands[0] == apart->first) || summed_axes(*sum) != summed_axes(e) ||
        !is_dense(total.view, p_.type(parts->first).shape.dims()))
      return std::nullopt;
    const std::int64_t rows = rows_of_block(n, shape.num_elements() / n, dtype.size());
    if (rows == 0) return std::nullopt;
    return Found{sum->results[0], mean.base.id, rows};
  }
  // Whether a view has one element for each column, in order, and none for the first `reduced` dims.
  static bool reads_per_column(const View& view, const Extents& extents, std::size_t reduced) {
    Extents kept = extents;
    std::fill_n(kept.begin(), reduced, 1);
    const Extents wanted = row_major(kept);
    bool same = view.offset == 0;
    for (std::size_t d = 0; d < extents.size(); ++d)
      same &= extents[d] == 1 || view.strides[d] == (d < reduced ? 0 : wanted[d]);
    return same;
  }
  // A divisor of n; 0: there is none that suits a cache.
  static std::int64_t rows_of_block(std::int64_t n, std::int64_t columns, std::int64_t size) {
    if (columns > 1 && columns < kWideEnough) return 0;
    const std::int64_t most = columns == 1 ? kMostOfLine : std::min(kMostOfBlock, kBlockBytes / (columns * size));
    for (std::int64_t rows = std::min(most, n / kFewestBlocks); rows >= kFewestOfBlock; --rows)
      if (n % rows == 0) return rows;
    return 0;
  }

  Atom added(const Eqn& like, const Op& op, Params params, std::vector<Atom> operands, DType dtype, Shape shape) {
    out_.types.push_back(ops::type(dtype, std::move(shape)));
    const auto v = static_cast<ValueId>(out_.types.size()) - 1;
    out_.eqns.push_back({&op, std::move(params), std::move(operands), {v}, {}, like.loc});
    return v;
  }
  Atom number(std::int64_t n, DType dtype) const { return Atom(Scalar(n).to(dtype), false); }

  // Sums, means and squares of blocks; then the sum `e` itself.
  void add_blocks(const Eqn& e, Blocks& b) {
    const Type kept = p_.types[e.results[0]];
    const DType dtype = kept.dtype;
    const std::int64_t blocks = p_.type(e.operands[0]).num_elements() / kept.num_elements() / b.rows;
    Shape of_blocks{blocks}, all{blocks, b.rows};
    lax::Dims dims{0};
    for (int d = 0; d < kept.ndim(); ++d) {
      of_blocks.push_back(kept.shape[d]);
      all.push_back(kept.shape[d]);
      dims.push_back(2 + d);
    }
    const Atom x = added(e, ops::reshape, ops::Reshape{all}, {e.operands[0]}, dtype, all);
    b.sums = added(e, ops::reduce_sum, ops::Reduction{{1}}, {x}, dtype, of_blocks);
    const Atom means = added(e, ops::div, {}, {b.sums, number(b.rows, dtype)}, dtype, of_blocks);
    const Atom mean = added(e, ops::broadcast_in_dim, ops::BroadcastInDim{all, dims}, {means}, dtype, all);
    const Atom off = added(e, ops::sub, {}, {x, mean}, dtype, all);
    const Atom square = added(e, ops::mul, {}, {off, off}, dtype, all);
    b.squares = added(e, ops::reduce_sum, ops::Reduction{{1}}, {square}, dtype, of_blocks);
    out_.eqns.push_back({e.op, ops::Reduction{{0}}, {b.sums}, e.results, {}, e.loc});
  }

  // The squares of all blocks, and for each row those of its block's mean. Where both means are infinite all squares
  // of the block are.
  void add_squares(const Eqn& e, const Found& found) {
    const Blocks& b = sums_.at(found.sum);
    const Type kept = p_.types[e.results[0]];
    const DType dtype = kept.dtype;
    const Shape of_blocks = out_.type(b.sums).shape;
    lax::Dims dims;
    for (int d = 0; d < kept.ndim(); ++d) dims.push_back(1 + d);
    const Atom once = added(e, ops::reshape, ops::Reshape{kept.shape}, {Atom(found.mean)}, dtype, kept.shape);
    const Atom mean = added(e, ops::broadcast_in_dim, ops::BroadcastInDim{of_blocks, dims}, {once}, dtype, of_blocks);
    const Atom zero =
        added(e, ops::broadcast_in_dim, ops::BroadcastInDim{of_blocks, {}}, {number(0, dtype)}, dtype, of_blocks);
    // Again: the squares of blocks do not wait for a loop that needs the mean of all.
    const Atom means = added(e, ops::div, {}, {b.sums, number(b.rows, dtype)}, dtype, of_blocks);
    const Atom same = added(e, ops::eq, {}, {means, mean}, bool_, of_blocks);
    const Atom apart = added(e, ops::sub, {}, {means, mean}, dtype, of_blocks);
    const Atom off = added(e, ops::select, {}, {same, zero, apart}, dtype, of_blocks);
    const Atom square = added(e, ops::mul, {}, {off, off}, dtype, of_blocks);
    const Atom of_means = added(e, ops::reduce_sum, ops::Reduction{{0}}, {square}, dtype, kept.shape);
    const Atom within = added(e, ops::reduce_sum, ops::Reduction{{0}}, {b.squares}, dtype, kept.shape);
    const Atom between = added(e, ops::mul, {}, {of_means, number(b.rows, dtype)}, dtype, kept.shape);
    out_.eqns.push_back({&static_cast<const Op&>(ops::add), {}, {within, between}, e.results, {}, e.loc});
  }

  const Program& p_;
  const Fusion f_;
  const ProgramIndex index_;
  Program out_;
  std::map<ValueId, Found> found_;  // by the sum of squares
  std::map<ValueId, Blocks> sums_;  // by the sum of the array itself
};

}  // namespace

Program deviations_by_blocks(Program program) {
  const bool any =
      std::any_of(program.eqns.begin(), program.eqns.end(), [&](const Eqn& e) { return sums_large(program, e); });
  if (any) return Deviations(program).run();
  return program;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
