#include "partition/partition.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ops/collective/collective.hpp"
#include "partition/causes.hpp"
#include "partition/choose.hpp"
#include "partition/manual_regions.hpp"
#include "partition/moves.hpp"
#include "partition/regions.hpp"
#include "propagate/sites.hpp"
#include "trace/trace.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

// A value, or a literal, as one device's block: in every layout in which it is at hand so far.
struct Value {
  Atom atom;
  Versions versions;
  std::vector<Array> blocks;  // one per version

  void add(const Layout& layout, const Array& block) {
    versions.add(layout);
    blocks.push_back(block);
  }
};
using ValuePtr = std::shared_ptr<Value>;

class Partition {
 public:
  Partition(const ShardedProgram& sharded, const std::vector<Layout>& wanted, AxisRefs axes)
      : axes_(std::move(axes)),
        sharded_(sharded),
        p_(*sharded.program),
        wanted_(wanted),
        planner_(sharded.mesh),
        emit_(sharded.mesh) {}

  LocalProgram run(const Chooser& chooser) {
    std::vector<Candidate> chosen = chooser({p_, sharded_.mesh, axes_, wanted_}, planner_);
    LocalProgram out;
    out.mesh = sharded_.mesh;
    auto trace = std::make_shared<Trace>(Trace::Mode::staged, "partition", Loc{});
    Traced done;
    {
      TraceScope scope(trace);
      emit_.on_collective = [&](const Move& move, const Op& op, const Params& params, const Type& operand) {
        causes_.push_back(why_.cause(move, op, params, operand));
      };
      std::vector<ValuePtr> inputs;
      for (std::size_t i = 0; i < p_.inputs.size(); ++i) {
        ValueId v = p_.inputs[i];
        Type t = p_.types[v];
        out.input_types.push_back(t);
        out.inputs.push_back(wanted_[v]);
        t.shape = block_shape(wanted_[v], t.shape);
        inputs.push_back(value(v, wanted_[v], trace->input(t, i < p_.input_names.size() ? p_.input_names[i] : "")));
      }
      Environment<ValuePtr> env(p_, inputs, [](const Atom& a) { return std::make_shared<Value>(Value{a, {}, {}}); });
      int index = 0;
      std::vector<ValuePtr> outputs = replay(p_, env, [&](const Eqn& e, const std::vector<ValuePtr>& operands) {
        const Candidate& c = chosen[index];
        why_.at_eqn(index++, c);
        return equation(e, c, operands);
      });
      std::vector<Array> results;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Atom& a = p_.outputs[i];
        out.output_types.push_back(p_.type(a));
        out.outputs.push_back(a.is_literal() ? Layout::replicated(0) : wanted_[a.id]);
        why_.at_output(static_cast<int>(i));
        LocOverride line(why_.loc_of(a));
        results.push_back(block(*outputs[i], out.outputs.back(), -1));
      }
      done = trace->close(results);
    }
    out.program = done.program;
    out.causes = std::move(causes_);
    auto sent = std::count_if(out.program->eqns.begin(), out.program->eqns.end(), sends);
    if (!done.captured.empty() || sent != static_cast<std::ptrdiff_t>(out.causes.size()))
      throw InternalError("partition: " + std::to_string(sent) + " collectives, " + std::to_string(out.causes.size()) +
                          " causes, " + std::to_string(done.captured.size()) + " captured arrays");
    return out;
  }

 private:
  static ValuePtr value(ValueId v, const Layout& layout, const Array& block) {
    ValuePtr out = std::make_shared<Value>(Value{v, {}, {}});
    out->add(layout, block);
    return out;
  }

  // The operand as a block under `to`; moves are recorded once and found again by later users.
  Array block(Value& v, const Layout& to, int operand) {
    if (v.atom.is_literal()) {
      Array x = literal_array(v.atom);
      Layout at = Layout::replicated(0);
      for (const AxisRef& axis : to.pending) {
        Layout next = at;
        next.pending.push_back(axis);
        x = emit_.apply({Move::Kind::mask, {axis}, -1, -1, next}, at, x, {});
        at = next;
      }
      return x;
    }
    const Type& type = p_.type(v.atom.id);
    const Path* path = nullptr;
    std::size_t from = v.versions.best(to, sizes_of(type), planner_, path);
    Array x = v.blocks[from];
    Layout at = v.versions.layouts[from];
    for (const Move& move : path->moves) {
      why_.moving(v.atom.id, operand, at, to);
      x = emit_.apply(move, at, x, type.shape);
      at = move.after;
      if ((is_collective(move.kind) || at == to) &&
          std::find(v.versions.layouts.begin(), v.versions.layouts.end(), at) == v.versions.layouts.end())
        v.add(at, x);
    }
    return x;
  }

  std::vector<ValuePtr> equation(const Eqn& e, const Candidate& c, const std::vector<ValuePtr>& operands) {
    std::vector<Array> blocks;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      Array x = block(*operands[o], c.operands[o], static_cast<int>(o));
      if (!e.operands[o].is_literal() && o < c.padded_dims.size()) {
        const Type& type = p_.types[e.operands[o].id];
        for (std::size_t k = 0; k < c.padded_dims[o].size(); ++k)
          x = emit_.mask_padding(x, c.operands[o], type.shape, c.padded_dims[o][k],
                                 identity_of(c.padding[o][k], type.dtype));
      }
      blocks.push_back(std::move(x));
    }
    std::vector<Array> results = local(e, c, std::move(blocks));
    std::vector<ValuePtr> out;
    for (std::size_t k = 0; k < results.size(); ++k) out.push_back(value(e.results[k], c.results[k], results[k]));
    return out;
  }

  // What one device does for an Eqn.
  std::vector<Array> local(const Eqn& e, const Candidate& c, std::vector<Array> blocks) {
    if (e.op->role == Role::constraint) return blocks;
    if (e.op->role == Role::region) return region(e, std::move(blocks));
    if (e.op->role == Role::generator) return {generated(e, c.results[0])};
    return bind(*e.op, c.params, std::move(blocks), e.subs);
  }

  std::vector<Array> region(const Eqn& e, std::vector<Array> blocks) {
    std::vector<bool> live;
    for (ValueId r : e.results) live.push_back(index_.is_read(r));
    return inline_region(e, sharded_.mesh, std::move(blocks), live,
                         [&](const Eqn& inner, const Params& params, const Type& operand) {
                           causes_.push_back(why_.by_hand(inner, params, operand));
                         });
  }

  // A generator: the local part of the numbers, moved by the start of the block where they count.
  Array generated(const Eqn& e, const Layout& layout) {
    const Type& type = p_.types[e.results[0]];
    Candidate c;
    c.results = {layout};
    Array x = bind(*e.op, localized(e, p_, c).value(), {})[0];
    int d = e.op->index(e.params);
    if (layout.dims[d].empty()) return x;
    Array start = lax::convert_element_type(emit_.block_start(layout, type.shape, d), type.dtype);
    return lax::add(x, lax::broadcast_in_dim(start, x.shape(), {}));
  }

  AxisRefs axes_;
  const ShardedProgram& sharded_;
  const Program& p_;
  const std::vector<Layout>& wanted_;
  Planner planner_;
  Emitter emit_;
  ProgramIndex index_{p_};
  Causes why_{sharded_, index_};
  std::vector<Cause> causes_;
};

}  // namespace

