// The choice of one candidate per Eqn. Here: greedy in program order; a global choice has the same interface.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partition/planner.hpp"
#include "partition/rows.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// What is to be computed: layouts over boundary axes only.
struct Problem {
  ProgramPtr program;
  Mesh mesh;
  AxisRefs axes;               // the boundary axes, whole
  std::vector<Layout> wanted;  // per value, as propagated: inputs have it, outputs must get it, the others are free
  std::vector<std::vector<Problem>> bodies;   // by Eqn and sub-program, of loops and branches
  std::vector<Layout> inputs, outputs;        // of the outermost program: how they come and go
  std::shared_ptr<const Places> places = {};  // nothing where every device has a memory of its own
};
/// Of a program and its bodies.
Problem problem_of(const ShardedProgram& sharded, const AxisRefs& axes);

/// The layouts in which a value is at hand so far, and the cheapest way from one of them to another.
struct Versions {
  std::vector<Layout> layouts;
  /// The version to start from; its path to `to` is in `path`.
  std::size_t best(const Layout& to, const Sizes& sizes, Planner& planner, const Path*& path) const;
  /// Notes what `path` leaves behind: the result, and every stop after a collective.
  void add_stops(const Path& path, const Layout& to);
  void add(const Layout& layout);
};

Sizes sizes_of(const Type& type);

/// How rows are chosen: one candidate per Eqn.
using Chooser = std::function<std::vector<Candidate>(const Problem& problem, Planner& planner)>;

/// One candidate per Eqn. Constraints: operand and result as wanted.
std::vector<Candidate> choose(const Problem& problem, Planner& planner);

/// What a program, or a body, starts with and ends as.
struct Ends {
  std::vector<Versions> inputs;
  std::vector<double> prices;                  // per input: of one move of it. Below 1: it is moved before the loop
  std::vector<std::optional<Layout>> outputs;  // empty: as is best for what is stacked
};
struct Choice {
  std::vector<Candidate> chosen;
  std::vector<Layout> outputs;
  std::vector<Versions> versions;  // by value, what is at hand in the end
  double cost = 0;                 // of the work and of all moves
};
/// One candidate per Eqn, and what they cost together.
Choice choice_for(const Problem& problem, const Ends& ends, Planner& planner);

}  // namespace tutti
