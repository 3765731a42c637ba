#include "propagate/why.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "ir/index.hpp"
#include "ir/op.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

class Answers {
 public:
  explicit Answers(const ShardedProgram& sharded) : s_(sharded), p_(*sharded.program), index_(p_) {}

  std::string of(ValueId v, const std::string& called) const {
    std::string out = called + " " + p_.types[v].str() + " is " + (s_.mesh.has_value() ? cuts(v) : "on one device");
    if (!s_.mesh.has_value()) return out + "\n";
    out += "\n";
    for (int d = 0; d < s_.layouts[v].ndim(); ++d)
      for (const AxisRef& a : s_.layouts[v].dims[static_cast<std::size_t>(d)]) out += line(v, d, a.axis);
    return out;
  }

  std::string called(ValueId v) const {
    if (const int i = index_.input(v); i >= 0) {
      const bool named = static_cast<std::size_t>(i) < p_.input_names.size() && !p_.input_names[i].empty();
      return named ? p_.input_names[i] : "input " + std::to_string(i);
    }
    const Eqn& e = p_.eqns[index_.producer(v)];
    return e.op->name + (e.loc ? " (" + e.loc.str() + ")" : "");
  }

 private:
  std::string cuts(ValueId v) const {
    const Layout& l = s_.layouts[v];
    return l.is_replicated() ? "whole on every device: nothing cuts it" : str(l, s_.mesh);
  }

  std::string line(ValueId v, int d, int axis) const {
    const std::string origin = s_.origin_text(v, d, axis);
    std::string out = "  dim " + std::to_string(d) + " over '" + s_.mesh.axis_names()[axis] + "': from " +
                      (origin.empty() ? "an annotation of its own" : origin);
    const std::vector<ValueId> way = way_to_origin(v, d, axis);
    if (way.size() > 2) {
      constexpr std::size_t most = 6;
      std::string steps;
      for (std::size_t i = 1; i + 1 < way.size(); ++i) {
        if (i == most && way.size() > most + 2) {
          steps += ", " + std::to_string(way.size() - 1 - i) + " more";
          break;
        }
        steps += (steps.empty() ? "" : ", ") + called(way[i]);
      }
      out += ", by way of " + steps;
    }
    return out + "\n";
  }

  // The cuts of a value, by axis and annotation: what a value has in common with its neighbours.
  bool shares(ValueId v, int axis, const Origin& o) const {
    for (auto at = s_.origins.lower_bound({v, 0, 0}); at != s_.origins.end() && std::get<0>(at->first) == v; ++at)
      if (std::get<2>(at->first) == axis && at->second.kind == o.kind && at->second.index == o.index) return true;
    return false;
  }
  bool is_origin(ValueId v, const Origin& o) const {
    switch (o.kind) {
      case Origin::Kind::input: return !s_.outermost && index_.input(v) == o.index;
      case Origin::Kind::output:
        return o.index < static_cast<int>(p_.outputs.size()) && !p_.outputs[o.index].is_literal() &&
               p_.outputs[o.index].id == v;
      case Origin::Kind::constraint:
      case Origin::Kind::region: return index_.producer(v) == o.index;
    }
    return false;
  }

  // From the value to the annotation's, along values that have the cut from it: the shortest way, first to last.
  std::vector<ValueId> way_to_origin(ValueId from, int d, int axis) const {
    const auto found = s_.origins.find({from, d, axis});
    if (found == s_.origins.end()) return {};
    const Origin& o = found->second;
    std::map<ValueId, ValueId> before{{from, from}};
    std::deque<ValueId> next{from};
    while (!next.empty()) {
      const ValueId v = next.front();
      next.pop_front();
      if (is_origin(v, o)) {
        std::vector<ValueId> out{v};
        while (out.back() != from) out.push_back(before.at(out.back()));
        std::reverse(out.begin(), out.end());
        return out;
      }
      auto visit = [&](ValueId w) {
        if (shares(w, axis, o) && before.try_emplace(w, v).second) next.push_back(w);
      };
      auto beside = [&](const Eqn& e) {
        for (const Atom& a : e.operands)
          if (!a.is_literal()) visit(a.id);
        for (ValueId r : e.results) visit(r);
      };
      if (const int e = index_.producer(v); e >= 0) beside(p_.eqns[e]);
      for (const ProgramIndex::Use& u : index_.uses(v)) beside(p_.eqns[u.eqn]);
    }
    return {};
  }

  const ShardedProgram& s_;
  const Program& p_;
  ProgramIndex index_;
};

std::optional<std::size_t> number_behind(std::string_view text, std::string_view word) {
  if (!text.starts_with(word) || text.size() == word.size()) return std::nullopt;
  std::size_t n = 0;
  for (char c : text.substr(word.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    n = 10 * n + static_cast<std::size_t>(c - '0');
  }
  return n;
}

// All values that a line made, also in bodies.
void add_line(const ShardedProgram& s, std::string_view line, std::string& out) {
  const Answers answers(s);
  for (std::size_t i = 0; i < s.program->eqns.size(); ++i) {
    const Eqn& e = s.program->eqns[i];
    if (e.loc && e.loc.str() == line)
      for (ValueId r : e.results) out += answers.of(r, answers.called(r));
    for (const ShardedProgram& body : s.bodies[i]) add_line(body, line, out);
  }
}

// A few texts that begin or end as this one does, else the first ones.
std::string near(std::string_view value, const std::vector<std::string>& names) {
  std::vector<std::string> some;
  const std::string_view end = value.substr(std::min(value.size(), value.rfind('.') + 1));
  for (const std::string& n : names)
    if (some.size() < 4 && !end.empty() && n.find(end) != n.npos) some.push_back(n);
  for (const std::string& n : names)
    if (some.size() < 4 && std::find(some.begin(), some.end(), n) == some.end()) some.push_back(n);
  std::string out;
  for (const std::string& n : some) out += (out.empty() ? "" : ", ") + n;
  return out;
}

}  // namespace

std::string why(const ShardedProgram& s, std::string_view value) {
  const Answers answers(s);
  const Program& p = *s.program;
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    if ((i < p.input_names.size() && p.input_names[i] == value) || number_behind(value, "input ") == i)
      return answers.of(p.inputs[i], answers.called(p.inputs[i]));
  if (const auto n = number_behind(value, "output "); n && *n < p.outputs.size()) {
    const Atom& a = p.outputs[*n];
    return a.is_literal() ? "output " + std::to_string(*n) + " is a number\n"
                          : answers.of(a.id, "output " + std::to_string(*n));
  }
  std::string out;
  if (value.find(':') != value.npos) add_line(s, value, out);
  if (out.empty())
    raise<ValueError>("why",
                      "nothing here is called '" + std::string(value) + "', and no value was made at such a line",
                      "Name an argument (" + near(value, p.input_names) + "), one of " +
                          std::to_string(p.outputs.size()) + " results (output 0), or a line (train.cpp:12).");
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
