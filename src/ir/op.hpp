// What a home of an operation is: everything tutti knows about it, in one struct. Stages ask it: none compares an op's
// name or address (tools/check_names.py).
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/loc_override.hpp"
#include "ir/program.hpp"
#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// What an Eqn says apart from its operands' values; rules get this.
struct Call {
  const Op& op;
  const Params& params;
  std::vector<Type> operands;  // types
  const std::vector<ProgramPtr>& subs;
  template <class P> const P& get() const { return params.get<P>(); }
};

/// What an Eqn of the op is to the stages.
enum class Role {
  compute,     // results from operands
  generator,   // results from parameters alone: each device makes the part that is wanted of it
  constraint,  // operand 0 itself; `sites` says where it has to lie
  region,      // subs[0] is written for one device: local types inside, `sites` says how they lie outside
  call,        // subs[0] applied to the operands, once nothing is transformed any more
  loop,        // `loop` says how it runs its sub-programs
  branch,      // subs[i] applied to the operands behind the first, which is i: an int32 scalar, clamped
  inspection,  // nothing; somebody is told where the operand lies (`inspect`)
};

/// A dense row-major host buffer with its type: what eval reads and writes.
struct HostView {
  Type type;
  void* data = nullptr;
  template <class T> T* as() const { return static_cast<T*>(data); }
  std::int64_t size() const { return type.num_elements(); }
};

/// An einsum-like sharding rule. Each dim of an operand or result is an ordered list of factors, major first: a reshape
/// (6,4)->(24) has factors i=6, j=4 and reads `[i] [j] -> [i j]`. A factor in no result is reduced.
struct Factors {
  enum class Kind { parallel, sum, max, min, replicated };  // replicated: this factor may not be split
  struct Factor {
    std::int64_t size;
    Kind kind = Kind::parallel;
  };
  using Dims =
      std::vector<std::vector<int>>;  // per dim, indices into factors; an empty list: nothing known (extent 1 or new)
  std::vector<Factor> factors;
  std::vector<Dims> operands, results;
};

/// How eagerly axes flow through an op while shardings are propagated, in three rounds.
enum class Spread {
  first,   // from the first round on, unless a factor is reduced: then from the second, as `second`
  second,  // from the second round on
  last,    // towards the operands from the second round on, towards the results in the third: what repeats its operand
};

/// Where an op says that its operands and results lie; an empty handle says nothing.
struct Sites {
  std::vector<Sharding> operands, results;
};
/// Where an array lies, and whether it is bound to be there.
struct Label {
  Sharding sharding;
  bool committed = false;
};

/// Bounds of the magnitudes of a value's elements.
struct Magnitude {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

/// Types of an Eqn's operands as a program has them and on one device, and the extents of the device's results.
struct LocalTypes {
  std::vector<Type> global, local;
  std::vector<Shape> results;
};

/// How an op is computed on blocks of a dim that its factors call replicated (ir/across.hpp).
struct Across;

/// Mesh axes that a sub-program may name, with their sizes.
using NamedAxes = std::vector<std::pair<std::string, std::int64_t>>;

/// The axis that a batching adds in front: its extent and, for vmap(axis_name) and manual regions, its name.
struct BatchAxis {
  std::int64_t size = 0;
  std::string name;
};
struct Batched {
  std::vector<Array> results;
  std::vector<bool> mapped;  // per result: has the batch dim in front
};

/// Results and, per result, the tangent: an empty array where it is zero.
struct WithTangents {
  std::vector<Array> results, tangents;
};

/// A program, or an Eqn, that was cut in two by what depends on the inputs that are unknown. Known: inputs the known
/// ones; outputs the known outputs, then residuals (one that is an input stays that value, nothing is copied). Unknown:
/// inputs residuals, then the unknown ones; outputs the unknown outputs.
struct Split {
  ProgramPtr known, unknown;
  int num_residuals = 0;
  std::vector<bool> unknown_output;  // per output
};

/// How a loop runs its sub-programs. Its operands are consts of the condition, consts, carries and, stacked along dim
/// 0, slices; its results are the last carries and, stacked along dim 0, what the steps make.
///     body: (consts, carries, one element of each slice) -> (the next carries, one element of each stacked result)
///     condition: (its consts, carries) -> a bool scalar, whether there is another step
struct Loop {
  int body = 0, condition = -1;  // places in subs; -1: there are `length` steps
  int condition_consts = 0, consts = 0, carries = 0, slices = 0;
  std::int64_t length = -1;  // -1: as many steps as the condition says
  bool reverse = false;      // the first step takes and makes the last elements

