// shard_map transformed: its body is, and the specs follow. Tangents and cotangents lie as their primals. A residual
// that varies over manual axes leaves the region as blocks of a new leading dim over these axes, so that every device
// finds its own again.
#include "transform/shard_map_rules.hpp"

#include <algorithm>

#include "ops/collective/collective.hpp"
#include "ops/region/shard_map.hpp"
#include "transform/interpret.hpp"
#include "transform/subprogram_rules.hpp"
#include "transform/subprograms.hpp"
#include "transform/variance.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

using ops::DimAxes;
using ops::ShardMap;

std::pair<std::vector<Array>, std::vector<Array>> jvp_rule(const Eqn& eqn, const std::vector<Array>& primals,
                                                           const std::vector<Array>& tangents) {
  ShardMap p = eqn.params.get<ShardMap>();
  std::vector<bool> given = present(tangents);
  JvpProgram body = jvp(*eqn.subs[0], given, ops::named_axes(p));
  append(p.in_specs, where(p.in_specs, given));
  append(p.out_specs, where(p.out_specs, body.tangent));
  std::vector<Array> operands = primals;
  append(operands, where(tangents, given));
  std::vector<Array> out = bind(*eqn.op, p, operands, {body.program}), out_tangents(body.tangent.size());
  std::size_t n = body.tangent.size(), next = n;
  for (std::size_t k = 0; k < n; ++k)
    if (body.tangent[k]) out_tangents[k] = out[next++];
  out.resize(n);
  return {out, out_tangents};
}

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
    out.push_back(ops::mentioned(p, spec));
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

EqnSplit split_rule(const Eqn& eqn, const std::vector<Type>&, const std::vector<bool>& unknown) {
  const auto& p = eqn.params.get<ShardMap>();
  NamedAxes axes = ops::named_axes(p);
  Split s = split(*eqn.subs[0], unknown);
  auto residuals = static_cast<std::size_t>(s.num_residuals);
  std::size_t known_outputs = s.known->outputs.size() - residuals;

  ShardMap known = p, rest = p;
  known.in_specs = where(p.in_specs, unknown, false);
  known.out_specs = where(p.out_specs, s.unknown_output, false);
  rest.out_specs = where(p.out_specs, s.unknown_output);
  std::vector<AxisNames> varies = output_variance(*s.known, variance_of(known, known.in_specs));
  std::vector<char> stack;
  std::vector<DimAxes> specs;
  for (std::size_t r = 0; r < residuals; ++r) {
    Type t = s.known->type(s.known->outputs[known_outputs + r]);
    const AxisNames& over = p.check_vma ? t.varying : varies[known_outputs + r];
    std::vector<std::string> front;  // in mesh order
    for (const std::string& name : p.axis_names)
      if (std::find(over.begin(), over.end(), name) != over.end()) front.push_back(name);
    stack.push_back(!front.empty());
    DimAxes spec(static_cast<std::size_t>(t.ndim()));
    if (!front.empty()) spec.insert(spec.begin(), front);
    specs.push_back(std::move(spec));
  }
  append(known.out_specs, specs);
  rest.in_specs = specs;
  append(rest.in_specs, where(p.in_specs, unknown));

  ProgramPtr first, second;
  {
    Recording recording("shard_map", axes);
    std::vector<Array> in;
    for (ValueId v : s.known->inputs) in.push_back(recording.input(s.known->type(v)));
    std::vector<Array> out = tutti::apply(*s.known, in);
    for (std::size_t r = 0; r < residuals; ++r)
      if (stack[r]) out[known_outputs + r] = stacked(out[known_outputs + r]);
    first = recording.close(out);
  }
  {
    Recording recording("shard_map", axes);
    std::vector<Array> in;
    for (std::size_t i = 0; i < s.unknown->inputs.size(); ++i) {
      Type t = s.unknown->type(s.unknown->inputs[i]);
      bool stacks = i < residuals && stack[i];
      if (stacks) t.shape.insert(0, 1);
      in.push_back(recording.input(t));
    }
    for (std::size_t i = 0; i < residuals; ++i)
      if (stack[i]) in[i] = unstacked(in[i]);
    second = recording.close(tutti::apply(*s.unknown, in));
  }
  return {{eqn.op, known, {first}}, {eqn.op, rest, {second}}, s.num_residuals, s.unknown_output};
}

