#include "partition/rows.hpp"

#include <algorithm>

#include "ir/across.hpp"
#include "partition/magnitudes.hpp"
#include "tutti/base/extent.hpp"

namespace tutti {
namespace {

using Kind = Factors::Kind;

bool reduces(Kind k) { return k == Kind::sum || k == Kind::max || k == Kind::min; }
Reduce reduce_of(Kind k) { return k == Kind::max ? Reduce::max : k == Kind::min ? Reduce::min : Reduce::sum; }

bool has_factor(const Factors::Dims& dims, int f) {
  return std::any_of(dims.begin(), dims.end(),
                     [&](const auto& list) { return std::find(list.begin(), list.end(), f) != list.end(); });
}

// Whether every number of `from` is one of `to`.
bool at_least_as_wide(DType to, DType from) {
  if (to == from) return true;
  if (from.is_integer()) return to.is_integer() && to.size() >= from.size();
  if (from == bfloat16 || from == float16) return to.is_inexact() && to.size() > from.size();
  return from == float32 && (to == float64 || to.is_complex());
}

// Whether blocks of a dim lie one behind the other: all equal, or padding at the very end. (Of 22 elements over 2 x 3
// devices there is some at the end of each half.)
bool in_line(std::int64_t n, const AxisRefs& axes, bool padded) {
  if (!padded || n % ways(axes) == 0) return n % ways(axes) == 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0 && n % axes[i].size != 0) return false;
    n = extent::ceil_div(n, axes[i].size);
  }
  return true;
}

// Whether there is arithmetic in the type.
bool has_sums(DType d) { return arithmetic_dtype(d) == d; }

std::vector<Type> operand_types(const Eqn& eqn, const Program& program) {
  std::vector<Type> out;
  for (const Atom& a : eqn.operands) out.push_back(program.type(a));
  return out;
}
std::vector<Type> result_types(const Eqn& eqn, const Program& program) {
  std::vector<Type> out;
  for (ValueId r : eqn.results) out.push_back(program.types[r]);
  return out;
}

// Numbers that count along a dim may be made anywhere.
Factors of_generator(const Type& result) {
  Factors out;
  out.results.emplace_back();
  for (int d = 0; d < result.ndim(); ++d) {
    out.factors.push_back({result.shape[d]});
    out.results[0].push_back({d});
  }
  return out;
}

}  // namespace

bool has_rows(const Eqn& e) {
  if (e.op->role == Role::generator) return true;
  return e.op->factors && e.subs.empty() && !e.op->collective && !e.op->effect;
}

// f(sum x) = sum f(x), the other operands being equal everywhere. Partial sums may be larger than their sum: nothing
// may round or enlarge them before they are added.
std::vector<std::vector<int>> usable_linear_sets(const Eqn& eqn, const Program& program,
                                                 const std::vector<Magnitude>& magnitudes) {
  std::vector<std::vector<int>> out;
  if (!has_rows(eqn) || eqn.op->linear.empty()) return out;
  const std::vector<Type> operands = operand_types(eqn, program), results = result_types(eqn, program);
  const Call call{*eqn.op, eqn.params, operands, eqn.subs};
  std::vector<Magnitude> of_operands;
  for (const Atom& a : eqn.operands) of_operands.push_back(magnitude_of(a, magnitudes));
  for (const std::vector<int>& set : eqn.op->linear_sets(operands.size())) {
    bool ok = !set.empty();
    for (int o : set) {
      const DType dtype = operands[o].dtype;
      ok = ok && (dtype.is_inexact() || dtype.is_integer()) && has_sums(dtype);
      for (const Type& t : results) ok = ok && at_least_as_wide(t.dtype, dtype) && has_sums(t.dtype);
    }
    if (ok && (!eqn.op->adds_up || eqn.op->adds_up(call, set, of_operands))) out.push_back(set);
  }
  return out;
}

