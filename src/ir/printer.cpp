#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti {
namespace {

// a, b, ..., z, ba, bb, ...: short names that stay the same when Eqns are added behind.
std::string name(ValueId v) {
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('a' + v % 26));
    v /= 26;
  } while (v > 0);
  return out;
}

std::string text(const Atom& a) { return a.is_literal() ? a.literal.str() : name(a.id); }

void print(const Program& p, const PrintOptions& options, const std::string& indent, std::string& out) {
  out += indent + "inputs";
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    out += " " + name(p.inputs[i]) + ":" + p.types[p.inputs[i]].str();
    if (i < p.input_names.size() && !p.input_names[i].empty()) out += "(" + p.input_names[i] + ")";
  }
  out += "\n";
  for (const Eqn& e : p.eqns) {
    std::string line = indent + "  ";
    for (std::size_t i = 0; i < e.results.size(); ++i)
      line += (i ? ", " : "") + name(e.results[i]) + ":" + p.types[e.results[i]].str();
    line += " = " + e.op->name;
    if (!e.params.empty()) line += "[" + e.params.str() + "]";
    for (const Atom& a : e.operands) line += " " + text(a);
    if (options.locations && e.loc) line += "    # " + e.loc.str();
    out += line + "\n";
    for (const ProgramPtr& sub : e.subs) print(*sub, options, indent + "    ", out);
  }
  out += indent + "outputs";
  for (const Atom& a : p.outputs) out += " " + text(a);
  out += "\n";
}

}  // namespace

std::string str(const Program& program, PrintOptions options) {
  std::string out;
  print(program, options, "", out);
  return out;
}

}  // namespace tutti
