// A program with its loops and branches laid flat, as the choice sees it: nodes, each with a table of rows, and the
// values between them. Bodies stand there once; what is in them counts as often as they run.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "partition/choose.hpp"
#include "partition/planner.hpp"
#include "partition/rows.hpp"

namespace tutti {

/// An Eqn, or something that holds layouts together: an input, an output, a carry, the steps' slices of a stack ...
struct Node {
  std::shared_ptr<RowTable> rows;      // nothing: there is one row
  Candidate fixed = {};                // that one
  std::vector<int> operands, results;  // values; -1: a literal
  double times = 1;
};
struct GraphValue {
  Sizes sizes;
  Valued size = {};
  double times = 1;  // that it moves
  int producer = -1, result = 0;
  std::vector<std::pair<int, int>> uses = {};  // node and operand
  Homes homes = {};
};

/// Which nodes stand for the parts of a program.
struct Flattened {
  /// Of a loop or branch, by sub-program, input and output.
  struct Sub {
    std::vector<int> inputs, outputs;  // nodes: carries and slices; carries and stacks. -1: the same in all steps
    std::shared_ptr<Flattened> body;
  };
  const Problem* problem = nullptr;
  std::vector<int> values;             // by ValueId
  std::vector<int> nodes;              // by Eqn; -1: a loop or branch
  std::vector<std::vector<Sub>> subs;  // by Eqn
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<GraphValue> values;
  Flattened outermost;
};

Graph graph_of(const Problem& problem, Planner& planner);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
