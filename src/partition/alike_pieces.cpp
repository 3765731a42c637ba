#include "partition/alike_pieces.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "ir/index.hpp"
#include "ir/views.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/transpose.hpp"
#include "partition/rewriting.hpp"
#include "transform/transform.hpp"

namespace tutti {
namespace {

// Eqns that make one piece.
constexpr std::size_t most_eqns = 200;

// How the first piece is made, and how the others correspond to it.
struct Repeats {
  std::map<ValueId, int> rows;  // values that are row h of an array: the dim of the array
  std::set<ValueId> shared;     // values that are the same for all pieces
  std::set<int> eqns;           // in between
};

class AlikePieces : Rewriting {
 public:
  explicit AlikePieces(const ShardedProgram& sharded) : Rewriting(sharded), index_(p_), views_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      views_.note(p_.eqns[i]);
      auto [e, bodies] = entered(i, with_alike_pieces);
      if (const std::optional<Repeats> way = way_of(e)) {
        put(e, *way);
        changed_ = true;
      } else {
        push(std::move(e), std::move(bodies));
      }
    }
    return done();
  }

 private:
  std::optional<Repeats> way_of(const Eqn& e) {
    if (e.results.size() != 1 || e.operands.size() < 2 || !e.op->pieces) return std::nullopt;
    const Along& along = views_.along(e.results[0]);
    const std::size_t n = along.segments.size();
    if (along.dim < 0 || n != e.operands.size() ||
        n != static_cast<std::size_t>(p_.types[e.results[0]].shape[along.dim]))
      return std::nullopt;
    Repeats way;
    std::set<ValueId> made;  // by all ways
    for (std::size_t h = 0; h < n; ++h)
      if (along.segments[h].source != e.operands[h] || e.operands[h].is_literal()) return std::nullopt;
    for (std::size_t h = 1; h < n; ++h) {
      std::map<ValueId, ValueId> pairs;
      if (!alike(e.operands[0].id, e.operands[h].id, static_cast<std::int64_t>(h), static_cast<std::int64_t>(n), pairs,
                 way))
        return std::nullopt;
      for (const auto& [first, other] : pairs)
        if (!way.rows.contains(first) && !way.shared.contains(first)) made.insert({first, other});
    }
    bool product = false;
    for (int i : way.eqns) product = product || (p_.eqns[i].op->flops && !p_.eqns[i].op->pointwise);
    if (!product || way.rows.empty()) return std::nullopt;
    // Nobody else may read what lies between.
    for (ValueId v : made) {
      if (index_.is_output(v)) return std::nullopt;
      for (const ProgramIndex::Use& use : index_.uses(v)) {
        const Eqn& reader = p_.eqns[use.eqn];
        if (reader.results != e.results && !made.contains(reader.results[0])) return std::nullopt;
      }
    }
    return way;
  }

  // Whether value `b`, of piece h, is made as `a` is, of the first piece.
  bool alike(ValueId a, ValueId b, std::int64_t h, std::int64_t n, std::map<ValueId, ValueId>& pairs, Repeats& way) {
    if (const auto known = pairs.find(a); known != pairs.end()) return known->second == b;
    pairs.emplace(a, b);
    if (!(p_.types[a] == p_.types[b])) return false;
    // What is shared by the first two pieces, or is not, is so for all.
    if (h > 1 && way.shared.contains(a) != (a == b)) return false;
    if (a == b) {
      way.shared.insert(a);
      return true;
    }
    if (const std::optional<int> dim = row(a, 0, n)) {
      if (row(b, h, n) != dim || views_.along(a).segments[0].source != views_.along(b).segments[0].source) return false;
      way.rows.emplace(a, *dim);
      return true;
    }
    const int i = index_.producer(a), k = index_.producer(b);
    if (i < 0 || k < 0) return false;
    const Eqn &x = p_.eqns[i], &y = p_.eqns[k];
    if (x.op != y.op || !(x.params == y.params) || x.operands.size() != y.operands.size() || x.results.size() != 1 ||
        !x.op->batch || !x.subs.empty() || x.op->effect || x.op->host || x.op->role == Role::constraint)
      return false;
    way.eqns.insert(i);
    if (way.eqns.size() > most_eqns) return false;
    for (std::size_t o = 0; o < x.operands.size(); ++o) {
      const Atom &u = x.operands[o], &v = y.operands[o];
      if (u.is_literal() || v.is_literal() ? !(u == v) : !alike(u.id, v.id, h, n, pairs, way)) return false;
    }
    return true;
  }

  // The dim of which the value is row `h` of `n`.
  std::optional<int> row(ValueId v, std::int64_t h, std::int64_t n) const {
    const Along& along = views_.along(v);
    if (along.dim < 0 || along.segments.size() != 1 || along.segments[0].length != 1) return std::nullopt;
    const Segment& s = along.segments[0];
    if (s.source.is_literal() || s.from != h || p_.types[s.source.id].ndim() != p_.types[v].ndim() ||
        p_.types[s.source.id].shape[along.dim] != n)
      return std::nullopt;
    return along.dim;
  }

  // Dim `dim` comes to the front, and leaves one element where it was.
  Atom rows_first(const Atom& x, int dim, Loc loc) {
    lax::Dims order{dim};
    Shape shape{types_[x.id].shape[dim]};
    for (int d = 0; d < types_[x.id].ndim(); ++d) {
      if (d != dim) order.push_back(d);
      shape.push_back(d == dim ? 1 : types_[x.id].shape[d]);
    }
    return make(ops::reshape, ops::Reshape{shape}, {make(ops::transpose, ops::Transpose{order}, {x}, loc)}, loc);
  }

  void put(const Eqn& e, const Repeats& way) {
    Program one;
    one.types = p_.types;
    std::vector<bool> mapped;
    std::vector<Atom> arguments;
    for (const auto& [v, dim] : way.rows) {
      one.inputs.push_back(v);
      mapped.push_back(true);
      arguments.push_back(rows_first(views_.along(v).segments[0].source, dim, e.loc));
    }
    for (ValueId v : way.shared) {
      one.inputs.push_back(v);
      mapped.push_back(false);
      arguments.emplace_back(v);
    }
    for (int i : way.eqns) one.eqns.push_back(p_.eqns[i]);
    one.outputs = {e.operands[0]};
    const Along along = views_.along(e.results[0]);
    const std::int64_t n = p_.types[e.results[0]].shape[along.dim];
    Atom all = inlined(*batch(one, mapped, {n, ""}).program, arguments);
    // The batch dim to where the pieces were joined, where each had one element.
    Shape shape = types_[all.id].shape;
    shape.erase(along.dim + 1);
    all = make(ops::reshape, ops::Reshape{shape}, {all}, e.loc);
    lax::Dims order;
    for (int d = 0; d < shape.ndim(); ++d) order.push_back(d < along.dim ? d + 1 : d == along.dim ? 0 : d);
    make(ops::transpose, ops::Transpose{order}, {all}, e.loc, e.results[0]);
  }

  const ProgramIndex index_;
  Views views_;
};

}  // namespace

ShardedProgram with_alike_pieces(const ShardedProgram& sharded) { return AlikePieces(sharded).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
