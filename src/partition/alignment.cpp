#include "partition/alignment.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "ir/op.hpp"
#include "ir/views.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/reduce.hpp"
#include "partition/min_cut.hpp"

namespace tutti {
namespace {

Call call_of(const Eqn& e, const Program& p) {
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  return {*e.op, e.params, std::move(types), e.subs};
}

constexpr int kMostMoves = 16;  // at a step: one or two are usual

// The place of a box, where it is known and inside.
std::optional<std::vector<std::int64_t>> place_of_update(const Eqn& e, const Program& p) {
  const Shape &whole = p.type(e.operands[0]).shape, &box = p.type(e.operands[1]).shape;
  std::vector<std::int64_t> out;
  for (int d = 0; d < whole.ndim(); ++d) {
    const Atom& start = e.operands[static_cast<std::size_t>(d) + 2];
    if (!start.is_literal()) return std::nullopt;
    out.push_back(start.literal.integer);
    if (out.back() < 0 || out.back() > whole[d] - box[d]) return std::nullopt;
  }
  return out;
}

// Element 0 of `b` lies `apart` behind element 0 of `a`, or `bytes` are sent for each element between.
struct Tie {
  int a, b;
  std::int64_t apart;
  double bytes;
};

class Search {
 public:
  explicit Search(const ShardedProgram& sharded) : in_(sharded), p_(*sharded.program), views_(p_) {
    for (const Type& t : p_.types) {
      first_.push_back(static_cast<int>(value_.size()));
      for (int d = 0; d < t.ndim(); ++d) value_.push_back(static_cast<ValueId>(first_.size()) - 1);
    }
    ties_of_.resize(value_.size());
    constant_.resize(value_.size(), 0);
    eqns_of_.resize(p_.types.size());
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      const Eqn& e = p_.eqns[i];
      note(e);
      views_.note(e);
      for (const Atom& a : e.operands)
        if (!a.is_literal()) eqns_of_[a.id].push_back(i);
      for (ValueId r : e.results) eqns_of_[r].push_back(i);
    }
    for (const Atom& a : p_.outputs)
      if (!a.is_literal()) outputs_.insert(a.id);
  }

  std::optional<Alignment> next(std::set<std::pair<ValueId, int>>& seen) {
    Alignment out;
    std::vector<char> visited(value_.size(), 0);
    for (int n = 0; n < static_cast<int>(value_.size()); ++n) {
      const ValueId v = value_[n];
      const int d = n - first_[v];
      const std::int64_t ways = in_.layouts[v].ways(d), extent = p_.types[v].shape[d];
      if (visited[n] || ways < 2 || extent % ways != 0) continue;
      const std::vector<int> members = connected(n, extent, extent / ways, visited);
      if (seen.contains({v, d})) continue;
      const bool apart =
          std::none_of(members.begin(), members.end(), [&](int m) { return out.places.contains(value_[m]); });
      if (!apart) continue;  // another time
      seen.insert({v, d});
      add(members, {extent, in_.layouts[v].dims[d]}, out);
    }
    if (out.bases.empty()) return std::nullopt;
    for (const Eqn& e : p_.eqns) out.forms.push_back(form(e, out));
    return out;
  }

 private:
  int node(ValueId v, int d) const { return first_[v] + d; }
  double leaving_bytes(int n) const {
    const Type& x = p_.types[value_[n]];
    return static_cast<double>(x.nbytes()) / static_cast<double>(std::max<std::int64_t>(1, extent(n)));
  }
  std::int64_t extent(int n) const { return p_.types[value_[n]].shape[n - first_[value_[n]]]; }

  // `moved`: the operand of the two.
  void tie(const Atom& a, int da, const Atom& b, int db, std::int64_t apart, const Atom& moved, int dim) {
    if (a.is_literal() || b.is_literal() || da >= p_.type(a).ndim() || db >= p_.type(b).ndim()) return;
    const int k = static_cast<int>(ties_.size());
    const Type& x = p_.type(moved);
    const double bytes =
        constant_[node(moved.id, dim)]
            ? 0
            : static_cast<double>(x.nbytes()) / static_cast<double>(std::max<std::int64_t>(1, x.shape[dim]));
    ties_.push_back({node(a.id, da), node(b.id, db), apart, bytes});
    ties_of_[ties_.back().a].push_back(k);
    ties_of_[ties_.back().b].push_back(k);
  }