RowTable::RowTable(const Eqn& eqn, const Program& program, std::vector<std::vector<int>> linear,
                   std::shared_ptr<const Prices> prices)
    : eqn_(&eqn),
      program_(&program),
      operands_(operand_types(eqn, program)),
      results_(result_types(eqn, program)),
      linear_(std::move(linear)),
      prices_(std::move(prices)) {
  if (eqn.op->role == Role::generator)
    rule_ = of_generator(results_[0]);
  else if (has_rows(eqn))
    rule_ = eqn.op->factors(Call{*eqn.op, eqn.params, operands_, eqn.subs}, results_);
  rule_.operands.resize(operands_.size());
  rule_.results.resize(results_.size());
}

RowTable::RowTable(Factors rule, std::vector<Type> operands, std::vector<Type> results,
                   std::vector<std::vector<int>> linear, std::shared_ptr<const Prices> prices)
    : rule_(std::move(rule)),
      operands_(std::move(operands)),
      results_(std::move(results)),
      linear_(std::move(linear)),
      prices_(std::move(prices)) {}

RowTable::RowTable(const RowTable& like, std::vector<Homes> operands, std::vector<Homes> results) : RowTable(like) {
  operand_homes_ = std::move(operands);
  result_homes_ = std::move(results);
  rows_.clear();
  factor_homes_.resize(rule_.factors.size());
  for (const Factors::Factor& f : rule_.factors)
    by_place_.push_back(f.kind == Kind::replicated || (eqn_ && eqn_->op->role == Role::generator));
  note_homes(rule_.operands, operand_homes_);
  note_homes(rule_.results, result_homes_);
}

// Of one factor any rows will do, unless it is the place in the dim that counts: of a factor behind another one, and of
// one before it that is too short for a home of its own.
void RowTable::note_homes(const std::vector<Factors::Dims>& dims, const std::vector<Homes>& homes) {
  for (std::size_t i = 0; i < homes.size() && i < dims.size(); ++i)
    for (std::size_t d = 0; d < homes[i].size() && d < dims[i].size(); ++d) {
      const std::vector<int>& factors = dims[i][d];
      if (factors.size() == 1) factor_homes_[factors[0]] = homes[i][d];
      if (factors.size() < 2) continue;
      for (std::size_t k = 1; k < factors.size(); ++k) by_place_[factors[k]] = 1;
      if (homes[i][d].empty() || rule_.factors[factors[0]].size % ways(homes[i][d]) != 0) by_place_[factors[0]] = 1;
    }
}

std::vector<int> RowTable::choices(const AxisRef& axis) const {
  std::vector<int> out;
  const Across* across = eqn_ ? eqn_->op->across.get() : nullptr;
  for (int f = 0; f < static_cast<int>(rule_.factors.size()); ++f) {
    const bool replicated = rule_.factors[f].kind == Kind::replicated;
    if (rule_.factors[f].size < axis.size || (replicated && !across)) continue;
    if (!replicated || across->run) out.push_back(f);
    if (replicated && dim_of(f) >= 0 && (across->dims || are_first(dim_of(f)))) out.push_back(on_first + f);
  }
  for (std::size_t s = 0; s < linear_.size(); ++s) out.push_back(on_linear - static_cast<int>(s));
  out.push_back(on_nothing);
  return out;
}

// Whether the result's elements are the first ones of the operand's dim.
bool RowTable::are_first(int dim) const {
  const Across& across = *eqn_->op->across;
  return across.first && across.first(Call{*eqn_->op, eqn_->params, operands_, eqn_->subs}, dim);
}

const Candidate* RowTable::row(const Assignment& assignment) {
  const Row& row = kept(assignment);
  return row.candidate ? &*row.candidate : nullptr;
}

// Order counts among axes on the same factor.
RowTable::Row& RowTable::kept(Assignment assignment) {
  auto on = [](int choice) { return choice < 0 ? choice : choice % on_first; };
  std::stable_sort(assignment.begin(), assignment.end(),
                   [&](const auto& a, const auto& b) { return on(a.second) < on(b.second); });
  auto [at, fresh] = rows_.try_emplace(std::move(assignment));
  if (fresh) at->second.candidate = made(at->first);
  return at->second;
}

