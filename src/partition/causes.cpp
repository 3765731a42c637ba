#include "partition/causes.hpp"

#include <optional>
#include <set>

#include "ir/collective.hpp"
#include "ir/loop_form.hpp"
#include "partition/axis_parts.hpp"

namespace tutti {
namespace {

std::string at(Loc loc) { return loc ? " (" + loc.str() + ")" : ""; }

std::string quoted(const AxisRefs& axes, const Mesh& mesh) {
  std::string out;
  for (const std::string& name : group_of(axes, mesh).axes) out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

// What a collective is and costs.
Cause priced(const Op& op, const Params& params, const Type& operand) {
  const Group& group = op.collective->group(params);
  Cause c;
  c.kind = op.collective->kind;
  c.axes = group.axes;
  c.group = group.size();
  Received r = op.collective->received(static_cast<double>(operand.nbytes()), static_cast<double>(c.group));
  c.bytes = r.bytes;
  c.messages = r.messages;
  return c;
}

}  // namespace

std::string words_of(const Eqn& eqn) { return eqn.op->name + at(eqn.loc); }

void Surroundings::within(const Eqn& eqn, int sub) {
  const std::optional<LoopForm> form = loop_form(eqn);  // none of what runs its body once, such as remat
  std::string text = words_of(eqn);
  if (form && form->kind == LoopForm::Kind::branch) text = "branch " + std::to_string(sub) + " of " + text;
  if (form && form->kind == LoopForm::Kind::until) text = "each step of " + text + ", of which one is counted";
  where += (where.empty() ? "" : ", within ") + text;
  if (form) times *= form->length;
}

void Causes::at_eqn(int index) {
  eqn_ = index;
  output_ = -1;
}
void Causes::at_output(int index) {
  eqn_ = -1;
  output_ = index;
}

void Causes::moving(ValueId value, const Layout& from, const Layout& to) {
  value_ = value;
  from_ = from;
  to_ = to;
}

std::string Causes::value_text(ValueId v) const {
  const Program& p = *sharded_.program;
  std::string type = p.types[v].str();
  if (int i = index_.input(v); i >= 0) {
    if (!words_.inputs.empty()) return words_.inputs[i] + " " + type;
    std::string name = i < static_cast<int>(p.input_names.size()) ? p.input_names[i] : "";
    return "input " + std::to_string(i) + (name.empty() ? "" : " (" + name + ")") + " " + type;
  }
  const Eqn& producer = p.eqns[index_.producer(v)];
  return producer.op->name + " " + type + at(producer.loc);
}

std::string Causes::consumer_text() const {
  if (eqn_ < 0) return words_.outputs.empty() ? "output " + std::to_string(output_) : words_.outputs[output_];
  return words_of(sharded_.program->eqns[eqn_]);
}

std::string Causes::cut_text(const Layout& layout) const {
  std::string out;
  for (int d = 0; d < layout.ndim(); ++d)
    for (const AxisRef& a : layout.dims[d]) {
      std::string from = sharded_.origin_text(value_, d, a.axis);
      out += (out.empty() ? "" : ", ") + std::string("dim ") + std::to_string(d) + " over '" +
             sharded_.mesh.axis_names()[a.axis] + "'" + (from.empty() ? "" : " (from " + from + ")");
    }
  return out.empty() ? "nowhere" : out;
}

// Whose annotations meet here: those of the value, of what it is made of, and of what it is used with.
std::vector<int> Causes::inputs_behind(const Cause& c) const {
  const Program& p = *sharded_.program;
  std::set<int> out;
  auto add = [&](ValueId v) {
    if (const int i = index_.input(v); i >= 0 && !sharded_.outermost) out.insert(i);
    for (auto at = sharded_.origins.lower_bound({v, 0, 0}); at != sharded_.origins.end(); ++at) {
      if (std::get<0>(at->first) != v) break;
      if (at->second.kind == Origin::Kind::input) out.insert(at->second.index);
    }
  };
  add(value_);
  for (int eqn : {c.producer, c.consumer})
    if (eqn >= 0)
      for (const Atom& a : p.eqns[eqn].operands)
        if (!a.is_literal()) add(a.id);
  return {out.begin(), out.end()};
}

Cause Causes::cause(const Move& move, const Op& op, const Params& params, const Type& operand) const {
  const Program& p = *sharded_.program;
  Cause c = priced(op, params, operand);
  c.producer = index_.producer(value_);
  c.consumer = eqn_;
  c.loc = eqn_ >= 0 ? p.eqns[eqn_].loc : Loc{};
  if (!c.loc && c.producer >= 0) c.loc = p.eqns[c.producer].loc;
  c.what = value_text(value_);
  c.inputs = inputs_behind(c);
  std::string axes = quoted(move.axes, sharded_.mesh), user = consumer_text();
  if (from_ == to_) {
    c.why = user + " needs elements of " + value_text(value_) + " from other blocks; it is cut: " + cut_text(from_);
    c.advice = "do not cut the dim along which " + user + " works: this is what it takes where it is cut";
    return c;
  }
  switch (move.kind) {
    case Move::Kind::all_reduce:
    case Move::Kind::reduce_scatter:
      c.why = "each device along " + axes + " has a partial result of " + value_text(value_) + ", and " + user +
              " needs the complete one" +
              (move.kind == Move::Kind::reduce_scatter ? ", cut: " + cut_text(move.after) : "");
      c.advice = "none while what is summed is cut over " + axes + ": replicate it over " + axes +
                 " to trade this for memory and work";
      break;
    case Move::Kind::all_gather:
      c.why = user + " needs " + value_text(value_) + " whole along " + axes + "; it is cut: " + cut_text(from_);
      c.advice = "place the value as " + str(to_, sharded_.mesh) + ", or cut the other operands of " + user +
                 " as this one is";
      break;
    default:
      c.why = user + " needs " + value_text(value_) + " cut as " + str(to_, sharded_.mesh) +
              "; it is cut: " + cut_text(from_);
      c.advice = "place the value as " + str(to_, sharded_.mesh);
      break;
  }
  return c;
}

Loc Causes::loc_of(const Atom& a) const {
  int producer = a.is_literal() ? -1 : index_.producer(a.id);
  return producer < 0 ? Loc{} : sharded_.program->eqns[producer].loc;
}

Cause Causes::by_hand(const Eqn& e, const Params& params, const Type& operand, const Surroundings& around) const {
  Cause c = priced(*e.op, params, operand);
  c.producer = c.consumer = eqn_;
  c.loc = e.loc;
  c.what = operand.str() + " in the manual region" + at(sharded_.program->eqns[eqn_].loc);
  c.why = e.op->name + " is written in the manual region" + at(sharded_.program->eqns[eqn_].loc);
  c.advice = "none: it is your own";
  c.by_hand = true;
  c.times = around.times;
  c.where = around.where;
  return c;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
