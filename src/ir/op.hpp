// What a home of an operation is: everything tutti knows about it, in one struct.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/loc_override.hpp"
#include "ir/program.hpp"
#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {

/// What an Eqn says apart from its operands' values; rules get this.
struct Call {
  const Op& op;
  const Params& params;
  std::vector<Type> operands;  // types
  const std::vector<ProgramPtr>& subs;
  template <class P> const P& get() const { return params.get<P>(); }
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

/// The axis that a batching adds in front: its extent and, for vmap(axis_name) and manual regions, its name.
struct BatchAxis {
  std::int64_t size = 0;
  std::string name;
};
struct Batched {
  std::vector<Array> results;
  std::vector<bool> mapped;  // per result: has the batch dim in front
};

/// A strided reading of one operand: result[i0, i1, ...] = operand[offset + sum i_k * strides[k]] (in elements of the
/// row-major operand).
struct View {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // per result dim; 0 = broadcast, negative = reversed
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

struct Op {
  std::string name;

  // Types of the results. Varying axes and the union of weak flags need no care: bind does both unless `collective` /
  // `own_weak`.
  std::function<std::vector<Type>(const Call&)> infer;
  // The meaning, in clear loops; the test oracle. Operands and results dense, row-major.
  std::function<void(const Call&, std::span<const HostView>, std::span<const HostView>)> eval;
  std::function<Factors(const Call&, const std::vector<Type>& results)> factors;

  // Sets of operands in which the op is jointly linear: add {{0,1}}, mul {{0},{1}}, div {{0}}, select {{1,2}}, neg
  // {{0}}, concatenate {{every}}. The jvp of these operands and the pending rows of the partitioner derive from it.
  std::vector<std::vector<int>> linear;
  static constexpr int every = -1;  // all operands, however many a call has
  /// `linear` of a call with so many operands.
  std::vector<std::vector<int>> linear_sets(std::size_t operands) const;
  // Tangents of the results for the operands that `linear` does not cover. Empty array = zero tangent.
  std::function<std::vector<Array>(const Call&, const std::vector<Array>& primals, const std::vector<Array>& results,
                                   const std::vector<Array>& tangents)>
      jvp;
  // Cotangents of the linear operands (undefined[i] true); the other operands are given. Empty array = zero.
  std::function<std::vector<Array>(const Call&, const std::vector<Array>& cotangents,
                                   const std::vector<Array>& operands, const std::vector<bool>& undefined)>
      transpose;
  // The op with one more leading dim on the mapped operands.
  std::function<Batched(const Call&, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                        const BatchAxis&)>
      batch;
  std::string not_differentiable;  // a reason, when neither linear nor jvp covers the floating operands

  // How the engine may run it; none of these: eval is called.
  std::function<Reg(VectorIR&, const Call&, std::span<const Reg>)>
      pointwise;  // elementwise over equal shapes (scalars broadcast)
  std::function<std::optional<View>(const Call&, const Type& result)>
      view;  // the result is a strided reading of operand 0
  enum class Reduce {
    none,
    sum,
    prod,
    max,
    min,
    any,
    all
  } reduce = Reduce::none;  // Params then hold `std::vector<int> axes` as ops::Reduction

  // Among devices: names mesh axes in its parameters, and varying is its own business (ir/collective.hpp).
  std::shared_ptr<const Collective> collective;
  bool own_weak = false;  // infer sets weak itself
  bool movement = false;  // only moves or repeats elements (any dtype, keys too)
  bool effect = false;    // never dead
  std::vector<Sample> samples;
  // What the op goes without, and why: "eval", "factors", "batch", "derivative" (see also `not_differentiable`),
  // "samples". A test reads it, so that no law is skipped silently.
  std::map<std::string, std::string> without;
};

/// The op's result types, with varying axes and weak flags filled in; errors name the op.
std::vector<Type> infer_types(const Op& op, const Params& params, const std::vector<Type>& operands,
                              const std::vector<ProgramPtr>& subs);

/// Runs or records one operation on arrays: the innermost open trace takes it, else it runs at once (implemented in
/// src/trace).
std::vector<Array> bind(const Op& op, Params params, std::vector<Array> operands, std::vector<ProgramPtr> subs = {});
inline Array bind1(const Op& op, Params params, std::vector<Array> operands, std::vector<ProgramPtr> subs = {}) {
  return bind(op, std::move(params), std::move(operands), std::move(subs))[0];
}

/// All operations: the build lists the homes in src/ops (cmake/list_ops.cmake).
const std::vector<const Op*>& all_ops();

}  // namespace tutti
