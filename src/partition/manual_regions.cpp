#include "partition/manual_regions.hpp"

#include <algorithm>

#include "ir/rewrite.hpp"
#include "ops/collective/collective.hpp"
#include "regions/shard_map.hpp"
#include "trace/trace.hpp"
#include "transform/transform.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

using ops::DimAxes;
using ops::ShardMap;

bool has_regions(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->role == Role::region ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return has_regions(*sub); });
  });
}

// Types without variance, and no pvary: where all lanes are one batch, the batching knows what varies.
ProgramPtr untyped(const ProgramPtr& p) {
  auto out = std::make_shared<Program>(*without_identities(p, [](const Eqn& e) { return e.op == &ops::pvary; }));
  for (Type& t : out->types) t.varying.clear();
  for (Eqn& e : out->eqns)
    for (ProgramPtr& sub : e.subs) sub = untyped(sub);
  return out;
}

struct Opener {
  std::vector<Array> run(const Program& p, const std::vector<Array>& args) {
    Environment<Array> env(p, args, literal_array);
    return replay(p, env, [&](const Eqn& e, std::vector<Array> operands) {
      if (e.op->role == Role::region) return region(e, operands);
      std::vector<ProgramPtr> subs;
      for (const ProgramPtr& sub : e.subs) subs.push_back(open_manual_regions(sub));
      return bind(*e.op, e.params, std::move(operands), std::move(subs));
    });
  }

  std::vector<Array> region(const Eqn& e, const std::vector<Array>& operands) {
    const auto& p = e.params.get<ShardMap>();
    std::vector<Array> lanes;
    std::vector<std::vector<std::string>> in_axes, out_axes(p.out_specs.size());  // leading dims, in mesh order
    for (std::size_t i = 0; i < operands.size(); ++i) {
      in_axes.push_back(ops::mentioned(p, p.in_specs[i]));
      lanes.push_back(to_lanes(p, p.in_specs[i], operands[i]));
    }
    ProgramPtr body = untyped(e.subs[0]);
    // The last axis first, so that the dims in front end up in mesh order.
    for (std::size_t k = p.axis_names.size(); k-- > 0;) {
      const std::string& name = p.axis_names[k];
      std::vector<bool> mapped;
      for (const auto& axes : in_axes) mapped.push_back(std::find(axes.begin(), axes.end(), name) != axes.end());
      BatchedProgram batched = batch(*body, mapped, {p.mesh.size(name), name});
      for (std::size_t o = 0; o < out_axes.size(); ++o)
        if (batched.mapped[o]) out_axes[o].insert(out_axes[o].begin(), name);
      body = batched.program;
    }
    std::vector<Array> results = run(*body, lanes);
    for (std::size_t o = 0; o < results.size(); ++o)
      results[o] = from_lanes(p, p.out_specs[o], results[o], out_axes[o]);
    return results;
  }

  // Global to [devices of each axis mentioned, in mesh order, local dims].
  static Array to_lanes(const ShardMap& p, const DimAxes& spec, const Array& x) {
    std::vector<std::string> axes = ops::mentioned(p, spec);
    if (axes.empty()) return x;
    Shape split;
    std::vector<std::string> what;  // per dim of `split`: its axis, or "" for the local part
    for (std::size_t d = 0; d < spec.size(); ++d) {
      std::int64_t rest = x.shape()[static_cast<int>(d)];
      for (const std::string& name : spec[d]) {
        split.push_back(p.mesh.size(name));
        what.push_back(name);
        rest /= split.dims().back();
      }
      split.push_back(rest);
      what.emplace_back();
    }
    lax::Dims order;
    for (const std::string& name : axes) order.push_back(std::find(what.begin(), what.end(), name) - what.begin());
    for (std::size_t d = 0; d < what.size(); ++d)
      if (what[d].empty()) order.push_back(static_cast<std::int64_t>(d));
    return transposed(reshaped(x, split), order);
  }

  // And back: `leading` are the axes that the result varies over, in mesh order.
  static Array from_lanes(const ShardMap& p, const DimAxes& spec, Array x, const std::vector<std::string>& leading) {
    std::vector<std::string> axes = ops::mentioned(p, spec);
    // An axis that the spec does not mention: the content at its coordinate 0. One that the result does not vary over:
    // repeated.
    lax::Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims(), place;
    Shape kept, full;
    for (std::size_t d = 0; d < leading.size(); ++d) {
      if (std::find(axes.begin(), axes.end(), leading[d]) != axes.end())
        kept.push_back(limit[d]);
      else
        limit[d] = 1;
    }
    for (std::size_t d = leading.size(); d < limit.size(); ++d) kept.push_back(limit[d]);
    if (limit != x.shape().dims()) x = lax::slice(x, start, limit);
    x = reshaped(x, kept);
    for (const std::string& name : axes) {
      if (std::find(leading.begin(), leading.end(), name) != leading.end())
        place.push_back(static_cast<std::int64_t>(full.size()));
      full.push_back(p.mesh.size(name));
    }
    std::int64_t local = static_cast<std::int64_t>(place.size());
    for (std::size_t d = static_cast<std::size_t>(local); d < kept.size(); ++d) {
      place.push_back(static_cast<std::int64_t>(full.size()));
      full.push_back(kept[static_cast<int>(d)]);
    }
    if (full != x.shape()) x = lax::broadcast_in_dim(x, full, place);
    lax::Dims order;
    Shape shape;
    for (std::size_t d = 0; d < spec.size(); ++d) {
      std::int64_t n = 1;
      for (const std::string& name : spec[d]) {
        order.push_back(std::find(axes.begin(), axes.end(), name) - axes.begin());
        n *= p.mesh.size(name);
      }
      auto at = static_cast<std::int64_t>(axes.size() + d);
      order.push_back(at);
      shape.push_back(n * full[static_cast<int>(at)]);
    }
    return reshaped(transposed(x, order), shape);
  }

  static Array reshaped(const Array& x, const Shape& shape) { return shape == x.shape() ? x : lax::reshape(x, shape); }
  static Array transposed(const Array& x, const lax::Dims& order) {
    return std::is_sorted(order.begin(), order.end()) ? x : lax::transpose(x, order);
  }
};

}  // namespace

ProgramPtr open_manual_regions(const ProgramPtr& program) {
  if (!has_regions(*program)) return program;
  OutsideOf all(nullptr);
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "shard_map", Loc());
  std::vector<Array> args;
  for (std::size_t i = 0; i < program->inputs.size(); ++i)
    args.push_back(trace->input(program->types[program->inputs[i]],
                                i < program->input_names.size() ? program->input_names[i] : ""));
  TraceScope scope(trace);
  return trace->close(Opener().run(*program, args)).program;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
