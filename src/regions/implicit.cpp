// Solutions of equations, whose derivatives are solutions too, by the implicit function theorem: how they were found is
// not differentiated. implicit_solve: A x = b gives A dx = db - dA x, and A^T backwards. implicit_root: f(x) = 0 gives
// f'(x) dx = -df.
#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

void check_recorded(const Call& c) {
  if (c.subs.size() < 2) throw InternalError(c.op.name + ": recorded for fewer derivatives than are taken of it");
}

// The results, the first of which have these tangents.
WithTangents with_first_tangents(const Arrays& results, Arrays tangents) {
  tangents.resize(results.size());
  return {results, std::move(tangents)};
}

// What the tangents of captured arrays make of the results of `program` at x; empty where nothing.
Arrays change_by_captured(const ProgramPtr& program, const Arrays& x, const Arrays& captured, const Arrays& tangents) {
  Flags differentiated(x.size(), false);
  append(differentiated, present(tangents));
  const JvpProgram forward = tutti::jvp(program, differentiated);
  Arrays in = x;
  append(in, captured);
  append(in, where(tangents, present(tangents)));
  return spread(without_first(tutti::apply(*forward.program, in), forward.tangent.size()), forward.tangent);
}

bool any_there(const Arrays& xs) { return count(present(xs)) > 0; }

// Every array of one of the lists to subtract; zeros where neither has one.
Arrays differences(const Arrays& from, const Arrays& what, const Arrays& like) {
  Arrays out;
  for (std::size_t i = 0; i < like.size(); ++i) {
    Array d = from[i];
    if (what[i].has_value()) d = d.has_value() ? lax::sub(d, what[i]) : lax::neg(what[i]);
    out.push_back(d.has_value() ? with_weak(d, like[i].weak_type()) : zeros_of(like[i].type()));
  }
  return out;
}

WithTangents jvp_rule_implicit_solve(const Call& c, const Arrays& primals, const Arrays& tangents) {
  check_recorded(c);
  const auto n = static_cast<std::size_t>(c.get<ImplicitSolve>().size);
  const Arrays results = bind(c.op, c.params, primals, c.subs), x = first_of(results, n);
  const Arrays captured = without_first(primals, n), db = first_of(tangents, n);
  Arrays change(n);
  if (const Arrays by = without_first(tangents, n); any_there(by))
    change = change_by_captured(c.subs[1], x, captured, by);
  if (!any_there(db) && !any_there(change)) return with_first_tangents(results, {});
  Arrays operands = differences(db, change, first_of(primals, n));
  append(operands, captured);
  return with_first_tangents(results, first_of(bind(c.op, c.params, operands, c.subs), n));
}

// From a cotangent of the right hand side to one of the solution; takes captured arrays last, as the matrix does.
ProgramPtr transposed(const ProgramPtr& matrix, std::size_t n) {
  Flags linear(matrix->inputs.size(), false);
  std::fill_n(linear.begin(), n, true);
  const Transposed back = tutti::transpose(matrix, linear, Flags(n, true));
  std::vector<Type> types = matrix->output_types();
  append(types, without_first(matrix->input_types(), n));
  return ops::recorded("transpose", types, [&](const Arrays& in) {
    Arrays given = without_first(in, n);
    append(given, first_of(in, n));
    Arrays out = spread(tutti::apply(*back.program, given), back.nonzero);
    for (std::size_t i = 0; i < n; ++i)
      if (!out[i].has_value()) out[i] = zeros_of(matrix->type(matrix->inputs[i]));
    return out;
  });
}

Arrays transpose_rule_implicit_solve(const Call& c, const Arrays& cotangents, const Arrays& operands,
                                     const Flags& undefined) {
  check_recorded(c);
  const auto& p = c.get<ImplicitSolve>();
  const auto n = static_cast<std::size_t>(p.size);
  if (count(without_first(undefined, n)) > 0) throw InternalError("implicit_solve: the matrix depends on a tangent");
  if (c.subs.size() < 3 && !p.symmetric)
    raise<UnsupportedError>("custom_linear_solve",
                            "reverse mode solves the transposed system, and no solver for it was given",
                            "Give transpose_solve, or symmetric where the matrix is its own transpose.");
  const std::vector<ProgramPtr> subs =
      p.symmetric ? c.subs : std::vector<ProgramPtr>{c.subs[2], transposed(c.subs[1], n), c.subs[0]};
  Arrays in;
  for (std::size_t i = 0; i < n; ++i) in.push_back(cotangents[i].has_value() ? cotangents[i] : zeros_of(c.operands[i]));
  append(in, without_first(operands, n));
  Arrays out = first_of(bind(c.op, c.params, in, subs), n);
  out.resize(operands.size());
  return out;
}

WithTangents jvp_rule_root(const Call& c, const Arrays& primals, const Arrays& tangents) {
  check_recorded(c);
  const auto n = static_cast<std::size_t>(c.get<ImplicitRoot>().size);
  const Arrays results = bind(c.op, c.params, primals, c.subs), x = first_of(results, n);
  const Arrays captured = without_first(primals, n), by = without_first(tangents, n);
  if (!any_there(by)) return with_first_tangents(results, {});
  const Arrays change = change_by_captured(c.subs[1], x, captured, by);
  if (!any_there(change)) return with_first_tangents(results, {});
  Arrays in = x;
  append(in, differences(Arrays(n), change, x));
  append(in, captured);
  return with_first_tangents(results, tutti::apply(*c.subs[2], in));
}

// A batch of a call is a call of batched programs, in which everything but what is captured is mapped.
Batched batch_call(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis, std::size_t n,
                   const std::vector<std::size_t>& own) {
  Arrays in = operands;
  for (std::size_t i = 0; i < n; ++i)
    if (!mapped[i]) in[i] = lax::broadcast(in[i], Shape{axis.size});
  std::vector<ProgramPtr> subs;
  for (std::size_t k = 0; k < c.subs.size(); ++k) {
    Flags flags(own[k], true);
    append(flags, without_first(mapped, n));
    subs.push_back(batch_all(c.subs[k], flags, axis));
  }
  return {bind(c.op, c.params, in, subs), Flags(c.subs[0]->outputs.size(), true)};
}

}  // namespace

constinit const Home implicit_solve = [] {
  Op op = call_op("implicit_solve");
  op.jvp_together = jvp_rule_implicit_solve;
  op.transpose = transpose_rule_implicit_solve;
  op.batch = [](const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
    const auto n = static_cast<std::size_t>(c.get<ImplicitSolve>().size);
    return batch_call(c, operands, mapped, axis, n, {n, n, n});
  };
  return op;
};

constinit const Home implicit_root = [] {
  Op op = call_op("implicit_root");
  op.jvp_together = jvp_rule_root;
  op.batch = [](const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
    const auto n = static_cast<std::size_t>(c.get<ImplicitRoot>().size);
    return batch_call(c, operands, mapped, axis, n, {n, n, 2 * n});
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
