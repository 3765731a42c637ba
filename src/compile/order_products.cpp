// The canonical order of the dims of matrix products: batch, free, contracted times batch, contracted, free.
#include <algorithm>

#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::compile {
namespace {

class Ordering {
 public:
  explicit Ordering(const Program& p) : out_(p) { out_.eqns.clear(); }

  Program run(const Program& p) {
    for (const Eqn& e : p.eqns) {
      if (e.op == &ops::dot_general)
        order(e);
      else
        out_.eqns.push_back(e);
    }
    return std::move(out_);
  }

 private:
  Atom transposed(const Atom& x, const lax::Dims& permutation, const Loc& loc) {
    if (x.is_literal() || std::is_sorted(permutation.begin(), permutation.end())) return x;
    Type t = out_.types[x.id];
    for (std::size_t i = 0; i < permutation.size(); ++i) t.shape[i] = out_.types[x.id].shape[permutation[i]];
    out_.types.push_back(std::move(t));
    const auto v = static_cast<ValueId>(out_.types.size()) - 1;
    out_.eqns.push_back({&static_cast<const Op&>(ops::transpose), ops::Transpose{permutation}, {x}, {v}, {}, loc});
    return v;
  }

  void order(Eqn e) {
    ops::DotGeneral params = e.params.get<ops::DotGeneral>();
    lax::DotDims& d = params.dims;
    // Summed dims in the order of the lhs's memory, so that they merge there.
    std::vector<std::pair<std::int64_t, std::int64_t>> contract;
    for (std::size_t i = 0; i < d.lhs_contract.size(); ++i) contract.push_back({d.lhs_contract[i], d.rhs_contract[i]});
    std::sort(contract.begin(), contract.end());
    d.lhs_contract.clear();
    d.rhs_contract.clear();
    for (auto [l, r] : contract) {
      d.lhs_contract.push_back(l);
      d.rhs_contract.push_back(r);
    }
    auto free = [](int ndim, const lax::Dims& a, const lax::Dims& b) {
      lax::Dims out;
      for (std::int64_t i = 0; i < ndim; ++i)
        if (!ops::contains(a, i) && !ops::contains(b, i)) out.push_back(i);
      return out;
    };
    auto joined = [](lax::Dims a, const lax::Dims& b, const lax::Dims& c) {
      a.insert(a.end(), b.begin(), b.end());
      a.insert(a.end(), c.begin(), c.end());
      return a;
    };
    const lax::Dims l_free = free(out_.type(e.operands[0]).ndim(), d.lhs_batch, d.lhs_contract),
                    r_free = free(out_.type(e.operands[1]).ndim(), d.rhs_batch, d.rhs_contract);
    const std::int64_t nb = static_cast<std::int64_t>(d.lhs_batch.size()),
                       nk = static_cast<std::int64_t>(d.lhs_contract.size()),
                       nl = static_cast<std::int64_t>(l_free.size());
    e.operands[0] = transposed(e.operands[0], joined(d.lhs_batch, l_free, d.lhs_contract), e.loc);
    e.operands[1] = transposed(e.operands[1], joined(d.rhs_batch, d.rhs_contract, r_free), e.loc);
    d.lhs_batch = d.rhs_batch = ops::range(0, nb);
    d.lhs_contract = ops::range(nb + nl, nb + nl + nk);
    d.rhs_contract = ops::range(nb, nb + nk);
    e.params = params;
    out_.eqns.push_back(std::move(e));
  }

  Program out_;
};

}  // namespace

Program order_products(Program program) {
  const bool any =
      std::any_of(program.eqns.begin(), program.eqns.end(), [](const Eqn& e) { return e.op == &ops::dot_general; });
  if (any) return Ordering(program).run(program);
  return program;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
