#include "partition/fft_dims.hpp"

#include <algorithm>

#include "ops/fft/fft.hpp"
#include "ops/movement/transpose.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

using lax::FftType;
using Numbers = std::vector<int>;  // of dims

bool has(const Numbers& dims, int d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

bool transforms_several(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    if (e.op == &ops::fft && e.params.get<ops::Fft>().lengths.ndim() > 1) return true;
    return std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return transforms_several(*s); });
  });
}

class FftDims : Rewriting {
 public:
  explicit FftDims(const ShardedProgram& sharded) : Rewriting(sharded) {
    for (const Layout& l : in_.layouts) {
      cut_.emplace_back();
      for (int d = 0; d < l.ndim(); ++d)
        if (l.ways(d) > 1) cut_.back().push_back(d);
    }
  }

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_fft_dims);
      const bool several = e.op == &ops::fft && e.params.get<ops::Fft>().lengths.ndim() > 1;
      if (several && put(e)) {
        changed_ = true;
        continue;
      }
      note(e);
      push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  // Propagation stops at transforms: what is made of their results is cut as they are, along the dims that stay.
  void note(const Eqn& e) {
    if (!e.op->factors || !e.subs.empty()) return;
    std::vector<Type> operands, results;
    for (const Atom& a : e.operands) operands.push_back(p_.type(a));
    for (const ValueId r : e.results) results.push_back(p_.types[r]);
    const Factors rule = e.op->factors(Call{*e.op, e.params, operands, e.subs}, results);
    for (std::size_t r = 0; r < e.results.size() && r < rule.results.size(); ++r) {
      Numbers& out = cut_[e.results[r]];
      for (std::size_t o = 0; o < e.operands.size() && o < rule.operands.size() && out.empty(); ++o)
        for (const int d : e.operands[o].is_literal() ? Numbers{} : cut_[e.operands[o].id])
          for (std::size_t to = 0; to < rule.results[r].size(); ++to)
            if (shares(rule, rule.operands[o][d], rule.results[r][to])) out.push_back(static_cast<int>(to));
    }
  }
  // Whether both dims begin with one factor that may be cut.
  static bool shares(const Factors& rule, const std::vector<int>& a, const std::vector<int>& b) {
    return !a.empty() && !b.empty() && a[0] == b[0] && rule.factors[a[0]].kind == Factors::Kind::parallel;
  }

  // Dims that were cut come last, those to be cut first. Real numbers are those before, or behind, all others.
  bool put(const Eqn& e) {
    if (e.operands[0].is_literal()) return false;
    const auto& p = e.params.get<ops::Fft>();
    const int rank = p_.type(e.operands[0]).ndim(), last = rank - 1;
    const Numbers &before = cut_[e.operands[0].id], &after = cut_[e.results[0]];
    Numbers whole, cut;
    for (int d = rank - p.lengths.ndim(); d < rank; ++d) (has(before, d) ? cut : whole).push_back(d);
    std::vector<Numbers> groups;
    const bool known = !cut.empty();
    if (!known) {
      std::swap(whole, cut);
      for (const int d : cut)
        if (!has(after, d)) whole.push_back(d);
      std::erase_if(cut, [&](int d) { return !has(after, d); });
      if (cut.empty()) return false;
    }
    for (const int d : cut) groups.push_back({d});
    if (!whole.empty()) groups.insert(known ? groups.begin() : groups.end(), whole);
    place_last(p.type, last, groups);
    if (groups.size() < 2) return false;
    if (after.empty()) {
      for (const int d : before)
        if (d < rank - p.lengths.ndim()) cut_[e.results[0]].push_back(d);
      for (std::size_t g = 0; g + 1 < groups.size() && cut_[e.results[0]].size() < before.size(); ++g)
        cut_[e.results[0]].push_back(groups[g][0]);
    }
    Atom x = e.operands[0];
    for (std::size_t g = 0; g < groups.size(); ++g) x = transformed(x, p, rank, groups[g], e, g + 1 == groups.size());
    return true;
  }

  // Of a real transform the last dim comes first, with those that are transformed first in any case; of one back last.
  static void place_last(FftType type, int last, std::vector<Numbers>& groups) {
    if (type != FftType::rfft && type != FftType::irfft) return;
    const bool first = type == FftType::rfft;
    const std::size_t at = first ? 0 : groups.size() - 1;
    if (has(groups[at], last)) return;
    for (Numbers& g : groups) std::erase(g, last);
    std::erase_if(groups, [](const Numbers& g) { return g.empty(); });
    groups.insert(first ? groups.begin() : groups.end(), Numbers{last});
  }

  Atom transformed(const Atom& x, const ops::Fft& p, int rank, const Numbers& dims, const Eqn& e, bool end) {
    ops::Fft part{p.type, {}};
    if (!has(dims, rank - 1) && p.type == FftType::rfft) part.type = FftType::fft;
    if (!has(dims, rank - 1) && p.type == FftType::irfft) part.type = FftType::ifft;
    ops::Transpose to, back;
    for (int d = 0; d < rank; ++d)
      if (!has(dims, d)) to.permutation.push_back(d);
    for (const int d : dims) {
      to.permutation.push_back(d);
      part.lengths.push_back(p.lengths[d - rank + p.lengths.ndim()]);
    }
    back.permutation.resize(to.permutation.size());
    for (std::size_t k = 0; k < to.permutation.size(); ++k) back.permutation[to.permutation[k]] = static_cast<int>(k);
    const ValueId as = end ? e.results[0] : -1;
    if (to.permutation == back.permutation && std::is_sorted(to.permutation.begin(), to.permutation.end()))
      return make(ops::fft, part, {x}, e.loc, as);
    const Atom turned = make(ops::transpose, to, {x}, e.loc);
    return make(ops::transpose, back, {make(ops::fft, part, {turned}, e.loc)}, e.loc, as);
  }

  std::vector<Numbers> cut_;  // by value
};

}  // namespace

ShardedProgram with_fft_dims(const ShardedProgram& sharded) {
  return transforms_several(*sharded.program) ? FftDims(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