  void note(const Eqn& e) {
    if (e.op->role == Role::constraint || e.op->effect || e.op->host || e.op->collective || !e.subs.empty()) return;
    if (e.op == &ops::slice) {
      const auto& s = e.params.get<ops::SliceParams>();
      for (int d = 0; d < static_cast<int>(s.start.size()); ++d)
        if (s.strides[d] == 1 && !e.operands[0].is_literal()) {
          constant_[node(e.results[0], d)] = constant_[node(e.operands[0].id, d)];
          tie(e.operands[0], d, e.results[0], d, s.start[d], e.operands[0], d);
        }
    } else if (e.op == &ops::pad) {
      const auto& config = e.params.get<ops::Pad>().config;
      for (int d = 0; d < static_cast<int>(config.size()); ++d)
        if (config[d].interior == 0 && config[d].low >= 0 && config[d].high >= 0)
          tie(e.operands[0], d, e.results[0], d, -config[d].low, e.operands[0], d);
    } else if (e.op == &ops::concatenate) {
      const int along = e.params.get<ops::Concatenate>().dim;
      std::int64_t start = 0;
      for (const Atom& a : e.operands) {
        for (int d = 0; d < p_.type(a).ndim(); ++d) tie(e.results[0], d, a, d, d == along ? start : 0, a, d);
        start += p_.type(a).shape[along];
      }
    } else if (e.op == &ops::dynamic_update_slice) {
      const auto at = place_of_update(e, p_);
      for (int d = 0; at && d < p_.types[e.results[0]].ndim(); ++d) {
        tie(e.results[0], d, e.operands[0], d, 0, e.operands[0], d);
        tie(e.results[0], d, e.operands[1], d, (*at)[d], e.operands[1], d);
      }
    } else if (e.op->factors) {
      note_factors(e);
    }
  }

  // Dims of one factor that nothing else is part of.
  void note_factors(const Eqn& e) {
    std::vector<Type> results;
    for (ValueId r : e.results) results.push_back(p_.types[r]);
    const Factors rule = e.op->factors(call_of(e, p_), results);
    std::vector<std::pair<ValueId, int>> known(rule.factors.size(), {-1, 0});
    auto add = [&](ValueId v, const Factors::Dims& dims) {
      for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
        if (dims[d].size() != 1) continue;
        const Factors::Factor& factor = rule.factors[dims[d][0]];
        const bool replicated = factor.kind == Factors::Kind::replicated;
        if (replicated && (!e.op->across || p_.types[v].shape[d] != factor.size)) continue;
        std::pair<ValueId, int>& first = known[dims[d][0]];
        if (first.first >= 0)
          tie(first.first, first.second, v, d, 0, v, d);
        else
          first = {v, d};
      }
    };
    note_constants(e, rule);
    // Operands meet at the place of the result.
    for (std::size_t r = 0; r < e.results.size(); ++r) add(e.results[r], rule.results[r]);
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      if (!e.operands[i].is_literal()) add(e.operands[i].id, rule.operands[i]);
  }

  // Results whose elements along a dim are all the same.
  void note_constants(const Eqn& e, const Factors& rule) {
    std::vector<char> varies(rule.factors.size(), 0);
    for (std::size_t f = 0; f < varies.size(); ++f) varies[f] = rule.factors[f].kind != Factors::Kind::parallel;
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      for (int d = 0; !e.operands[i].is_literal() && d < static_cast<int>(rule.operands[i].size()); ++d)
        for (int f : rule.operands[i][d]) varies[f] = varies[f] || !constant_[node(e.operands[i].id, d)];
    for (std::size_t r = 0; r < e.results.size(); ++r)
      for (int d = 0; d < static_cast<int>(rule.results[r].size()); ++d)
        constant_[node(e.results[r], d)] =
            std::none_of(rule.results[r][d].begin(), rule.results[r][d].end(), [&](int f) { return varies[f]; }) &&
            !rule.results[r][d].empty();
  }

  // Dims that are the base, or shorter or longer by less than a block.
  std::vector<int> connected(int from, std::int64_t base, std::int64_t block, std::vector<char>& visited) const {
    std::vector<int> out{from};
    visited[from] = 1;
    for (std::size_t k = 0; k < out.size(); ++k)
      for (int t : ties_of_[out[k]])
        for (int n : {ties_[t].a, ties_[t].b}) {
          if (visited[n] || std::abs(extent(n) - base) >= block || p_.types[value_[n]].dtype.is_key()) continue;
          visited[n] = 1;
          out.push_back(n);
        }
    return out;
  }

