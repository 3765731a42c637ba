// Transformations of Programs: pure functions from Program to Program. What enters: a Program with Eqns of ops that
// have the rules (jvp or linear, transpose, batch). What leaves: a Program; every Eqn keeps the user's line of the Eqn
// it comes from. Start with jvp in jvp.cpp.
//
// Reverse mode is always jvp, then linearize (split), then transpose; no op has a reverse rule of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/op.hpp"
#include "ir/program.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// Whether values of this type have tangents; integers, bools and keys have none.
inline bool has_tangent(const Type& t) { return t.dtype.is_inexact(); }

// `axes` below: mesh axes that the body of a manual region may name; empty outside of such bodies.

struct JvpProgram {
  ProgramPtr program;  // inputs: those of the primal program, then tangents of the differentiated inputs. Outputs: the
                       // primal outputs, then the tangents of the outputs in `tangent`
  std::vector<bool> tangent;  // per primal output: its tangent is not zero
};
/// Forward mode. `differentiated[i]` may only be set where has_tangent.
JvpProgram jvp(const Program& program, const std::vector<bool>& differentiated, const NamedAxes& axes = {});
/// Of a sub-program, as `split`, `transpose` and `batch` below: asked again within the same transformation, the answer
/// is the same one (kept.hpp).
JvpProgram jvp(const ProgramPtr& program, const std::vector<bool>& differentiated, const NamedAxes& axes = {});

struct Linearized {
  ProgramPtr known;   // inputs: the primal inputs. Outputs: the primal outputs, then residuals
  ProgramPtr linear;  // inputs: residuals, then tangents. Outputs: the tangents of the outputs in `tangent`
  int num_residuals = 0;
  std::vector<bool> tangent;  // per primal output
};
/// jvp, cut into what depends on the primals only and what is linear in the tangents.
Linearized linearize(const Program& program, const std::vector<bool>& differentiated, const NamedAxes& axes = {});

/// Cuts a program by what depends on the inputs where `unknown`. Where `whole` is given and set, the unknown half gives
/// the output also when it is known. Effects happen in the half that has their operands first, or all in the unknown
/// one.
enum class Effects { where_known, unknown };
Split split(const Program& program, const std::vector<bool>& unknown, const std::vector<bool>& whole = {},
            Effects effects = Effects::where_known);
Split split(const ProgramPtr& program, const std::vector<bool>& unknown, const std::vector<bool>& whole = {},
            Effects effects = Effects::where_known);

struct Transposed {
  ProgramPtr program;  // inputs: the inputs that are not linear, then cotangents of the outputs in `given`. Outputs:
                       // cotangents of the linear inputs in `nonzero`
  std::vector<bool> nonzero;  // per linear input
};
/// The transpose of a program that is linear in the inputs where `linear`. `given[i]`: output i has a cotangent, else
/// it is zero. A value that does not vary over a manual axis gets the psum of its cotangent over that axis.
Transposed transpose(const Program& program, const std::vector<bool>& linear, const std::vector<bool>& given,
                     const NamedAxes& axes = {});
Transposed transpose(const ProgramPtr& program, const std::vector<bool>& linear, const std::vector<bool>& given,
                     const NamedAxes& axes = {});

struct BatchedProgram {
  ProgramPtr program;        // mapped inputs and outputs carry the batch dim in front
  std::vector<bool> mapped;  // per output
};
/// The program over a whole batch at once.
BatchedProgram batch(const Program& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const NamedAxes& axes = {});
BatchedProgram batch(const ProgramPtr& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const NamedAxes& axes = {});
/// The same in place: nothing is recorded that is replayed at once.
Batched apply_batched(const Program& program, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                      const BatchAxis& axis);

/// Forward and backward in one Program. Inputs: the primal inputs, then cotangents of the outputs in `given`. Outputs:
/// the primal outputs, then cotangents of all differentiated inputs (zeros instantiated, each of its input's type).
struct VjpProgram {
  ProgramPtr program;
  std::vector<bool> given;  // what was asked for, without the outputs that depend on no differentiated input
};
/// `given[i]`: output i has a cotangent, else it is zero.
VjpProgram vjp(const Program& program, const std::vector<bool>& differentiated, const std::vector<bool>& given,
               const NamedAxes& axes = {});

/// `x` with this weak flag; records nothing where it has it already.
Array with_weak(const Array& x, bool weak);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
