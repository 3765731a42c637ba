// From callables to Programs. What enters: arrays and operations on them (bind). What leaves: a Program, and the arrays
// it captured. Start with Trace::record and with bind in bind.cpp.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "array/node.hpp"
#include "ir/op.hpp"
#include "ir/program.hpp"
#include "ir/replay.hpp"
#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {

/// A finished trace. The Program's inputs are the explicit ones, then one per captured array.
struct Traced {
  ProgramPtr program;
  std::vector<Array> captured;  // concrete arrays, or values of enclosing traces
};

/// The array that a literal stands for.
inline Array literal_array(const Atom& literal) { return array_from_scalar(literal.literal, literal.weak); }

/// One Program being recorded. Staged: every operation is recorded (jit, shard_map, control flow, and all Program ->
/// Program interpreters). Open: operations on concrete operands run at once unless something staged is around
/// (un-jitted grad, jvp, vjp, vmap).
class Trace : public std::enable_shared_from_this<Trace> {
 public:
  enum class Mode { staged, open };
  Trace(Mode mode, std::string what, Loc made);

  /// A new explicit input. `known`: its value, for reads on demand in open traces.
  Array input(const Type& type, std::string name = "", Array known = {});
  std::vector<Array> record(const Op& op, Params params, const std::vector<Array>& operands,
                            std::vector<ProgramPtr> subs, Loc loc);
  /// Ends the trace: outputs may be values of this trace, captured arrays or literals. Dead code is dropped; effects
  /// stay.
  Traced close(const std::vector<Array>& outputs);

  Mode mode() const { return mode_; }
  bool closed() const { return closed_; }
  const std::string& what() const { return what_; }
  Loc made() const { return made_; }
  const Type& type(ValueId v) const { return program_.types[v]; }
  /// The value of an array of this trace computed from known inputs, in the context around this trace; TracerError when
  /// it cannot be known.
  Array read(const ArrayNode& node, const char* what);
  /// TracerError when `x` was recorded by a trace that is not open here.
  void check_usable(const Array& x) const;

  /// Named axes bound by the body that is traced here (vmap, shard_map, pmap): name -> size.
  std::vector<std::pair<std::string, std::int64_t>> axes;
  /// Those over which types say what varies (shard_map with check_vma).
  std::vector<std::string> typed_axes;
  /// How many derivatives, one of the other, may be taken of what is recorded here: rules of custom functions are
  /// recorded for as many. As many as in the trace around; transformations take one more.
  int derivatives;

 private:
  friend class TraceScope;
  Atom atom(const Array& x);

  Mode mode_;
  std::string what_;
  Loc made_;
  Program program_;
  std::vector<Array> captured_;
  std::map<const ArrayNode*, ValueId> capture_ids_;
  Environment<Array> known_{literal_array};  // values that are concrete outside of this trace
  std::vector<int> producer_;                // value -> Eqn, -1 for inputs
  std::thread::id thread_ = std::this_thread::get_id();
  bool closed_ = false;
};

/// Makes `trace` the innermost one of this thread while it lives; an exception that unwinds it ends the trace.
class TraceScope {
 public:
  explicit TraceScope(std::shared_ptr<Trace> trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;

 private:
  std::shared_ptr<Trace> trace_;
  InsideCall inside_;
};
/// Hides the innermost traces while it lives, down to and including `trace` (nullptr: all of them).
class OutsideOf {
 public:
  explicit OutsideOf(const Trace* trace);
  ~OutsideOf();
  OutsideOf(const OutsideOf&) = delete;

 private:
  std::vector<std::shared_ptr<Trace>> hidden_;
};

/// The innermost trace of this thread, or nullptr.
const std::shared_ptr<Trace>& innermost_trace();
bool inside_staged();
/// All named axes bound here, innermost first, and whether types say what varies along each: what a body may come to
/// depend on.
struct BoundAxis {
  std::string name;
  std::int64_t size;
  bool typed;
  bool operator==(const BoundAxis&) const = default;
};
std::vector<BoundAxis> bound_axes();
/// Of the innermost trace; 0 outside of all.
int derivatives_here();
/// Size of a named axis bound by an enclosing body; NameError lists those that are.
std::int64_t bound_axis_size(const std::string& name);
bool axis_is_bound(const std::string& name);
/// Whether types say which values vary along this axis.
bool axis_is_typed(const std::string& name);

/// The operation of an Eqn once more, on these operands.
std::vector<Array> bind(const Eqn& eqn, std::vector<Array> operands);
/// Replays `program` on `args` in the present context: Eqn by Eqn through bind, each with its own source line.
std::vector<Array> apply(const Program& program, const std::vector<Array>& args);
/// The zero array of a type (a broadcast literal).
Array zeros_of(const Type& type);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
