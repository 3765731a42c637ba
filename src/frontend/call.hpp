// Tracing the user's function for a transformation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.hpp"
#include "transform/transform.hpp"
#include "tutti/transform/transform_core.hpp"

namespace tutti::detail {

/// The function as a Program: inputs are the traced leaves, then what it captured.
struct Recorded {
  ProgramPtr program;
  std::vector<Array> inputs;                // values for all inputs of the program
  std::size_t num_explicit = 0;             // the traced leaves
  std::vector<bool> explicit_only() const;  // per input: whether it is a traced leaf
};

/// A leaf that is traced: as which type and whether its value may be read while tracing.
struct TracedLeaf {
  Type type;
  Array value;         // what the program is applied to
  bool known = false;  // `value` may be read on demand
};
/// For what a function is recorded.
struct Recorder {
  const char* what;
  Loc made;
  int derivatives = 1;  // that the transformation takes
  NamedAxes axes = {};  // that it binds
};
/// Calls `body` in an open trace: leaves with a TracedLeaf are inputs of the Program, the others are passed as they
/// are.
Recorded record_call(const CallArrays& args, const std::vector<std::optional<TracedLeaf>>& leaves, const Body& body,
                     const Recorder& recorder, BodyResult* result = nullptr);

/// `arg1.layers[0].weight`.
std::string leaf_name(const std::pair<int, tree::Path>& where);
/// Traces every inexact leaf where `wanted`.
std::vector<std::optional<TracedLeaf>> differentiable(const CallArrays& args, const std::vector<bool>& wanted);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