LocalProgram partition(const ShardedProgram& sharded, const BoundaryAxes& boundary, const Chooser& chooser) {
  AxisRefs axes;
  auto is_boundary = [&](int axis) {
    return boundary.all || std::find(boundary.names.begin(), boundary.names.end(), sharded.mesh.axis_names()[axis]) !=
                               boundary.names.end();
  };
  if (sharded.mesh.has_value())
    for (int a = 0; a < sharded.mesh.ndim(); ++a)
      if (sharded.mesh.shape()[a] > 1 && is_boundary(a)) axes.push_back(whole_axis(sharded.mesh, a));
  if (axes.empty()) {
    // Nothing lies behind a boundary: constraints are labels, and of a manual region all devices run as one batch.
    LocalProgram out = on_one_device(without_constraints(open_manual_regions(sharded.program)));
    if (boundary.all && sharded.mesh.has_value()) out.mesh = sharded.mesh;  // all its axes have size 1
    return out;
  }
  auto inside = [&](const AxisRef& r) { return r.size == 1 || !is_boundary(r.axis); };
  std::vector<Layout> wanted;
  for (Layout l : sharded.layouts) {
    for (AxisRefs& refs : l.dims) std::erase_if(refs, inside);
    wanted.push_back(canonical(std::move(l)));
  }
  return Partition(sharded, wanted, axes).run(chooser);
}

}  // namespace tutti