  int first_const() const { return condition_consts; }
  int first_carry() const { return first_const() + consts; }
  int first_slice() const { return first_carry() + carries; }
};

/// A strided reading of one operand: result[i0, i1, ...] = operand[offset + sum i_k * strides[k]] (in elements of the
/// row-major operand).
struct View {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // per result dim; 0 = broadcast, negative = reversed
};

/// The box of a result from `start` on is the box of an operand from `from` on (all of it the same element where the
/// operand is a scalar).
struct Piece {
  int operand = 0;
  std::vector<std::int64_t> start, extents, from;
};

struct Collective;  // ir/collective.hpp
class VectorIR;     // lane/vector_ir.hpp
struct Reg;

/// Shapes, dtypes, domains and tolerances for the generic property tests.
struct Sample {
  Params params;
  std::vector<Type> operands;
  double lo = -2, hi = 2;      // domain of floating operands (integers: rounded)
  bool differentiable = true;  // of floating operands, by finite differences
  double ulp = 4;              // engine against eval
  std::vector<ProgramPtr> subs = {};
};

/// Everything about one operation. What a home leaves out has the default that stands beside it.
struct Op {
  using Arrays = std::vector<Array>;
  using Flags = std::vector<bool>;

  std::string name;
  Role role = Role::compute;

  // --- meaning
  // Types of the results. Varying axes and the union of weak flags need no care: bind does both unless `collective`,
  // `own_varying` / `own_weak`.
  std::function<std::vector<Type>(const Call&)> infer;
  // The reference semantics, in plain loops (docs/design/036); the test oracle. Operands and results dense, row-major.
  std::function<void(const Call&, std::span<const HostView>, std::span<const HostView>)> eval;
  // Raises the error of a program that would have to compute it, for ops that only transformations know.
  std::function<void(Loc)> refuse;

  // --- transformations; ops with sub-programs call those of transform/transform.hpp on them
  // Sets of operands in which the op is jointly linear: add {{0,1}}, mul {{0},{1}}, div {{0}}, select {{1,2}}, neg
  // {{0}}, concatenate {{every}}. The jvp of these operands and the pending rows of the partitioner derive from it.
  std::vector<std::vector<int>> linear;
  static constexpr int every = -1;  // all operands, however many a call has
  /// `linear` of a call with so many operands.
  std::vector<std::vector<int>> linear_sets(std::size_t operands) const;
  // The result is the sum of the operands with these signs: tangents that are zero are left out of it.
  std::vector<int> signs;
  // Tangents of the results for the operands that `linear` does not cover. Empty array = zero tangent.
  std::function<Arrays(const Call&, const Arrays& primals, const Arrays& results, const Arrays& tangents)> jvp;
  // Instead of the two: results and all tangents at once, where they share work. `tangents[i]` is empty where zero.
  std::function<WithTangents(const Call&, const Arrays& primals, const Arrays& tangents)> jvp_together;
  // Cuts an Eqn of which some operands are known (literals are) in two. Not set: the whole Eqn is unknown.
  std::function<Split(const Call&, const Flags& unknown)> split;
  // Cotangents of the linear operands (undefined[i] true); the other operands are given. Empty array = zero.
  std::function<Arrays(const Call&, const Arrays& cotangents, const Arrays& operands, const Flags& undefined)>
      transpose;
  // The op with one more leading dim on the mapped operands.
  std::function<Batched(const Call&, const Arrays& operands, const Flags& mapped, const BatchAxis&)> batch;
  std::string not_differentiable;  // a reason, when neither linear nor jvp covers the floating operands
  // Axes that its sub-programs may name.
  std::function<NamedAxes(const Params&)> binds;
  // Its parameters where of all results only the elements `from` to `to` of dim `dim` are read: its results are these.
  // Nothing when it gains nothing by that.
  std::function<std::optional<Params>(const Call&, int dim, std::int64_t from, std::int64_t to)> part;
  // A simpler program from its operands to its results (a branch whose number is known), nullptr when there is none.
  // Asked once nothing is transformed any more.
  std::function<ProgramPtr(const Call&, const std::vector<Atom>& operands)> simpler;
  // Of complex numbers: the parts of its result, or its result where that is real, from the operands, where real and
  // imaginary part stand in place of one that is complex. Loops are made of parts (transform/complex_parts.cpp).
  std::function<Arrays(const Call&, const Arrays& parts)> in_parts;
  // Of a loop with so many operands (loop_of).
  std::function<Loop(const Params&, std::size_t operands)> loop;
  // Its parameters with other numbers of consts and carries.
  std::function<Params(const Params&, int condition_consts, int consts, int carries)> with_consts;

