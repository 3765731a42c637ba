#include "partition/local_program.hpp"

#include <algorithm>

#include "ir/loop_form.hpp"
#include "ir/passes.hpp"
#include "mesh/mesh_node.hpp"

namespace tutti {
namespace {

std::string places(const char* what, const std::vector<Layout>& layouts, const std::vector<Type>& types,
                   const Mesh& mesh) {
  std::string out;
  for (std::size_t i = 0; i < layouts.size(); ++i)
    out += "  " + std::string(what) + " " + std::to_string(i) + ": " + types[i].str() + "  " + str(layouts[i], mesh) +
           "\n";
  return out;
}

// Of a program whose causes begin at `at`, which is moved behind them.
Received received(const Program& program, const std::vector<Cause>& causes, std::size_t& at) {
  Received out;
  for (const Eqn& e : program.eqns) {
    if (sends(e)) {
      out.bytes += causes[at].bytes;
      out.messages += causes[at++].messages;
    }
    const std::optional<LoopForm> form = loop_form(e);
    Received all, most;
    for (const ProgramPtr& sub : e.subs) {
      const Received of_sub = received(*sub, causes, at);
      all = {all.bytes + of_sub.bytes, all.messages + of_sub.messages};
      if (of_sub.bytes > most.bytes || (of_sub.bytes == most.bytes && of_sub.messages > most.messages)) most = of_sub;
    }
    const bool one = form && form->kind == LoopForm::Kind::branch;
    const std::int64_t turns = form ? form->length : 1;
    out.bytes += static_cast<double>(turns) * (one ? most : all).bytes;
    out.messages += turns * (one ? most : all).messages;
  }
  return out;
}

double total(const Program& program, const std::vector<Cause>& causes, std::size_t& at,
             const std::function<double(const Cause&)>& price) {
  double out = 0;
  for (const Eqn& e : program.eqns) {
    if (sends(e)) out += price(causes[at++]);
    const std::optional<LoopForm> form = loop_form(e);
    double all = 0, most = 0;
    for (const ProgramPtr& sub : e.subs) {
      const double of_sub = total(*sub, causes, at, price);
      all += of_sub;
      most = std::max(most, of_sub);
    }
    const bool one = form && form->kind == LoopForm::Kind::branch;
    out += static_cast<double>(form ? form->length : 1) * (one ? most : all);
  }
  return out;
}

Received received(const LocalProgram& p) {
  std::size_t at = 0;
  return received(*p.program, p.causes, at);
}

}  // namespace

double total_bytes(const LocalProgram& program) { return received(program).bytes; }
double total(const LocalProgram& p, const std::function<double(const Cause&)>& price) {
  std::size_t at = 0;
  return total(*p.program, p.causes, at, price);
}
std::int64_t total_messages(const LocalProgram& program) { return received(program).messages; }

bool sends(const Eqn& eqn) { return eqn.op->collective && !eqn.op->collective->kind.empty(); }

bool sends_within(const Eqn& eqn) {
  return sends(eqn) ||
         std::any_of(eqn.subs.begin(), eqn.subs.end(), [](const ProgramPtr& p) { return count_sends(*p) > 0; });
}

int count_sends(const Program& program) {
  int out = 0;
  for (const Eqn& e : program.eqns) {
    out += sends(e);
    for (const ProgramPtr& sub : e.subs) out += count_sends(*sub);
  }
  return out;
}

LocalProgram on_one_device(ProgramPtr program) {
  LocalProgram out;
  out.mesh = intern_mesh({Device()}, Shape{1}, {"d0"});
  out.input_types = program->input_types();
  out.output_types = program->output_types();
  for (const Type& t : out.input_types) out.inputs.push_back(Layout::replicated(t.ndim()));
  for (const Type& t : out.output_types) out.outputs.push_back(Layout::replicated(t.ndim()));
  out.program = std::move(program);
  return out;
}

LocalProgram on_one_device(Program program) { return on_one_device(std::make_shared<Program>(std::move(program))); }

std::size_t content_hash(const LocalProgram& p) {
  std::size_t h = content_hash(*p.program);
  for (const Layout& l : p.inputs) h = hash_combine(h, l.hash());
  for (const Layout& l : p.outputs) h = hash_combine(h, l.hash());
  return h;
}

bool content_equal(const LocalProgram& a, const LocalProgram& b) {
  return a.mesh == b.mesh && a.inputs == b.inputs && a.outputs == b.outputs && a.input_types == b.input_types &&
         a.output_types == b.output_types && content_equal(*a.program, *b.program);
}

std::string str(const LocalProgram& p) {
  std::string out = str(*p.program) + "blocks on " + p.mesh.str() + "\n";
  if (p.mesh.size() == 1) return out;
  return out + places("input", p.inputs, p.input_types, p.mesh) + places("output", p.outputs, p.output_types, p.mesh);
}

std::string size_text(const LocalProgram& p) {
  return size_text(*p.program) + ", " + std::to_string(p.causes.size()) + " collectives";
}

void verify(const LocalProgram& p) {
  verify(*p.program);
  auto check = [&](const std::vector<Layout>& layouts, const std::vector<Type>& global,
                   const std::vector<Type>& local) {
    bool good = layouts.size() == local.size() && global.size() == local.size();
    for (std::size_t i = 0; good && i < local.size(); ++i)
      good = is_valid(layouts[i], p.mesh) && layouts[i].pending.empty() &&
             block_shape(layouts[i], global[i].shape) == local[i].shape;
    if (!good) throw InternalError("verify: blocks do not fit their arrays in\n" + str(p));
  };
  check(p.inputs, p.input_types, p.program->input_types());
  check(p.outputs, p.output_types, p.program->output_types());
  const int sent = count_sends(*p.program);
  if (sent != static_cast<int>(p.causes.size()))
    throw InternalError("verify: " + std::to_string(sent) + " collectives have " + std::to_string(p.causes.size()) +
                        " causes in\n" + str(p));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
