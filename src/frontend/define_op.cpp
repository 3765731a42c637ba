// Operations of the user's: an Op whose rules call the functions of a definition.
#include "tutti/transform/define_op.hpp"

#include <memory>
#include <mutex>

#include "frontend/named_dims.hpp"
#include "ir/op.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {

namespace detail {

/// A definition, its Op, and how it may be cut.
struct DefinedState {
  OpDefinition definition;
  Loc made;
  Op op = {};
};

void check_element(DType dtype, DType asked) {
  if (dtype != asked)
    raise<TypeError>("as", "the elements are " + std::string(dtype.name()) + ", not " + std::string(asked.name()),
                     "Ask for elements of the dtype: dtype() says it.");
}

}  // namespace detail

namespace {

using detail::DefinedState;
using OpArrays = OpDefinition::Arrays;

ShapeDtypeStruct struct_of(const Type& t) { return {t.shape, t.dtype}; }

std::vector<Type> defined_types(const OpDefinition& d, const Call& c) {
  std::vector<ShapeDtypeStruct> operands;
  for (const Type& t : c.operands) operands.push_back(struct_of(t));
  std::vector<Type> out;
  for (const ShapeDtypeStruct& r : d.result_types(operands)) out.push_back({r.dtype, r.shape, false, {}});
  return out;
}

void compute_defined(const OpDefinition& d, std::span<const HostView> operands, std::span<const HostView> results) {
  std::vector<OpOperand> in;
  std::vector<OpResult> out;
  for (const HostView& x : operands)
    in.emplace_back(struct_of(x.type), x.data, static_cast<std::size_t>(x.type.nbytes()));
  for (const HostView& x : results)
    out.emplace_back(struct_of(x.type), x.data, static_cast<std::size_t>(x.type.nbytes()));
  d.compute(in, out);
}

// What a function of the definition gave, which has to be like these arrays: as many, of their shapes and dtypes. Where
// `zeros` an empty one is zeros.
OpArrays checked_like(const DefinedState& s, const char* what, OpArrays given, const OpArrays& like, bool zeros) {
  if (given.size() != like.size())
    raise<ValueError>(s.definition.name,
                      std::string(what) + " returned " + std::to_string(given.size()) + " arrays instead of " +
                          std::to_string(like.size()),
                      "Return one for each.", s.made);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (zeros && !given[i].has_value()) continue;
    const Type is = given[i].type(), wanted = like[i].type();
    if (is.shape == wanted.shape && is.dtype == wanted.dtype) continue;
    const std::string problem = std::string(what) + " returned " + is.str() + " as array " + std::to_string(i) +
                                ", which has to be " + wanted.str();
    if (is.shape != wanted.shape)
      raise<ShapeError>(s.definition.name, problem, "Return arrays of the same shapes.", s.made);
    raise<TypeError>(s.definition.name, problem, "Convert it with astype(" + std::string(wanted.dtype.name()) + ").",
                     s.made);
  }
  return given;
}

// --- derivatives

OpArrays tangents_by_rule(const DefinedState& s, const OpArrays& primals, const OpArrays& results, OpArrays tangents) {
  for (std::size_t i = 0; i < primals.size(); ++i)
    if (!tangents[i].has_value() && primals[i].dtype().is_inexact()) tangents[i] = zeros_like(primals[i]);
  return checked_like(s, "jvp", s.definition.jvp(primals, results, tangents), results, true);
}

// Of the expression, by the operands that have tangents.
OpArrays tangents_by_expression(const DefinedState& s, const OpArrays& primals, const OpArrays& results,
                                const OpArrays& tangents) {
  OpArrays some, directions;
  for (std::size_t i = 0; i < primals.size(); ++i) {
    if (!tangents[i].has_value()) continue;
    some.push_back(primals[i]);
    directions.push_back(tangents[i]);
  }
  auto of_some = [&](const OpArrays& xs) {
    OpArrays all = primals;
    for (std::size_t i = 0, next = 0; i < all.size(); ++i)
      if (tangents[i].has_value()) all[i] = xs[next++];
    return checked_like(s, "expression", s.definition.expression(all), results, false);
  };
  return jvp(of_some, std::tuple{some}, std::tuple{directions}).second;
}

// --- batches

// `f` of all operands, where those that are mapped are the arguments of a function of them alone.
template <class F> auto of_mapped(const OpArrays& operands, const std::vector<bool>& mapped, F f) {
  return [&operands, mapped, f](const OpArrays& xs) {
    OpArrays all = operands;
    for (std::size_t i = 0, next = 0; i < all.size(); ++i)
      if (mapped[i]) all[i] = xs[next++];
    return f(all);
  };
}

