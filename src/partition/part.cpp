#include "partition/part.hpp"

#include <algorithm>

#include "ir/across.hpp"
#include "ops/collective/collective.hpp"
#include "partition/regions.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {

Part::Part(const ShardedProgram& sharded, Planner& planner, std::vector<Homes> homes, Part* around, BodyWords words)
    : sharded_(sharded),
      p_(*sharded.program),
      planner_(planner),
      around_(around),
      trace_(std::make_shared<Trace>(Trace::Mode::staged, "partition", Loc{})),
      emit_(sharded.mesh),
      why_(sharded, index_, std::move(words)),
      homes_(std::move(homes)) {
  emit_.on_collective = [this](const Move& move, const Op& op, const Params& params, const Type& operand) {
    causes_.push_back(why_.cause(move, op, params, operand));
  };
}

ValuePtr Part::input(ValueId v, const Layout& layout, std::string name) {
  Type t = p_.types[v];
  t.shape = block_shape(layout, t.shape);
  return value(v, layout, trace_->input(t, std::move(name)));
}

ValuePtr Part::value(ValueId v, const Layout& layout, const Array& block) {
  ValuePtr out = std::make_shared<Value>(Value{v, this});
  out->add(as_sets(layout, homes(v)), block);
  return out;
}

Recorded Part::record(const BodyPlan& plan, const std::vector<ValuePtr>& inputs, const std::vector<Layout>& outputs) {
  TraceScope scope(trace_);
  hubs_ = plan.hubs;
  Environment<ValuePtr> env(p_, inputs, [](const Atom& a) { return std::make_shared<Value>(Value{a}); });
  int index = 0;
  std::vector<ValuePtr> made = replay(p_, env, [&](const Eqn& e, const std::vector<ValuePtr>& operands) {
    const Candidate& c = plan.chosen[index];
    why_.at_eqn(index);
    const std::optional<LoopForm> form = loop_form(e);
    const std::vector<Array> results = form ? loop(index, *form, c, operands) : equation(e, c, operands);
    ++index;
    std::vector<ValuePtr> out;
    for (std::size_t k = 0; k < results.size(); ++k) out.push_back(value(e.results[k], c.results[k], results[k]));
    return out;
  });
  std::vector<Array> results;
  for (std::size_t i = 0; i < made.size(); ++i) {
    why_.at_output(static_cast<int>(i));
    LocOverride line(why_.loc_of(p_.outputs[i]));
    results.push_back(block(*made[i], outputs[i]));
  }
  return {trace_->close(results), std::move(causes_)};
}

const Homes& Part::homes(ValueId v) const {
  static const auto& none = *new Homes;
  return homes_.empty() ? none : homes_[static_cast<std::size_t>(v)];
}

Sizes Part::sizes(ValueId v) const {
  Sizes out = sizes_of(p_.types[v]);
  out.sets = sets(homes(v));
  return out;
}

// The operand as a block under `wanted`; moves are recorded once and found again by later users.
Array Part::block(Value& v, const Layout& wanted) {
  if (v.atom.is_literal()) {
    const Layout& to = wanted;
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
  if (v.home != this) {
    // The same in all steps of the loop that this is the body of: moved before it.
    const Part* inside = this;
    while (inside->around_ != v.home) inside = inside->around_;
    OutsideOf hidden(inside->trace_.get());
    return v.home->block(v, wanted);
  }
  const Layout to = as_sets(wanted, homes(v.atom.id));
  bring_to_hub(v, to);
  const Type& type = p_.type(v.atom.id);
  const Sizes sizes = this->sizes(v.atom.id);
  const std::size_t from = v.versions.best(to, sizes, planner_);
  Array x = v.blocks[from];
  Layout at = v.versions.layouts[from];
  for (const Move& move : planner_.path(at, to, sizes).moves) {
    why_.moving(v.atom.id, at, to);
    x = emit_.apply(move, at, x, type.shape, homes(v.atom.id));
    at = move.after;
    if ((is_collective(move.kind) || at == to) && !v.versions.has(at) && on_whole_axes(at, sharded_.mesh)) v.add(at, x);
  }
  return x;
}

// A value with several users is brought first to where it is quicker to get on from.
void Part::bring_to_hub(Value& v, const Layout& to) {
  const auto hub = hubs_.find(v.atom.id);
  if (hub == hubs_.end() || hub->second == to || v.versions.has(hub->second)) return;
  const Sizes sizes = this->sizes(v.atom.id);
  double direct = 0;
  v.versions.best(to, sizes, planner_, &direct);
  if (planner_.cost(hub->second, to, sizes) < direct) block(v, Layout(hub->second));
}

// What one device does for an Eqn.
std::vector<Array> Part::equation(const Eqn& e, const Candidate& c, const std::vector<ValuePtr>& operands) {
  std::vector<Array> blocks;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    Array x = block(*operands[o], c.operands[o]);
    if (!e.operands[o].is_literal() && o < c.padded_dims.size()) {
      const Type& type = p_.types[e.operands[o].id];
      for (std::size_t k = 0; k < c.padded_dims[o].size(); ++k)
        x = emit_.mask_padding(x, c.operands[o], type.shape, c.padded_dims[o][k],
                               identity_of(c.padding[o][k], type.dtype));
    }
    blocks.push_back(std::move(x));
  }
  if (e.op->role == Role::constraint) return blocks;
  if (e.op->role == Role::region) return region(e, std::move(blocks));
  if (e.op->role == Role::generator) return {generated(e, c.results[0])};
  if (!c.across.empty()) {
    std::vector<Type> types;
    for (const Array& x : blocks) types.push_back(x.type());
    why_.across(e.operands[0].is_literal() ? -1 : e.operands[0].id, c.operands[0]);
    return across(e, c, Call{*e.op, c.params, types, e.subs}, blocks);
  }
  return bind(*e.op, c.params, std::move(blocks), e.subs);
}

std::vector<Array> Part::across(const Eqn& e, const Candidate& c, const Call& call, const std::vector<Array>& blocks) {
  std::vector<Line> lines;
  for (const CutDim& cut : c.across)
    lines.push_back(emit_.line(cut.axes, cut.dim, p_.type(e.operands[0]).shape[cut.dim]));
  if (!c.with_results) return e.op->across->run(call, blocks, lines[0]);
  WholeTypes whole;
  for (const Atom& a : e.operands) whole.operands.push_back(p_.type(a));
  for (ValueId r : e.results) whole.results.push_back(p_.types[r]);
  return e.op->across->dims->run(call, whole, blocks, lines);
}

std::vector<Array> Part::region(const Eqn& e, std::vector<Array> blocks) {
  std::vector<bool> live;
  for (ValueId r : e.results) live.push_back(index_.is_read(r));
  return inline_region(e, {sharded_.mesh, sharded_.places.get()}, std::move(blocks), live,
                       [&](const Eqn& inner, const Params& params, const Type& operand, const Surroundings& around) {
                         causes_.push_back(why_.by_hand(inner, params, operand, around));
                       });
}

// A generator: the local part of the numbers, moved by the start of the block where they count.
Array Part::generated(const Eqn& e, const Layout& layout) {
  const Type& type = p_.types[e.results[0]];
  Candidate c;
  c.results = {layout};
  Array x = bind(*e.op, localized(e, p_, c).value(), {})[0];
  int d = e.op->index(e.params);
  if (layout.dims[d].empty()) return x;
  Array start = lax::convert_element_type(emit_.block_start(layout, type.shape, d), type.dtype);
  return lax::add(x, lax::broadcast_in_dim(start, x.shape(), {}));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