const std::vector<int>& RowTable::ids(const Assignment& assignment, Planner& planner) {
  Row& kept = this->kept(assignment);
  const Candidate& c = *kept.candidate;
  if (kept.ids.empty()) {
    auto note = [&](const std::vector<Layout>& layouts, const std::vector<Type>& types,
                    const std::vector<Homes>& homes) {
      for (std::size_t i = 0; i < types.size(); ++i) {
        const Sizes sizes{types[i].shape, types[i].dtype.size(), homes.empty() ? std::vector<char>() : sets(homes[i])};
        kept.ids.push_back(planner.id(planner.valued(sizes), layouts[i]));
      }
    };
    note(c.operands, operands_, operand_homes_);
    note(c.results, results_, result_homes_);
  }
  return kept.ids;
}

// The dim of operand 0 that the factor is all of; -1: there is none.
int RowTable::dim_of(int factor) const {
  for (int d = 0; d < static_cast<int>(rule_.operands[0].size()); ++d)
    if (rule_.operands[0][d] == std::vector<int>{factor}) return d;
  return -1;
}

// Layout of one tensor; false where blocks of factors would not be blocks of the dim.
bool RowTable::build(const Factors::Dims& dims, const Type& type, const Homes& homes, const Placed& placed,
                     Layout& layout) const {
  layout = Layout::replicated(type.ndim());
  for (int d = 0; d < type.ndim() && d < static_cast<int>(dims.size()); ++d) {
    bool cut = false, open = true;  // open: all factors before were cut to pieces of 1
    for (int f : dims[d]) {
      std::int64_t size = rule_.factors[f].size, n = ways(placed.on[f]);
      // Along a dim with messages of its own: cut where it is as long as there, else whole.
      if (rule_.factors[f].kind == Kind::replicated && type.shape[d] != size && !placed.first[f]) continue;
      if (n > 1) {
        if (!open) return false;
        if (dims[d].size() > 1 && size % n != 0) return false;
        layout.dims[d].insert(layout.dims[d].end(), placed.on[f].begin(), placed.on[f].end());
        cut = true;
      }
      open = open && n == size;
    }
    if (cut && type.shape[d] < layout.ways(d)) return false;
    if (!cut || homes.empty() || homes[d].empty()) continue;
    const bool by_place =
        std::any_of(dims[d].begin(), dims[d].end(), [&](int f) { return by_place_[f] && !placed.on[f].empty(); });
    if (!by_place) layout.dims[d] = tutti::at_home(std::move(layout.dims[d]), homes[d]);
    if (by_place && !lies_together(layout.dims[d], homes[d])) return false;
  }
  return true;
}

std::optional<Candidate> RowTable::made(const Assignment& assignment) const {
  Candidate c;
  Placed placed{std::vector<AxisRefs>(rule_.factors.size()), std::vector<char>(rule_.factors.size(), 0)};
  for (const auto& [axis, choice] : assignment) {
    if (choice < 0) continue;
    const int f = choice % on_first;
    const bool along_results = choice >= on_first, more = !placed.on[f].empty();
    if (more && (along_results || placed.first[f]) && (along_results != placed.first[f] || !eqn_->op->across->dims))
      return std::nullopt;
    placed.on[f].push_back(axis);
    placed.first[f] = along_results;
  }
  for (std::size_t f = 0; f < placed.on.size(); ++f)
    if (at_home(static_cast<int>(f))) placed.on[f] = tutti::at_home(std::move(placed.on[f]), factor_homes_[f]);
  // A factor that shares a dim with others somewhere is cut evenly or not at all.
  auto build_all = [&](const std::vector<Factors::Dims>& dims, const std::vector<Type>& types,
                       const std::vector<Homes>& homes, std::vector<Layout>& layouts) {
    layouts.resize(types.size());
    for (std::size_t i = 0; i < types.size(); ++i)
      if (!build(i < dims.size() ? dims[i] : Factors::Dims{}, types[i], homes.empty() ? Homes{} : homes[i], placed,
                 layouts[i]))
        return false;
    return true;
  };
  if (!build_all(rule_.operands, operands_, operand_homes_, c.operands) ||
      !build_all(rule_.results, results_, result_homes_, c.results) || !add_pending(c, assignment))
    return std::nullopt;
  for (Layout& l : c.operands) l = canonical(l);
  for (Layout& l : c.results) l = canonical(l);
  note_padding(c, placed.on);
  if (!eqn_) return c;
  if (!note_across(c, placed)) return std::nullopt;
  std::optional<Params> params = c.across.empty() ? localized(*eqn_, *program_, c) : params_across(c);
  if (!params) return std::nullopt;
  c.params = *params;
  if (!price(c)) return std::nullopt;
  return c;
}