  // Another base, where that gains something.
  void add(const std::vector<int>& members, Alignment::Base base, Alignment& out) const {
    const int number = static_cast<int>(out.bases.size());
    const std::int64_t extent_of_base = base.extent;
    bool others = false, once = true;
    std::vector<int> eqns;
    out.bases.push_back(std::move(base));
    for (int n : members) {
      const ValueId v = value_[n];
      once = out.places.emplace(v, Alignment::Place{n - first_[v], number, 0}).second && once;
      others = others || extent(n) != extent_of_base;
      eqns.insert(eqns.end(), eqns_of_[v].begin(), eqns_of_[v].end());
    }
    std::sort(eqns.begin(), eqns.end());
    eqns.erase(std::unique(eqns.begin(), eqns.end()), eqns.end());
    std::set<ValueId> leaving;  // whose elements are wanted as they are
    bool gains = false;
    if (once && others)
      for (int i : eqns) {
        const AlignedForm f = form(p_.eqns[i], out);
        for (const Atom& a : p_.eqns[i].operands) {
          const Alignment::Place* at = out.on(number, a);
          if (!at) continue;
          if (f == AlignedForm::other) leaving.insert(a.id);
          gains = gains || (f != AlignedForm::other && f != AlignedForm::slice &&
                            p_.types[a.id].shape[at->dim] != extent_of_base);
        }
      }
    if (gains) return place(members, leaving, extent_of_base, out);
    for (int n : members) out.places.erase(value_[n]);
    out.bases.pop_back();
  }

  AlignedForm form(const Eqn& e, const Alignment& all) const {
    using Form = AlignedForm;
    if (e.op->role == Role::constraint || e.op->effect || e.op->host || e.op->collective || !e.subs.empty())
      return Form::other;
    const auto result = e.results.empty() ? all.places.end() : all.places.find(e.results[0]);
    if (result == all.places.end()) return form_over(e, all);
    const auto [d, base, at] = result->second;
    auto member = [&, base = base](std::size_t k) { return all.on(base, e.operands[k]); };
    if (is_rolled(e.results[0], d, all.bases[base].extent)) return Form::other;
    if (e.op == &ops::slice)
      return member(0) && member(0)->dim == d && e.params.get<ops::SliceParams>().strides[d] == 1 ? Form::slice
                                                                                                  : Form::other;
    if (e.op == &ops::pad) {
      const lax::PadDim& config = e.params.get<ops::Pad>().config[static_cast<std::size_t>(d)];
      return config.interior == 0 && config.low >= 0 && config.high >= 0 ? Form::pad : Form::other;
    }
    if (e.op == &ops::concatenate && e.params.get<ops::Concatenate>().dim == d) return Form::joined;
    if (e.op == &ops::dynamic_update_slice) return place_of_update(e, p_) && member(0) ? Form::update : Form::other;
    if (e.op->index && e.op->index(e.params) == d) return Form::index;
    return is_each(e, all, base) ? Form::each : Form::other;
  }

  // Of one whose result has no such dim.
  AlignedForm form_over(const Eqn& e, const Alignment& all) const {
    if (e.op->reduce != Op::Reduce::none && e.results.size() == 1 && !e.operands[0].is_literal()) {
      const auto at = all.places.find(e.operands[0].id);
      const std::vector<int>& axes = e.params.get<ops::Reduction>().axes;
      if (at != all.places.end() && std::find(axes.begin(), axes.end(), at->second.dim) != axes.end())
        return AlignedForm::reduced;
    }
    if (e.op == &ops::dot_general && !e.operands[0].is_literal()) {
      const auto lhs = all.places.find(e.operands[0].id);
      const Alignment::Place* rhs = lhs == all.places.end() ? nullptr : all.on(lhs->second.base, e.operands[1]);
      const lax::DotDims& dims = e.params.get<ops::DotGeneral>().dims;
      for (std::size_t k = 0; rhs && k < dims.lhs_contract.size(); ++k)
        if (dims.lhs_contract[k] == lhs->second.dim && dims.rhs_contract[k] == rhs->dim) return AlignedForm::product;
    }
    return AlignedForm::other;
  }

  // Whether it is a whole source turned round, or several, as the pass `rolls` sees.
  bool is_rolled(ValueId v, int d, std::int64_t base) const {
    if (p_.types[v].shape[d] != base) return false;
    if (const auto& w = views_.window(v); w && p_.types[w->source].shape[d] == base) return true;
    const Along& along = views_.along(v);
    return along.dim == d && std::all_of(along.segments.begin(), along.segments.end(), [&](const Segment& s) {
             return s.source.is_literal() || p_.type(s.source).ndim() == 0 || p_.type(s.source).shape[d] == base;
           });
  }

