// shard_map transformed: its body is, and the specs follow. Tangents and cotangents lie as their primals. A residual
// that varies over manual axes leaves the region as blocks of a new leading dim over these axes, so that every device
// finds its own again.
#include <algorithm>

#include "ops/collective/collective.hpp"
#include "regions/lists.hpp"
#include "regions/shard_map.hpp"
#include "transform/variance.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// A new leading dim of 1 for the residuals that vary, and without it again.
Array stacked(const Array& x) {
  Shape shape = x.shape();
  shape.insert(0, 1);
  return lax::reshape(x, shape);
}
Array unstacked(const Array& x) {
  Shape shape = x.shape();
  shape.erase(0);
  return lax::reshape(x, shape);
}

std::vector<AxisNames> variance_of(const ShardMap& p, const std::vector<DimAxes>& specs) {
  std::vector<AxisNames> out;
  for (const DimAxes& spec : specs) {
    out.push_back(mentioned(p, spec));
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

// How a residual leaves the region.
struct Residual {
  Type type;     // inside
  DimAxes spec;  // outside, with the new dim
  bool stacked = false;
};
std::vector<Residual> residuals_of(const ShardMap& p, const Split& s, const std::vector<DimAxes>& known_specs) {
  std::vector<AxisNames> varies = output_variance(*s.known, variance_of(p, known_specs));
  std::vector<Residual> out;
  for (std::size_t k = s.known->outputs.size() - static_cast<std::size_t>(s.num_residuals); k < varies.size(); ++k) {
    Type t = s.known->type(s.known->outputs[k]);
    const AxisNames& over = p.check_vma ? t.varying : varies[k];
    std::vector<std::string> front;  // in mesh order
    for (const std::string& name : p.axis_names)
      if (std::find(over.begin(), over.end(), name) != over.end()) front.push_back(name);
    DimAxes spec(static_cast<std::size_t>(t.ndim()));
    if (!front.empty()) spec.insert(spec.begin(), front);
    out.push_back({t, spec, !front.empty()});
  }
  return out;
}

// The known half with its residuals, its last outputs, stacked.
ProgramPtr stacking(const Program& known, const NamedAxes& axes, const std::vector<Residual>& residuals) {
  Recording recording("shard_map", axes);
  Arrays in;
  for (const Type& t : known.input_types()) in.push_back(recording.input(t));
  Arrays out = tutti::apply(known, in);
  for (std::size_t r = 0, first = out.size() - residuals.size(); r < residuals.size(); ++r)
    if (residuals[r].stacked) out[first + r] = stacked(out[first + r]);
  return recording.close(out);
}

// The unknown half, which finds them stacked as its first inputs.
ProgramPtr unstacking(const Program& unknown, const NamedAxes& axes, const std::vector<Residual>& residuals) {
  Recording recording("shard_map", axes);
  std::vector<Type> types = unknown.input_types();
  for (std::size_t r = 0; r < residuals.size(); ++r)
    if (residuals[r].stacked) types[r].shape.insert(0, 1);
  Arrays in;
  for (const Type& t : types) in.push_back(recording.input(t));
  for (std::size_t r = 0; r < residuals.size(); ++r)
    if (residuals[r].stacked) in[r] = unstacked(in[r]);
  return recording.close(tutti::apply(unknown, in));
}

// Without the check nothing says what is the same on all devices. Then a cotangent of a result that is not cut by an
// axis is dealt out in equal parts along it, and a cotangent of an operand that is not cut by an axis is summed along
// it: right for sums over the axis, as in JAX.
ProgramPtr with_shares(const ProgramPtr& body, const ShardMap& p, std::size_t first_cotangent,
                       const std::vector<DimAxes>& in, const std::vector<DimAxes>& out) {
  Recording recording("transpose", named_axes(p));
  Arrays args;
  for (std::size_t i = 0; i < body->inputs.size(); ++i) {
    Array x = recording.input(body->type(body->inputs[i]));
    if (i >= first_cotangent) {
      std::int64_t n = ways(p.mesh, unmentioned(p, in[i]));
      if (n > 1) x = lax::div(x, array_from_scalar(Scalar(static_cast<double>(n)).to(x.dtype()), true));
    }
    args.push_back(x);
  }
  Arrays results = tutti::apply(*body, args);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Group over{unmentioned(p, out[i]), {}};
    for (const std::string& name : over.axes) over.sizes.push_back(p.mesh.size(name));
    if (!over.axes.empty()) results[i] = bind1(psum, over, {results[i]});
  }
  return recording.close(results);
}

}  // namespace