// Without the check nothing says what is the same on all devices. Then a cotangent of a result that is not cut by an
// axis is dealt out in equal parts along it, and a cotangent of an operand that is not cut by an axis is summed along
// it: right for sums over the axis, as in JAX.
ProgramPtr with_shares(const ProgramPtr& body, const ShardMap& p, std::size_t first_cotangent,
                       const std::vector<DimAxes>& in, const std::vector<DimAxes>& out) {
  Recording recording("transpose", ops::named_axes(p));
  std::vector<Array> args;
  for (std::size_t i = 0; i < body->inputs.size(); ++i) {
    Array x = recording.input(body->type(body->inputs[i]));
    if (i >= first_cotangent) {
      std::int64_t n = ops::ways(p.mesh, ops::unmentioned(p, in[i]));
      if (n > 1) x = lax::div(x, array_from_scalar(Scalar(static_cast<double>(n)).to(x.dtype()), true));
    }
    args.push_back(x);
  }
  std::vector<Array> results = tutti::apply(*body, args);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Group over{ops::unmentioned(p, out[i]), {}};
    for (const std::string& name : over.axes) over.sizes.push_back(p.mesh.size(name));
    if (!over.axes.empty()) results[i] = bind1(ops::psum, over, {results[i]});
  }
  return recording.close(results);
}

std::vector<Array> transpose_rule(const Eqn& eqn, const std::vector<Type>&, const std::vector<Array>& cotangents,
                                  const std::vector<Array>& operands, const std::vector<bool>& undefined) {
  const auto& p = eqn.params.get<ShardMap>();
  std::vector<bool> given = present(cotangents);
  Transposed t = transpose(*eqn.subs[0], undefined, given, ops::named_axes(p));
  ShardMap back = p;
  back.in_specs = where(p.in_specs, undefined, false);
  std::size_t first_cotangent = back.in_specs.size();
  append(back.in_specs, where(p.out_specs, given));
  back.out_specs = where(where(p.in_specs, undefined), t.nonzero);
  std::vector<Array> args = where(operands, undefined, false);
  append(args, where(cotangents, given));
  std::vector<Array> out(operands.size());
  if (back.out_specs.empty()) return out;
  ProgramPtr body = p.check_vma ? t.program : with_shares(t.program, p, first_cotangent, back.in_specs, back.out_specs);
  std::vector<Array> results = bind(*eqn.op, back, args, {body});
  std::size_t linear = 0, next = 0;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (undefined[i] && t.nonzero[linear++]) out[i] = results[next++];
  return out;
}

Batched batch_rule(const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                   const BatchAxis& axis) {
  ShardMap p = eqn.params.get<ShardMap>();
  if (std::find(p.axis_names.begin(), p.axis_names.end(), axis.name) != p.axis_names.end())
    raise<ValueError>("shard_map",
                      "the axis '" + axis.name + "' is bound already by a vmap, pmap or shard_map around this call",
                      "Give one of them another axis name.", eqn.loc);
  BatchedProgram body = batch(*eqn.subs[0], mapped, axis, ops::named_axes(p));
  for (std::size_t i = 0; i < mapped.size(); ++i)
    if (mapped[i]) p.in_specs[i].insert(p.in_specs[i].begin(), std::vector<std::string>());
  for (std::size_t k = 0; k < body.mapped.size(); ++k)
    if (body.mapped[k]) p.out_specs[k].insert(p.out_specs[k].begin(), std::vector<std::string>());
  return {bind(*eqn.op, p, operands, {body.program}), body.mapped};
}

}  // namespace

void register_shard_map_rules() {
  static const bool once = [] {
    set_subprogram_rules("shard_map", {jvp_rule, split_rule, transpose_rule, batch_rule});
    return true;
  }();
  (void)once;
}

}  // namespace tutti