  // Whether the dim has one factor in all results, and operands that have it are members.
  bool is_each(const Eqn& e, const Alignment& all, int base) const {
    if (!e.op->factors) return false;
    std::vector<Type> results;
    for (ValueId r : e.results) results.push_back(p_.types[r]);
    const Factors rule = e.op->factors(call_of(e, p_), results);
    int factor = -1;
    for (std::size_t r = 0; r < e.results.size(); ++r) {
      const Alignment::Place* at = all.on(base, e.results[r]);
      if (!at) return false;
      const std::vector<int>& dim = rule.results[r][at->dim];
      if (dim.size() != 1 || (factor >= 0 && dim[0] != factor)) return false;
      factor = dim[0];
    }
    if (rule.factors[factor].kind != Factors::Kind::parallel) return false;
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      for (int d = 0; d < static_cast<int>(rule.operands[i].size()); ++d) {
        const std::vector<int>& dim = rule.operands[i][d];
        if (std::find(dim.begin(), dim.end(), factor) == dim.end()) continue;
        const Alignment::Place* at = all.on(base, e.operands[i]);
        if (dim.size() != 1 || !at || at->dim != d) return false;
      }
    return true;
  }

  // Where elements lie: those that meet at the same place as far as they can, and results of the program from 0 on. The
  // bytes sent are an L-natural convex function of the places, which steps that are best by a cut bring to its least
  // value. Source: K. Murota, Discrete Convex Analysis (2003).
  void place(const std::vector<int>& members, std::set<ValueId> leaving, std::int64_t base, Alignment& out) const {
    std::map<int, std::int64_t> at;
    for (int n : members) {
      at[n] = 0;
      if (outputs_.contains(value_[n])) leaving.insert(value_[n]);
    }
    std::map<int, int> number;
    for (std::size_t k = 0; k < members.size(); ++k) number[members[k]] = static_cast<int>(k);
    // What a value's place costs by itself, and its limits.
    auto alone = [&](int n, std::int64_t x) {
      const std::int64_t room = base - extent(n);
      if (x < std::min<std::int64_t>(0, room) || x > std::max<std::int64_t>(0, room))
        return std::numeric_limits<double>::infinity();
      return leaving.contains(value_[n]) ? leaving_bytes(n) * static_cast<double>(std::abs(x)) : 0;
    };
    // Some move by `step`, those with whom least is sent; whether any did.
    auto move = [&](std::int64_t step) {
      MinCut cut(static_cast<int>(members.size()));
      for (int n : members) {
        cut.add(number.at(n), alone(n, at.at(n) + step) - alone(n, at.at(n)));
        for (int k : ties_of_[n]) {
          const Tie& t = ties_[k];
          const auto other = number.find(t.b);
          if (t.a != n || t.b == n || other == number.end()) continue;
          auto sent = [&](std::int64_t by) {
            return t.bytes * static_cast<double>(std::abs(at.at(t.a) + t.apart - at.at(t.b) + by));
          };
          const double same = sent(0), first = sent(step), second = sent(-step);
          cut.add(number.at(n), first - same);
          cut.add(other->second, same - first);
          cut.add(number.at(n), other->second, first + second - 2 * same);
        }
      }
      bool any = false;
      const std::vector<char> moved = cut.solve();
      for (std::size_t k = 0; k < moved.size(); ++k)
        if (moved[k]) {
          at.at(members[k]) += step;
          any = true;
        }
      return any;
    };
    std::int64_t widest = 1;
    for (int n : members)
      for (int k : ties_of_[n]) widest = std::max(widest, std::abs(ties_[k].apart));
    for (auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(widest))); step > 0; step /= 2)
      for (int moves = 0; moves < kMostMoves && (move(step) || move(-step)); ++moves) {
      }
    for (int n : members) {
      out.places.at(value_[n]).at = at.at(n);
      if (constant_[n]) out.constants.insert(value_[n]);
    }
  }

  const ShardedProgram& in_;
  const Program& p_;
  Views views_;
  std::vector<int> first_;      // by value: the number of its first dim
  std::vector<ValueId> value_;  // by number of a dim
  std::vector<Tie> ties_;
  std::vector<std::vector<int>> ties_of_;  // by number of a dim
  std::vector<char> constant_;             // by number of a dim: all elements along it are the same
  std::vector<std::vector<int>> eqns_of_;  // by value: that make or read it
  std::set<ValueId> outputs_;
};

}  // namespace

std::optional<Alignment> next_alignment(const ShardedProgram& sharded, std::set<std::pair<ValueId, int>>& seen) {
  return Search(sharded).next(seen);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