  // --- placement
  std::function<Factors(const Call&, const std::vector<Type>& results)> factors;
  Spread spread = Spread::first;
  // Whether the op of a sum over devices may be computed as the sum of what it makes of each term: of the operands in a
  // linear `set`, the others being the same everywhere. Not set: it may. Asked only where no result is narrower than an
  // operand of the set.
  std::function<bool(const Call&, const std::vector<int>& set, const std::vector<Magnitude>& operands)> adds_up;
  // Bounds of its first result. Not set: those of all operands together when it is `movement`, else none.
  std::function<Magnitude(const Call&, const std::vector<Magnitude>& operands)> magnitude;
  // Its parameters on one device, where they speak of extents. Not set: the same.
  std::function<Params(const Params&, const LocalTypes&)> localize;
  // On blocks of the one dim that `factors` call replicated.
  std::shared_ptr<const Across> across;
  std::function<Sites(const Params&)> sites;
  // Its result is operand 0 itself, on the same memory, with this label; asked where operations run at once.
  std::function<Label(const Params&, std::span<const Array> operands)> relabel;
  // Of an inspection: tells.
  std::function<void(const Params&, const Sharding&, const Shape&)> inspect;

  // --- engine; where none of the first four holds, a kernel that the engine has for the op is called, or eval
  // Elementwise over equal shapes (scalars broadcast).
  std::function<Reg(VectorIR&, const Call&, std::span<const Reg>)> pointwise;
  // The result is a strided reading of operand 0.
  std::function<std::optional<View>(const Call&, const Type& result)> view;
  // The result is put together of boxes of the operands, which cover it, each element once; some may be empty. No
  // boxes: this one is not.
  std::function<std::vector<Piece>(const Call&, const Type& result)> pieces;
  // Params then hold `std::vector<int> axes` as ops::Reduction.
  enum class Reduce { none, sum, prod, max, min, any, all };
  Reduce reduce = Reduce::none;
  // Every element of the result is its own index along this dim.
  std::function<int(const Params&)> index;
  // Windows of operand 0 at places that operand 1 names: Params hold ops::Gather (read) or ops::Scatter; eval says what
  // others do there. Or one box, whose place the last operands name, a scalar for each dim; operand 1 is written there.
  enum class Window { none, read, write, add, other, read_box, write_box };
  Window window = Window::none;
  // The operand whose memory the result may be written into: eval and the engine read it nowhere but there.
  int overwrites = -1;
  // Additions and multiplications. Not set: one per element of the results where `pointwise`, else none.
  std::function<double(const Call&, const std::vector<Type>& results)> flops;

  // Among devices: names mesh axes in its parameters, and varying is its own business (ir/collective.hpp).
  std::shared_ptr<const Collective> collective;
  bool own_weak = false;     // infer sets weak itself
  bool own_varying = false;  // infer sets varying itself
  // It takes 8-bit floats and 4-bit integers as they are stored, as those that move elements do; all others compute in
  // arithmetic_dtype (transform/inline_calls.cpp), and their eval sees nothing else.
  bool small = false;
  bool movement = false;  // only moves or repeats elements (any dtype, keys too)
  // Somebody outside is told: never dead, never shared, never computed again for a derivative; the effects of a program
  // keep their order.
  bool effect = false;
  // Calls a function of the user's, on the thread of the call. What it holds is equal only to itself.
  bool host = false;
  // Of an effect: whether it stands in the program of one device, so that each has its own; else there is one for all.
  std::function<bool(const Params&)> each_device;
  // Of an effect: its parameters when one more operand stands in front, a bool scalar: it happens where that holds.
  std::function<Params(const Params&)> guarded;
  std::vector<Sample> samples;
  // What the op goes without, and why: "eval", "factors", "batch", "derivative" (see also `not_differentiable`),
  // "samples". A test reads it, so that no law is skipped silently.
  std::map<std::string, std::string> without;
};

/// The op's result types, with varying axes and weak flags filled in; errors name the op.
std::vector<Type> infer_types(const Op& op, const Params& params, const std::vector<Type>& operands,
                              const std::vector<ProgramPtr>& subs);

inline Loop loop_of(const Eqn& eqn) { return eqn.op->loop(eqn.params, eqn.operands.size()); }

/// Additions and multiplications of an Eqn.
double flops_of(const Program& program, const Eqn& eqn);

/// Runs or records one operation on arrays: the innermost open trace takes it, else it runs at once (implemented in
/// src/trace).
std::vector<Array> bind(const Op& op, Params params, std::vector<Array> operands, std::vector<ProgramPtr> subs = {});
inline Array bind1(const Op& op, Params params, std::vector<Array> operands, std::vector<ProgramPtr> subs = {}) {
  return bind(op, std::move(params), std::move(operands), std::move(subs))[0];
}

/// All operations: the build lists the homes in src/ops (cmake/list_ops.cmake).
const std::vector<const Op*>& all_ops();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
