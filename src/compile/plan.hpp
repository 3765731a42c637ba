// What compiling makes of a Program: storages and a list of steps over them. No machine code yet; a backend adds that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compile/body.hpp"
#include "compile/views.hpp"
#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti::compile {

/// A block of memory that steps read and write. Values that are the same elements in the same order share one.
struct Storage {
  enum class Kind {
    input,
    output,
    temporary,
    constant,
    chunk
  };  // chunk: a few rows at a time, of the task that works on them
  Kind kind = Kind::temporary;
  int index = -1;  // input or output number
  std::int64_t bytes = 0;
  std::int64_t offset = 0;     // temporary: in the slab; constant: in Plan::constants; chunk: in the task's memory
  std::int64_t row_bytes = 0;  // chunk: from one row to the next
  int takes = -1;  // output: the input (a storage) whose memory it takes when that was donated; temporary: the output
                   // in whose memory it lies, which is not begun before it ends
  int first = 0, last = 0;  // stages of the first write and the last use
};

/// One pointer of a loop: where element (i0, i1, ...) lies.
struct Access {
  enum class Kind { load, store, index, reduce };  // index: no memory, the number offset + sum i_k * strides[k]
  Kind kind = Kind::load;
  DType dtype;
  int storage = -1;
  std::int64_t offset = 0;  // bytes, as the strides; index: units
  Extents strides;          // per dim of the loop; a reduce access has 0 at the reduced dim
  int value = -1;           // store, reduce: the register written
  Op::Reduce combine = Op::Reduce::none;
  DType accumulate;  // reduce: the type summed in
};

/// A loop nest over `extents` that runs `body` at every point. At most one dim is reduced.
struct Loop {
  Extents extents;
  int reduced = -1;
  std::int64_t block_total =
      0;  // not 0: the reduced dim is cut in blocks; the dim before it counts them, the last one may be shorter
  std::vector<Access> accesses;
  Body body;
};

/// C[b, m, n] = sum over k of A[b, m, k] * B[b, k, n]; strides in elements. C is row-major in its last two dims.
struct Dot {
  DType dtype, result;         // of operands and result
  int a = -1, b = -1, c = -1;  // storages
  std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;
  Extents batch, a_batch, b_batch, c_batch;
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t a_m = 0, a_k = 0, b_k = 0, b_n = 0, c_m = 0;
  std::int64_t panel = 0;  // not 0: B is a copy in panels of so many columns, one behind the other, and each k x panel
  bool plus_zero = false;  // 0 is added to every sum: none is -0
  /// bool: nobody looks at elements of C where it is not `seen`; they need not be computed. Strides in bytes; that of
  /// columns is 1.
  struct Mask {
    int storage = -1;
    std::int64_t offset = 0;
    Extents batch;
    std::int64_t m = 0;
    bool seen = true;
    bool operator==(const Mask&) const = default;
  };
  std::optional<Mask> mask;
  bool adds = false;  // in a stage by rows: k is cut into them; C holds one matrix for each of the stage's groups
};

/// One Eqn by its op's eval, or by a kernel that the backend has for it.
struct CallEqn {
  Eqn eqn;
  std::vector<Type> operand_types, result_types;
  std::vector<int> operands, results;  // storages
  bool spread = false;  // the operand that may be overwritten is one element, which stands for all of them
  // A gather that is fused into this scatter: its result would be the updates. Operands 2 and 3 of the scatter are then
  // the array and the indices that the gather reads; operand_types[2] is still the type of the updates. Of the gather
  // itself only Eqn and types count.
  std::shared_ptr<const CallEqn> gather = nullptr;
};

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

/// A loop whose steps are a Plan. Its inputs are the consts of the body, the carries and one slice of each of the xs;
/// its outputs the next carries and one slice of each of the ys. A step reads the carries where the one before wrote
/// them, and slices where they lie: nothing is copied between steps.
struct Repeat {
  PlanPtr body;
  PlanPtr condition;        // of a while: from its own consts and the carries to one bool; nothing: `length` steps
  std::int64_t length = 0;  // steps, where there is no condition
  bool reverse = false;     // slices from the last one to the first
  int condition_consts = 0, consts = 0;
  struct Carry {
    int start = -1, result = -1;  // storages of its first and its last value
    std::int64_t bytes = 0;
    bool in_place = false;   // the body may write it where it reads it
    std::int64_t slot = -1;  // else: its other place, in the scratch
  };
  std::vector<Carry> carries;
  std::vector<int> operands;                // storages: consts of the condition, consts of the body, carries, xs
  std::vector<int> results;                 // storages: carries, ys
  std::vector<std::pair<int, int>> passed;  // storages: a const, and a result that is the same; of these bytes:
  std::vector<std::int64_t> passed_bytes;
  int scratch = -1;  // storage: other places of carries and the temporaries of body and condition
  std::int64_t body_slab = 0, condition_slab = 0, held = 0;  // in the scratch: where they lie, one bool
  int xs() const { return static_cast<int>(operands.size() - carries.size()) - condition_consts - consts; }
  int ys() const { return static_cast<int>(results.size() - carries.size()); }
};

/// One of several Plans, all from the same operands to the same results.
struct Branch {
  std::vector<PlanPtr> branches;
  int index = -1;             // storage: an int32, clamped to the branches there are
  std::vector<int> operands;  // storages
  std::vector<int> results;   // storages
  int scratch = -1;           // storage: the temporaries of the branch that is taken
};

struct Step {
  std::variant<Loop, Dot, CallEqn, Repeat, Branch> what;
  std::vector<int> eqns;  // of the simplified Program: for printing and error messages
  std::string str() const;
};

/// Steps without dependencies on each other; or, with `rows`, loops whose leading dims are that many rows (times whole
/// numbers), of which each reads only its own rows of what the others write: they run one after the other over a chunk
/// of rows, then over the next.
struct Stage {
  std::vector<int> steps;
  std::int64_t rows = 0, chunk = 0;
  std::int64_t groups = 0;  // not 0: of neighbouring chunks; what adds up over rows does so within one, chunk by chunk
  std::int64_t scratch_bytes = 0;  // of the chunk storages, per task
  std::vector<int> awaits;         // collectives of earlier stages that are over when this one begins
  bool grouped = false;            // by depth_first: the pass `rows` leaves it as it is
};

struct Plan {
  Program program;  // simplified
  std::vector<Storage> storages;
  std::vector<Step> steps;
  std::vector<Stage> stages;
  std::vector<int> inputs, outputs;  // storages
  std::vector<std::byte> constants;
  std::int64_t slab_bytes = 0;
  std::int64_t fresh_output_bytes = 0;  // of the outputs that take no input's memory
  bool within = false;                  // a step of a loop, or a branch: inputs and outputs may lie anywhere
  std::string str() const;
};

inline std::string str(const Plan& plan) { return plan.str(); }
std::string size_text(const Plan& plan);
/// Steps use storages that exist and stand in one stage each, temporaries that live together lie apart; InternalError
/// else. A plan that has no stages or no places yet is checked as far as it is.
void verify(const Plan& plan);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
