// The choice of one row per Eqn, for the whole program at once: the least sum of what moves and what is computed.
#pragma once

#include <functional>
#include <memory>
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
  AxisRefs axes;                              // the boundary axes, whole
  std::vector<Layout> wanted;                 // per value, as propagated; constraints must have it, the others are free
  std::vector<std::vector<Problem>> bodies;   // by Eqn and sub-program, of loops and branches
  std::vector<Layout> inputs, outputs;        // of the outermost program: how they come and go
  std::shared_ptr<const Places> places = {};  // nothing where every device has a memory of its own
};
/// Of a program and its bodies.
Problem problem_of(const ShardedProgram& sharded, const AxisRefs& axes);

/// The layouts in which a value is at hand so far, and the cheapest way from one of them to another.
struct Versions {
  std::vector<Layout> layouts;
  /// The version to start from.
  std::size_t best(const Layout& to, const Sizes& sizes, Planner& planner, double* cost = nullptr) const;
  void add(const Layout& layout);
  bool has(const Layout& layout) const;
};

Sizes sizes_of(const Type& type);

/// How rows are chosen.
using Chooser = std::function<BodyPlan(const Problem& problem, Planner& planner)>;

/// One candidate per Eqn, so that the whole costs least. Axes are chosen one after the other, then again each among the
/// others, until nothing gets cheaper; from several orders of the axes the best. Deterministic.
BodyPlan choose(const Problem& problem, Planner& planner);

/// What `choose` finds costs `cost`; no choice of rows for all axes at once costs less than `bound`, which is found
/// with tables of up to `limit` entries. In prices, of which a received byte is 1.
struct Proof {
  double cost = 0, bound = 0;
};
Proof prove(const Problem& problem, Planner& planner, std::int64_t limit);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