// Those of the whole, or of blocks where results are cut as well.
Params RowTable::params_across(const Candidate& c) const {
  if (!c.with_results || !eqn_->op->localize) return eqn_->params;
  LocalTypes types{operands_, operands_, {}};
  for (std::size_t o = 0; o < operands_.size(); ++o)
    types.local[o].shape = block_shape(c.operands[o], operands_[o].shape);
  for (std::size_t r = 0; r < results_.size(); ++r)
    types.results.push_back(block_shape(c.results[r], results_[r].shape));
  return eqn_->op->localize(eqn_->params, types);
}

// Of all dims that the factor is all of, which may have other extents.
bool RowTable::all_in_line(int factor, const AxisRefs& axes) const {
  auto all = [&](const std::vector<Factors::Dims>& dims, const std::vector<Type>& types) {
    for (std::size_t i = 0; i < types.size(); ++i)
      for (std::size_t d = 0; d < dims[i].size(); ++d)
        if (dims[i][d] == std::vector<int>{factor} && !in_line(types[i].shape[static_cast<int>(d)], axes, true))
          return false;
    return true;
  };
  return all(rule_.operands, operands_) && all(rule_.results, results_);
}

// False where blocks along a dim with messages of its own would not be as the op takes them, or there are two such dims
// and it takes one.
bool RowTable::note_across(Candidate& c, const Placed& placed) const {
  const std::vector<AxisRefs>& on = placed.on;
  std::vector<CutDim> alone;
  for (std::size_t f = 0; f < on.size(); ++f) {
    if (on[f].empty() || rule_.factors[f].kind != Kind::replicated) continue;
    const int dim = dim_of(static_cast<int>(f));
    // Over several axes some blocks may end in padding that are not the last ones.
    if (dim < 0 || (placed.first[f] && on[f].size() > 1 && !all_in_line(static_cast<int>(f), on[f]))) return false;
    if (placed.first[f] && stay(c, dim)) continue;
    if (placed.first[f] ? !eqn_->op->across->dims : !in_line(rule_.factors[f].size, on[f], eqn_->op->across->padded))
      return false;
    (placed.first[f] ? c.across : alone).push_back({dim, on[f]});
  }
  c.with_results = !c.across.empty();
  if (c.with_results || alone.empty()) return alone.empty();
  c.across = std::move(alone);
  return c.across.size() == 1;
}

// Whether blocks of the operand's dim are those of the result's.
bool RowTable::stay(const Candidate& c, int dim) const {
  return are_first(dim) &&
         block_shape(c.operands[0], operands_[0].shape)[dim] == block_shape(c.results[0], results_[0].shape)[dim];
}

