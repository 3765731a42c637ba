// Planning ahead: from a recorded program and what is said of places to a report, without compiling anything.
// planning.cpp makes reports; remedies.cpp plans again with arguments placed otherwise; search.cpp does so for all of
// them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "partition/local_program.hpp"
#include "propagate/propagate.hpp"
#include "tutti/transform/explanation.hpp"
#include "tutti/transform/jit.hpp"

namespace tutti::detail {

/// What a plan is made of. Immutable.
struct PlanRequest {
  ProgramPtr program;                   // as recorded; inputs: the arguments' leaves, then what was captured
  std::vector<Placement> inputs;        // with the names that users know
  std::vector<Sharding> out_shardings;  // per output, empty ones are open; or nothing at all
  std::vector<bool> donatable;          // per input
  std::string what;                     // for errors
  int own = 0;                          // leading inputs that belong to the callable itself
};

/// A request carried through propagate and partition.
struct Planned {
  std::shared_ptr<const ShardedProgram> sharded;
  LocalProgram local;
  Explanation report;  // without memory and queries
};
/// Over all axes of the mesh, or nothing when nobody names devices. With `inputs` in place of those of the request.
Planned planned(const PlanRequest& request, const std::vector<Sharding>* inputs = nullptr);
/// Bytes of a device's memory as the engine would lay the program out.
Explanation::Memory memory_of(const LocalProgram& local, const std::vector<bool>& donatable);
/// With memory, and answers to queries.
Explanation report_of(std::shared_ptr<const PlanRequest> request);
/// The same for a request that has been propagated, of which something was sent.
Explanation report_of(std::shared_ptr<const PlanRequest> request, std::shared_ptr<const ShardedProgram> sharded,
                      const Sent& sent);

/// The placements of arguments that remove a collective, each planned: see Explanation::remedies.
std::vector<Remedy> remedies_of(const PlanRequest& request, const Explanation& of, std::size_t collective);
bool is_asked(const Strict& strict);
/// ShardingError where the report breaks what is allowed; it names the line, and what would help.
void check_strict(const Strict& strict, const Explanation& report, const std::string& what);
/// A text with all numbers of layers in it left out (`arg0.layers[*].weight`): to compare words.
std::string pattern_of(const std::string& text);
/// For each name what it has in common with those of its kind: of its numbers the one that most of them differ in left
/// out, the first where several do as well. `arg0[3][1]` is `arg0[*][1]` among twelve layers of pairs.
std::vector<std::string> common_patterns(const std::vector<std::pair<std::string, std::string>>& names_and_kinds);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
