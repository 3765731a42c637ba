// Products and sums that need not wait for each other are taken out of a loop: one product of all steps' rows is faster
// than a product per step.
#include <algorithm>
#include <optional>
#include <utility>

#include "compile/passes.hpp"
#include "compile/step_values.hpp"
#include "ir/pass_list.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::compile {
namespace {

class Products {
 public:
  explicit Products(StepValues& step) : s_(step), l_(step.loop) {}

  void run() {
    if (l_.form.length < StepValues::kFewestSteps) return;
    before();
    behind();
  }

 private:
  using DotGeneral = ops::DotGeneral;

  // What a product is made of: one operand that no step changes, and one of the step. `turned`: the latter is the rhs.
  struct WithConst {
    const Eqn* dot;
    bool turned;
    Atom step;
    lax::Dims dims;  // of the operand of the product, in `step`
    const Atom& fixed() const { return dot->operands[!turned]; }
  };
  std::optional<WithConst> with_const(const Eqn& e) const {
    if (!s_.is_product(&e) || !e.params.get<DotGeneral>().dims.lhs_batch.empty()) return std::nullopt;
    const bool first = s_.unchanging(e.operands[0]), second = s_.unchanging(e.operands[1]);
    if (first == second) return std::nullopt;
    auto [step, dims] = s_.factor(e, first);
    WithConst w{&e, first, step, dims};
    if (w.step.is_literal() || w.fixed().is_literal()) return std::nullopt;
    const lax::DotDims& d = e.params.get<DotGeneral>().dims;
    std::int64_t rows = s_.type(w.step).num_elements();
    for (std::int64_t k : w.turned ? d.rhs_contract : d.lhs_contract) rows /= s_.type(w.step).shape[dims[k]];
    return rows < StepValues::kFewRows ? std::optional(w) : std::nullopt;
  }
  // The product of a stack of step operands: dims (step, free dims of the step's operand, free dims of the other).
  ValueId of_stack(const WithConst& w, const Atom& stack, std::vector<Eqn>& list) {
    DotGeneral params = w.dot->params.get<DotGeneral>();
    lax::DotDims& d = params.dims;
    if (w.turned) std::swap(d.lhs_contract, d.rhs_contract);
    for (std::int64_t& k : d.lhs_contract) k = w.dims[k] + 1;
    return l_.add(l_.around, list, ops::dot_general, params, {stack, s_.outside(w.fixed())});
  }
  // Dims (of the step, of the other) are turned to those of the product as it was; `leading` dims stay in front.
  lax::Dims turn(const WithConst& w, int ndim, int leading) const {
    const int fixed_free =
        s_.type(w.fixed()).ndim() - static_cast<int>(w.dot->params.get<DotGeneral>().dims.lhs_contract.size());
    const int step_free = ndim - leading - fixed_free;
    lax::Dims out;
    for (int i = 0; i < leading; ++i) out.push_back(i);
    for (int i = 0; i < fixed_free; ++i) out.push_back(leading + step_free + i);
    for (int i = 0; i < step_free; ++i) out.push_back(leading + i);
    return out;
  }

  // Products of slices with what no step changes: slices of one product.
  void before() {
    for (std::size_t i = 0; i < l_.body.eqns.size(); ++i) {
      const std::optional<WithConst> w = with_const(l_.body.eqns[i]);
      if (!w) continue;
      auto slice = std::find_if(l_.slices.begin(), l_.slices.end(),
                                [&](const OpenLoop::Input& x) { return x.inside == w->step.id; });
      const ValueId result = w->dot->results[0];
      if (slice == l_.slices.end() || !s_.fits(s_.type(result).nbytes())) continue;
      const ValueId stack = of_stack(*w, slice->operand, l_.before);
      Type type = l_.around.type(stack);
      type.shape.erase(0);
      if (!w->turned) {
        l_.slices.push_back({stack, result});
        l_.body.types[result] = type;
        l_.body.eqns.erase(l_.body.eqns.begin() + static_cast<std::ptrdiff_t>(i--));
      } else {
        const lax::Dims order = turn(*w, type.ndim(), 0);
        const ValueId turned = l_.fresh_inside(type);
        Eqn& e = l_.body.eqns[i];
        e.op = &ops::transpose;
        e.params = ops::Transpose{order};
        e.operands = {turned};
        l_.slices.push_back({stack, turned});
      }
      s_.look();
    }
  }

  // Products with what no step changes that are only stacked: one product of the stack.
  void behind() {
    for (std::size_t k = 0; k < l_.stacks.size(); ++k) {
      const Eqn* e = s_.maker(l_.stacks[k].inside);
      const std::optional<WithConst> w = e && s_.used_once(l_.stacks[k].inside) ? with_const(*e) : std::nullopt;
      if (!w || !s_.fits(s_.type(w->step).nbytes())) continue;
      const ValueId wanted = l_.stacks[k].result;
      const Atom operand = s_.stack_of(w->step);
      ValueId made = of_stack(*w, operand, l_.after);
      if (w->turned)
        made = l_.add(l_.around, l_.after, ops::transpose, ops::Transpose{turn(*w, l_.around.type(wanted).ndim(), 1)},
                      {made});
      l_.after.back().results[0] = wanted;
      l_.stacks.erase(l_.stacks.begin() + static_cast<std::ptrdiff_t>(k--));
    }
    s_.look();
  }

  StepValues& s_;
  OpenLoop& l_;
};

}  // namespace

Program across_steps(const Program& program) {
  return with_loops(program, [](OpenLoop& l) {
    if (l.form.length == 0 || l.form.length == 1) return;
    l.change_body([](Program p) {
      return share_equal(order_products(is_left_out(PassId::simplify) ? std::move(p) : simplify(p)));
    });
    StepValues step(l);
    Products(step).run();
    if (l.condition || l.form.length >= StepValues::kFewestSteps) take_sums_out(step);
  });
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