Batched batch_defined(const DefinedState& s, const OpArrays& operands, const std::vector<bool>& mapped,
                      std::int64_t size) {
  const OpDefinition& d = s.definition;
  if (d.batch) {
    OpArrays out = d.batch(size, operands, mapped);
    for (const Array& x : out)
      if (x.ndim() == 0 || x.shape()[0] != size)
        raise<ShapeError>(d.name, "batch returned " + type_text(x) + " for " + std::to_string(size) + " elements",
                          "Every result has a dim for them in front.", s.made);
    const std::vector<bool> all(out.size(), true);
    return {std::move(out), all};
  }
  OpArrays some;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (mapped[i]) some.push_back(operands[i]);
  OpArrays out =
      d.expression
          ? vmap(of_mapped(operands, mapped, d.expression))(some)
          : lax::map(of_mapped(operands, mapped, [&](const OpArrays& xs) { return bind(s.op, {}, xs); }), some);
  const std::vector<bool> all(out.size(), true);
  return {std::move(out), all};
}

Op op_of(const DefinedState& s) {
  const OpDefinition& d = s.definition;
  Op op;
  op.name = d.name;
  op.host = true;
  op.own_weak = true;
  op.infer = [&d](const Call& c) { return defined_types(d, c); };
  op.eval = [&d](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    compute_defined(d, in, out);
  };
  if (d.jvp)
    op.jvp = [&s](const Call&, const OpArrays& primals, const OpArrays& results, const OpArrays& tangents) {
      return tangents_by_rule(s, primals, results, tangents);
    };
  else if (d.expression)
    op.jvp = [&s](const Call&, const OpArrays& primals, const OpArrays& results, const OpArrays& tangents) {
      return tangents_by_expression(s, primals, results, tangents);
    };
  else
    op.not_differentiable = "it was defined without a derivative: give define_op a jvp, a vjp or an expression";
  op.batch = [&s](const Call&, const OpArrays& operands, const std::vector<bool>& mapped, const BatchAxis& axis) {
    return batch_defined(s, operands, mapped, axis.size);
  };
  if (!d.factors.empty())
    op.factors = [names = NamedDims(d.factors, d.name, s.made)](const Call& c, const std::vector<Type>& results) {
      return names.factors(c.operands, results);
    };
  return op;
}

// Programs hold addresses of operations: none ever ends.
const DefinedState* kept(std::unique_ptr<DefinedState> state) {
  static std::mutex mutex;
  static auto& all = *new std::vector<std::unique_ptr<DefinedState>>;
  std::lock_guard lock(mutex);
  return all.emplace_back(std::move(state)).get();
}

}  // namespace

const std::string& DefinedOp::name() const { return state_->definition.name; }

std::vector<Array> DefinedOp::results(const std::vector<Array>& operands, Loc loc) const {
  CallScope scope(loc);
  const OpDefinition& d = state_->definition;
  auto plain = [s = state_](const OpArrays& xs) {
    return s->definition.compute ? bind(s->op, {}, xs) : s->definition.expression(xs);
  };
  if (!d.vjp) return plain(operands);
  using Kept = std::pair<OpArrays, OpArrays>;
  auto forward = [plain](const OpArrays& xs) {
    OpArrays made = plain(xs);
    return std::pair{made, Kept{xs, made}};
  };
  auto backward = [s = state_](const Kept& kept, const OpArrays& cotangents) {
    return std::tuple{
        checked_like(*s, "vjp", s->definition.vjp(kept.first, kept.second, cotangents), kept.first, true)};
  };
  return custom_vjp(plain, forward, backward, state_->made)(operands);
}

Array DefinedOp::one(const std::vector<Array>& operands, Loc loc) const {
  std::vector<Array> out = results(operands, loc);
  if (out.size() != 1)
    raise<ValueError>(name(), "it has " + std::to_string(out.size()) + " results",
                      "Call results({...}), which gives all.", loc);
  return std::move(out[0]);
}

DefinedOp define_op(OpDefinition definition, Loc made) {
  auto refuse = [&](const std::string& problem, const std::string& advice) {
    raise<ValueError>("define_op", problem, advice, made);
  };
  if (definition.name.empty()) refuse("the operation has no name", "Give .name: programs and errors say it.");
  if (!definition.result_types)
    refuse(definition.name + " has no result_types", "Give the function from the operands' types to the results'.");
  if (!definition.compute && !definition.expression)
    refuse(definition.name + " has neither compute nor expression", "Give one of them.");
  if (definition.jvp && definition.vjp)
    refuse(definition.name + " has two derivatives, jvp and vjp", "Give one: both modes follow from jvp.");
  auto state = std::make_unique<DefinedState>(DefinedState{std::move(definition), made});
  state->op = op_of(*state);
  return DefinedOp(kept(std::move(state)));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
