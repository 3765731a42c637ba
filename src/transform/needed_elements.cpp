#include "transform/needed_elements.hpp"

#include <algorithm>

#include "ir/index.hpp"
#include "ir/op.hpp"
#include "ir/views.hpp"

namespace tutti {
namespace {

struct Range {
  int dim;
  std::int64_t from, to;
  friend bool operator==(const Range&, const Range&) = default;
};

bool may_give_parts(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->part ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return may_give_parts(*s); });
  });
}

// The part of value `v` that Eqn `e`, a slice along one dim, reads.
std::optional<Range> range_of(const Program& p, const Views& views, ValueId v, const Eqn& e) {
  if (!e.op->view || e.results.size() != 1) return std::nullopt;
  const Along& along = views.along(e.results[0]);
  if (along.segments.size() != 1 || !(along.segments[0].source == Atom(v))) return std::nullopt;
  const Segment& s = along.segments[0];
  return Range{along.dim, s.from, s.from + p.types[e.results[0]].shape[along.dim]};
}

// The part that all readers of the Eqn's results read, if it is one.
std::optional<Range> read_of(const Program& p, const ProgramIndex& index, const Views& views, const Eqn& e) {
  std::optional<Range> out;
  for (ValueId v : e.results) {
    if (index.is_output(v)) return std::nullopt;
    for (const ProgramIndex::Use& use : index.uses(v)) {
      const std::optional<Range> range = range_of(p, views, v, p.eqns[use.eqn]);
      if (!range || (out && !(*out == *range))) return std::nullopt;
      out = range;
    }
  }
  return out;
}

}  // namespace

ProgramPtr needed_elements(const ProgramPtr& program) {
  if (!may_give_parts(*program)) return program;
  Program out = *program;
  const ProgramIndex index(*program);
  Views views(*program);
  for (const Eqn& e : program->eqns) views.note(e);
  std::vector<Atom> stands_for(out.types.size());  // for slices that would read all
  for (std::size_t v = 0; v < stands_for.size(); ++v) stands_for[v] = Atom(static_cast<ValueId>(v));
  for (Eqn& e : out.eqns) {
    for (ProgramPtr& sub : e.subs) sub = needed_elements(sub);
    if (!e.op->part) continue;
    const std::optional<Range> range = read_of(*program, index, views, e);
    if (!range) continue;
    std::vector<Type> operands;
    for (const Atom& a : e.operands) operands.push_back(out.type(a));
    const Call call{*e.op, e.params, operands, e.subs};
    const std::optional<Params> params = e.op->part(call, range->dim, range->from, range->to);
    if (!params) continue;
    e.params = *params;
    const std::vector<Type> types = infer_types(*e.op, e.params, operands, e.subs);
    for (std::size_t k = 0; k < types.size(); ++k) {
      out.types[e.results[k]] = types[k];
      for (const ProgramIndex::Use& use : index.uses(e.results[k]))
        stands_for[program->eqns[use.eqn].results[0]] = Atom(e.results[k]);
    }
  }
  auto put = [&](Atom& a) {
    if (!a.is_literal()) a = stands_for[a.id];
  };
  for (Eqn& e : out.eqns)
    for (Atom& a : e.operands) put(a);
  for (Atom& a : out.outputs) put(a);
  return tidied(std::move(out));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
