// Plans as text, and their figures.
#include <unordered_set>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

std::string list(const Extents& e) {
  std::string out = "[";
  for (std::size_t i = 0; i < e.size(); ++i) out += (i ? "," : "") + std::to_string(e[i]);
  return out + "]";
}
std::string name(int storage) { return "m" + std::to_string(storage); }
// A Plan that a step holds, line by line.
std::string within(const char* what, const Plan& plan) {
  std::string out = std::string("\n  ") + what + "\n    ", text = plan.str();
  if (text.empty()) return out + "nothing";
  text.pop_back();
  for (char c : text) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return out;
}

}  // namespace

std::string Step::str() const {
  std::string out;
  if (const auto* l = std::get_if<Loop>(&what)) {
    out = "loop " + list(l->extents);
    if (l->reduced >= 0) out += " reduced " + std::to_string(l->reduced);
    for (const Access& a : l->accesses) {
      static const char* kinds[] = {"load", "store", "index", "reduce"};
      out += "\n  " + std::string(kinds[static_cast<int>(a.kind)]) + " " + std::string(a.dtype.name());
      if (a.storage >= 0) out += " " + name(a.storage);
      if (a.offset) out += "+" + std::to_string(a.offset);
      out += list(a.strides);
      if (a.value >= 0) out += " r" + std::to_string(a.value);
    }
    std::string body = "\n" + l->body.str();
    body.pop_back();
    for (char c : body) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  } else if (const auto* d = std::get_if<Dot>(&what)) {
    out = "dot " + std::string(d->dtype.name()) + " " + name(d->c) + " = " + name(d->a) + " " + name(d->b) + " batch " +
          list(d->batch) + " m " + std::to_string(d->m) + " n " + std::to_string(d->n) + " k " + std::to_string(d->k);
    if (d->c_offset) out += " at " + std::to_string(d->c_offset);
    if (d->plus_zero) out += " plus zero";
    if (d->mask) out += std::string(d->mask->seen ? " where " : " where not ") + name(d->mask->storage);
    if (d->panel) out += " panels " + std::to_string(d->panel);
  } else if (const auto* c = std::get_if<CallEqn>(&what)) {
    out = "call " + c->eqn.op->name + (c->gather ? " of a " + c->gather->eqn.op->name : "");
    for (int s : c->results) out += " " + name(s);
    out += " =";
    for (int s : c->operands) out += " " + name(s);
    if (c->spread) out += " spread";
  } else if (const auto* r = std::get_if<Repeat>(&what)) {
    out = r->condition ? "repeat while" : "repeat " + std::to_string(r->length);
    if (r->reverse) out += " reverse";
    for (int s : r->results) out += " " + name(s);
    out += " =";
    for (int s : r->operands) out += " " + name(s);
    for (const auto& [from, to] : r->passed) out += "\n  pass " + name(to) + " = " + name(from);
    for (const Repeat::Carry& c : r->carries)
      out += "\n  carry " + name(c.start) + " " + name(c.result) + (c.in_place ? " in place" : "");
    if (r->condition) out += within("condition", *r->condition);
    out += within("body", *r->body);
  } else if (const auto* b = std::get_if<Branch>(&what)) {
    out = "branch by " + name(b->index);
    for (int s : b->results) out += " " + name(s);
    out += " =";
    for (int s : b->operands) out += " " + name(s);
    for (const PlanPtr& p : b->branches) out += within("taken", *p);
  }
  return out;
}

std::string str(const Fusion& f) {
  std::string out;
  static const char* kinds[] = {"loop", "dot", "call"};
  for (std::size_t k = 0; k < f.units.size(); ++k) {
    const Unit& u = f.units[k];
    out += "unit " + std::to_string(k) + " " + kinds[static_cast<int>(u.kind)];
    if (u.kind == Unit::Kind::loop) out += " " + list(u.extents);
    out += ": Eqns " + list({u.eqns.begin(), u.eqns.end()});
    if (!u.stores.empty()) out += " stores " + list({u.stores.begin(), u.stores.end()});
    out += "\n";
  }
  return out;
}
std::string size_text(const Fusion& f) { return std::to_string(f.units.size()) + " units"; }

std::string size_text(const Plan& p) {
  return std::to_string(p.steps.size()) + " steps, " + std::to_string(p.stages.size()) + " stages, " +
         std::to_string(p.storages.size()) + " storages, " + std::to_string(p.slab_bytes) + " B of temporaries";
}

std::string Plan::str() const {
  std::string out;
  static const char* kinds[] = {"input", "output", "temporary", "constant", "chunk"};
  for (std::size_t s = 0; s < storages.size(); ++s) {
    const Storage& x = storages[s];
    out += name(static_cast<int>(s)) + ": " + kinds[static_cast<int>(x.kind)] + " " + std::to_string(x.bytes);
    if (x.kind == Storage::Kind::temporary && x.takes < 0) out += " at " + std::to_string(x.offset);
    if (x.index >= 0) out += " #" + std::to_string(x.index);
    if (x.takes >= 0) out += " in place of " + name(x.takes);
    out += "\n";
  }
  if (stages.empty())
    for (const Step& step : steps) out += step.str() + "\n";
  for (std::size_t k = 0; k < stages.size(); ++k) {
    out += "stage " + std::to_string(k);
    if (stages[k].rows)
      out += " by " + std::to_string(stages[k].chunk) + " of " + std::to_string(stages[k].rows) + " rows";
    if (stages[k].groups) out += " in " + std::to_string(stages[k].groups) + " groups";
    if (!stages[k].awaits.empty()) out += " awaits";
    for (int i : stages[k].awaits)
      for (int s : std::get<CallEqn>(steps[i].what).results) out += " " + name(s);
    out += "\n";
    for (int i : stages[k].steps) out += steps[i].str() + "\n";
  }
  return out;
}

PlanStats stats_of(const Plan& plan, const std::vector<bool>& donatable) {
  PlanStats s;
  for (const Storage& x : plan.storages) {
    if (x.kind == Storage::Kind::input) s.argument_bytes += static_cast<std::size_t>(x.bytes);
    if (x.kind == Storage::Kind::output) s.output_bytes += static_cast<std::size_t>(x.bytes);
  }
  s.temporary_bytes = static_cast<std::size_t>(plan.slab_bytes);
  s.peak_bytes = s.argument_bytes + s.output_bytes + s.temporary_bytes;
  std::unordered_set<std::int64_t> output_sizes;
  std::vector<int> taken_by(plan.storages.size(), -1);
  for (const Storage& x : plan.storages) {
    if (x.kind != Storage::Kind::output) continue;
    output_sizes.insert(x.bytes);
    if (x.takes >= 0) taken_by[x.takes] = x.index;
  }
  const std::unordered_set<int> outputs(plan.outputs.begin(), plan.outputs.end());
  for (std::size_t i = 0; i < plan.inputs.size() && i < donatable.size(); ++i) {
    if (!donatable[i]) continue;
    const int input = plan.inputs[i];
    Donation d{static_cast<int>(i), taken_by[input], ""};
    if (d.output >= 0)
      s.peak_bytes -= static_cast<std::size_t>(plan.storages[input].bytes);
    else if (outputs.contains(input))
      d.reason = "it is returned as it is";
    else
      d.reason = output_sizes.contains(plan.storages[input].bytes)
                     ? "it is still read after every result of its size has begun, or another input took the place"
                     : "no result has its size";
    s.donations.push_back(std::move(d));
  }
  return s;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