// False where results would be partial in two ways.
bool RowTable::add_pending(Candidate& c, const Assignment& assignment) const {
  std::optional<Reduce> kind;
  for (const auto& [axis, choice] : assignment) {
    std::vector<char> pending(operands_.size(), 0);
    if (choice >= 0) {
      const int f = choice % on_first;
      Kind k = rule_.factors[f].kind;
      if (!reduces(k)) continue;
      if (kind && *kind != reduce_of(k)) return false;
      kind = reduce_of(k);
      // An operand without the reduced factor that is added to the others (scatter_add's first) counts once: on
      // coordinate 0.
      for (const std::vector<int>& set : linear_) {
        bool joined = std::any_of(set.begin(), set.end(), [&](int o) { return has_factor(rule_.operands[o], f); });
        for (int o : set) pending[o] = pending[o] || (joined && k == Kind::sum && !has_factor(rule_.operands[o], f));
      }
    } else if (choice <= on_linear) {
      if (kind && *kind != Reduce::sum) return false;
      kind = Reduce::sum;
      for (int o : linear_[on_linear - choice]) pending[o] = 1;
    } else {
      continue;
    }
    for (std::size_t o = 0; o < operands_.size(); ++o)
      if (pending[o]) c.operands[o].pending.push_back(axis);
    for (Layout& l : c.results) {
      l.pending.push_back(axis);
      l.pending_kind = *kind;
    }
  }
  return true;
}

void RowTable::note_padding(Candidate& c, const std::vector<AxisRefs>& on) const {
  c.padding.resize(operands_.size());
  c.padded_dims.resize(operands_.size());
  for (std::size_t o = 0; o < operands_.size() && o < rule_.operands.size(); ++o)
    for (int d = 0; d < operands_[o].ndim() && d < static_cast<int>(rule_.operands[o].size()); ++d)
      for (int f : rule_.operands[o][d])
        if (reduces(rule_.factors[f].kind) && !on[f].empty()) {
          c.padding[o].push_back(reduce_of(rule_.factors[f].kind));
          c.padded_dims[o].push_back(d);
        }
}

// False where the op has no messages of its own for these blocks.
bool RowTable::price_across(Candidate& c, const Call& call) const {
  const Across& across = *eqn_->op->across;
  std::optional<std::vector<double>> received;
  if (c.with_results) {
    std::vector<LineExtent> lines;
    for (const CutDim& cut : c.across) lines.push_back({cut.dim, ways(cut.axes), operands_[0].shape[cut.dim]});
    received = across.dims->received(call, {operands_, results_}, lines);
  } else if (const std::optional<double> along = across.received(call, c.across[0].dim, ways(c.across[0].axes))) {
    received = {*along};
  }
  if (!received) return false;
  for (std::size_t k = 0; k < received->size(); ++k) c.work += (*received)[k] * prices_->byte(c.across[k].axes);
  return true;
}

bool RowTable::price(Candidate& c) const {
  constexpr double small = 16384;
  auto elements = [&](const std::vector<Layout>& layouts, const std::vector<Type>& types) {
    for (std::size_t i = 0; i < types.size(); ++i)
      if (static_cast<double>(types[i].shape.num_elements()) > small)
        c.work += prices_->element() * static_cast<double>(block_shape(layouts[i], types[i].shape).num_elements());
  };
  elements(c.results, results_);
  elements(c.operands, operands_);
  if (!c.across.empty()) {
    std::vector<Type> blocks = operands_;
    for (std::size_t o = 0; o < blocks.size(); ++o) blocks[o].shape = block_shape(c.operands[o], blocks[o].shape);
    const Call call{*eqn_->op, c.params, blocks, eqn_->subs};
    if (!price_across(c, call)) return false;
  }
  if (!eqn_->op->flops) return true;
  std::vector<Type> in = operands_, out = results_;
  for (std::size_t o = 0; o < in.size(); ++o) in[o].shape = block_shape(c.operands[o], in[o].shape);
  for (std::size_t r = 0; r < out.size(); ++r) out[r].shape = block_shape(c.results[r], out[r].shape);
  c.work += prices_->operation() * eqn_->op->flops(Call{*eqn_->op, c.params, in, eqn_->subs}, out);
  return true;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
