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
/// Calls `body` in an open trace: leaves with a TracedLeaf are inputs of the Program, the others are passed as they
/// are.
Recorded record_call(const CallArrays& args, const std::vector<std::optional<TracedLeaf>>& leaves, const Body& body,
                     const char* what, Loc made, const NamedAxes& axes = {}, BodyResult* result = nullptr);

/// `arg1.layers[0].weight`.
std::string leaf_name(const std::pair<int, tree::Path>& where);
/// Who maps, for errors, and what the arguments that are not mapped are to it.
struct Mapping {
  const char* what;  // "vmap"
  const char* rest;  // "what is not mapped"
  Loc made;
};

struct MappedAxes {
  std::vector<std::optional<int>> axes;       // per leaf, not negative
  std::map<std::int64_t, std::string> sizes;  // of the mapped axes, with a line for each leaf
};

/// ValueError for a list of another length than the arguments, ShapeError for an axis that a leaf has not.
MappedAxes mapped_axes(const CallArrays& args, const TreeOf<int>& in_axes, const Mapping& mapping);
/// ShapeError when there are different sizes; `over`: the named axis in words, or empty.
void check_one_size(const MappedAxes& mapped, const Mapping& mapping, const std::string& over = "");
/// Traces every inexact leaf where `wanted`.
std::vector<std::optional<TracedLeaf>> differentiable(const CallArrays& args, const std::vector<bool>& wanted);

}  // namespace tutti::detail
