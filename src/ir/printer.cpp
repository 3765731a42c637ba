#include "ir/printer.hpp"

#include "ir/op.hpp"

namespace tutti {

std::string name_of(ValueId v) {
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('a' + v % 26));
    v /= 26;
  } while (v > 0);
  return out;
}

std::string text_of(const Atom& a) { return a.is_literal() ? a.literal.str() : name_of(a.id); }

namespace {

// Where an Eqn has several.
std::string name_of_sub(const Eqn& e, int sub) {
  if (e.op->role == Role::branch) return "branch " + std::to_string(sub);
  if (e.op->role != Role::loop || e.subs.size() == 1) return "";
  return sub == loop_of(e).condition ? "condition" : "body";
}

void print(const Program& p, const PrintOptions& options, const std::string& indent, std::string& out) {
  out += indent + "inputs";
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    out += " " + name_of(p.inputs[i]) + ":" + p.types[p.inputs[i]].str();
    if (i < p.input_names.size() && !p.input_names[i].empty()) out += "(" + p.input_names[i] + ")";
  }
  out += "\n";
  for (const Eqn& e : p.eqns) {
    std::string line = indent + "  ";
    for (std::size_t i = 0; i < e.results.size(); ++i)
      line += (i ? ", " : "") + name_of(e.results[i]) + ":" + p.types[e.results[i]].str();
    line += " = " + e.op->name;
    if (!e.params.empty()) line += "[" + e.params.str() + "]";
    for (const Atom& a : e.operands) line += " " + text_of(a);
    if (options.locations && e.loc) line += "    # " + e.loc.str();
    out += line + "\n";
    for (std::size_t i = 0; i < e.subs.size(); ++i) {
      if (const std::string name = name_of_sub(e, static_cast<int>(i)); !name.empty())
        out += indent + "    " + name + "\n";
      print(*e.subs[i], options, indent + "    ", out);
    }
  }
  out += indent + "outputs";
  for (const Atom& a : p.outputs) out += " " + text_of(a);
  out += "\n";
}

}  // namespace

std::string str(const Program& program, PrintOptions options) {
  std::string out;
  print(program, options, "", out);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