WithTangents shard_map_jvp(const Call& c, const Arrays& primals, const Arrays& tangents) {
  ShardMap p = c.get<ShardMap>();
  Flags given = present(tangents);
  JvpProgram body = tutti::jvp(c.subs[0], given, named_axes(p));
  append(p.in_specs, where(p.in_specs, given));
  append(p.out_specs, where(p.out_specs, body.tangent));
  Arrays operands = primals;
  append(operands, where(tangents, given));
  return with_tangents(bind(c.op, p, operands, {body.program}), body.tangent);
}

Split shard_map_split(const Call& c, const Flags& unknown) {
  const auto& p = c.get<ShardMap>();
  Split s = tutti::split(c.subs[0], unknown);
  std::vector<Residual> residuals = residuals_of(p, s, where(p.in_specs, unknown, false));
  std::vector<DimAxes> specs;
  for (const Residual& r : residuals) specs.push_back(r.spec);
  SplitList<DimAxes> in(p.in_specs, unknown, specs), out(p.out_specs, s.unknown_output, specs);
  ShardMap known = p, rest = p;
  known.in_specs = in.known;
  known.out_specs = out.made();
  rest.in_specs = in.taken();
  rest.out_specs = out.unknown;
  ProgramPtr first =
      program_of(c.op, known, where(c.operands, unknown, false), {stacking(*s.known, named_axes(p), residuals)});
  std::vector<Type> made = first->output_types(), taken(made.end() - s.num_residuals, made.end());
  append(taken, where(c.operands, unknown));
  ProgramPtr then = program_of(c.op, rest, taken, {unstacking(*s.unknown, named_axes(p), residuals)});
  return {first, then, s.num_residuals, s.unknown_output};
}

Arrays shard_map_transpose(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  const auto& p = c.get<ShardMap>();
  Flags given = present(cotangents);
  Transposed t = tutti::transpose(c.subs[0], undefined, given, named_axes(p));
  ShardMap back = p;
  back.in_specs = where(p.in_specs, undefined, false);
  std::size_t first_cotangent = back.in_specs.size();
  append(back.in_specs, where(p.out_specs, given));
  back.out_specs = where(where(p.in_specs, undefined), t.nonzero);
  if (back.out_specs.empty()) return Arrays(operands.size());
  Arrays args = where(operands, undefined, false);
  append(args, where(cotangents, given));
  ProgramPtr body = p.check_vma ? t.program : with_shares(t.program, p, first_cotangent, back.in_specs, back.out_specs);
  return spread(spread(bind(c.op, back, args, {body}), t.nonzero), undefined);
}

Batched shard_map_batch(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  ShardMap p = c.get<ShardMap>();
  if (std::find(p.axis_names.begin(), p.axis_names.end(), axis.name) != p.axis_names.end())
    raise<ValueError>("shard_map",
                      "the axis '" + axis.name + "' is bound already by a vmap, pmap or shard_map around this call",
                      "Give one of them another axis name.");
  BatchedProgram body = tutti::batch(c.subs[0], mapped, axis, named_axes(p));
  for (std::size_t i = 0; i < mapped.size(); ++i)
    if (mapped[i]) p.in_specs[i].insert(p.in_specs[i].begin(), std::vector<std::string>());
  for (std::size_t k = 0; k < body.mapped.size(); ++k)
    if (body.mapped[k]) p.out_specs[k].insert(p.out_specs[k].begin(), std::vector<std::string>());
  return {bind(c.op, p, operands, {body.program}), body.mapped};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
