// Every row of every op is sound: cut the operands as it says, run the op on blocks, put the results together.
#include "partition/rows.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

ProgramPtr one_eqn(const Op& op, const Sample& sample) {
  auto p = std::make_shared<Program>();
  Eqn e{&op, sample.params, {}, {}, sample.subs, {}};
  for (const Type& t : sample.operands) {
    p->inputs.push_back(static_cast<ValueId>(p->types.size()));
    e.operands.push_back(p->inputs.back());
    p->types.push_back(t);
  }
  for (const Type& t : infer_types(op, sample.params, sample.operands, sample.subs)) {
    e.results.push_back(static_cast<ValueId>(p->types.size()));
    p->outputs.push_back(e.results.back());
    p->types.push_back(t);
  }
  p->eqns.push_back(std::move(e));
  return p;
}

double tolerance_of(DType t) { return t.is_floating() && t.size() == 2 ? 2e-2 : t.is_inexact() ? 2e-5 : 0; }

// All rows that are sound; the last one computes everything everywhere.
std::vector<Candidate> all_rows(const Eqn& eqn, const Program& program, AxisRefs axes,
                                const std::vector<Magnitude>& magnitudes) {
  RowTable table(eqn, program, usable_linear_sets(eqn, program, magnitudes));
  std::vector<Candidate> out;
  auto enumerate = [&](auto& self, std::size_t at, Assignment& assignment) -> void {
    if (at == axes.size()) {
      const Candidate* c = table.row(assignment);
      auto same = [&](const Candidate& o) { return o.operands == c->operands && o.results == c->results; };
      if (c && std::none_of(out.begin(), out.end(), same)) out.push_back(*c);
      return;
    }
    for (int choice : table.choices(axes[at])) {
      assignment.emplace_back(axes[at], choice);
      self(self, at + 1, assignment);
      assignment.pop_back();
    }
  };
  // Two axes on one dim come in either order.
  std::sort(axes.begin(), axes.end());
  do {
    Assignment assignment;
    enumerate(enumerate, 0, assignment);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return out;
}

BufferPtr sorted(const Type& t, const BufferPtr& b) {
  const ProgramPtr sort = record({t}, [](const Arrays& in) { return Arrays{lax::sort(in[0], in[0].ndim() - 1)}; });
  return run_by_kernels(*sort, {b})[0];
}

// Returns how many rows there were.
int check_rows(const Op& op, const Sample& sample, const Mesh& mesh, std::mt19937& rng) {
  ProgramPtr p = one_eqn(op, sample);
  AxisRefs axes;
  for (int a = 0; a < mesh.ndim(); ++a) axes.push_back(whole_axis(mesh, a));
  // Factors of magnitude 1 let every linear set hold partial sums.
  const std::vector<Magnitude> harmless(p->types.size(), {1, 1});
  const std::vector<Candidate> rows = all_rows(p->eqns[0], *p, axes, harmless);
  EXPECT_FALSE(rows.empty()) << op.name;
  std::vector<BufferPtr> inputs;
  for (const Type& t : sample.operands) inputs.push_back(random_buffer(t, rng, sample.lo, sample.hi));
  if (op.name == "search") inputs[0] = sorted(sample.operands[0], inputs[0]);  // of others nothing is promised
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ShardedProgram sharded;
    sharded.program = p;
    sharded.mesh = mesh;
    for (std::size_t o = 0; o < sample.operands.size(); ++o) sharded.layouts.push_back(rows[i].operands[o]);
    for (const Layout& l : rows[i].results) sharded.layouts.push_back(l);
    for (Layout& l : sharded.layouts) {
      l.pending.clear();
      l.pending_kind = Reduce::sum;
    }
    sharded.outputs.assign(sharded.layouts.end() - static_cast<std::ptrdiff_t>(rows[i].results.size()),
                           sharded.layouts.end());
    double tolerance = 0;
    for (ValueId r : p->eqns[0].results) tolerance = std::max(tolerance, tolerance_of(p->types[r].dtype));
    SCOPED_TRACE(op.name + " row " + std::to_string(i));
    check_partition(sharded, inputs, tolerance, [&](const Problem&, Planner&) { return BodyPlan{{rows[i]}}; });
    if (::testing::Test::HasFailure()) return static_cast<int>(i);
  }
  return static_cast<int>(rows.size());
}

TEST(Rows, AreSoundForAllOpsAndSamples) {
  std::mt19937 rng(1);
  std::vector<Mesh> meshes{grid({2}, "x"), grid({3}, "x"), grid({2, 2}, {"x", "y"}), grid({2, 3}, {"x", "y"})};
  int total = 0;
  for (const Op* op : all_ops()) {
    if (op->collective || op->effect || !op->eval || op->name == "sharding_constraint" || op->name == "iota") continue;
    for (const Sample& sample : op->samples) {
      if (!sample.subs.empty()) continue;
      for (const Mesh& mesh : meshes) {
        total += check_rows(*op, sample, mesh, rng);
        if (HasFailure()) return;
      }
    }
  }
  RecordProperty("rows", total);
  EXPECT_GT(total, 1000);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
