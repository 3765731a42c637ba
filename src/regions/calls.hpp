// Calls: Eqns whose meaning is their first sub-program applied to their operands, and which transformations treat in a
// way of their own. Where nothing is transformed any more they are inlined (src/transform/inline_calls.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/home.hpp"
#include "tutti/transform/remat_policy.hpp"

namespace tutti::ops {

/// Operands: `args` arguments, then captured arrays; so has every sub-program, behind its own inputs. Subs: the
/// function; the rule, from the arguments and the tangents of those that are inexact to results and the tangents of
/// those that are. Without the rule where nobody can take a derivative.
struct CustomJvp {
  int args = 0;
  friend bool operator==(const CustomJvp&, const CustomJvp&) = default;
};
extern const Home custom_jvp;

/// Subs: the function; forward, from the arguments to results and `residuals`; backward, from residuals and cotangents
/// of the inexact results to cotangents of the inexact arguments. The function alone where nobody can take a
/// derivative.
struct CustomVjp {
  int args = 0, residuals = 0;
  friend bool operator==(const CustomVjp&, const CustomVjp&) = default;
};
extern const Home custom_vjp;

/// The linear map whose transpose is `subs[0]`, a `backward`. Operands: residuals and captured arrays, in `kept`, then
/// tangents of the inexact arguments. It can be transposed and not computed.
struct CustomTangent {
  int residuals = 0, kept = 0;
  friend bool operator==(const CustomTangent&, const CustomTangent&) = default;
};
extern const Home custom_tangent;

/// What vmap makes of a call, as a callable: which operands are mapped is known only when it does. Equal only to
/// itself.
class MapRule {
 public:
  /// From how many elements there are, which arguments have them in front, and the arguments.
  using Call = std::function<Batched(std::int64_t size, const std::vector<bool>& mapped, const std::vector<Array>&)>;
  MapRule(Call call, Loc made) : call_(std::make_shared<const Call>(std::move(call))), made_(made) {}
  const Call& operator*() const { return *call_; }
  Loc made() const { return made_; }

  friend bool operator==(const MapRule& a, const MapRule& b) { return a.call_ == b.call_; }
  friend std::size_t hash(const MapRule& r) { return std::hash<const void*>{}(r.call_.get()); }
  friend std::string text(const MapRule&) { return "function"; }

 private:
  std::shared_ptr<const Call> call_;
  Loc made_;
};

/// Operands: `args` arguments, then captured arrays. Subs: the function.
struct CustomVmap {
  int args = 0;
  MapRule rule;
  friend bool operator==(const CustomVmap&, const CustomVmap&) = default;
};
extern const Home custom_vmap;

/// The solution of a linear system. Operands: the right hand side, `size` arrays, then captured ones; so has every
/// sub-program. Subs: solve, from the right hand side to the solution, then results without derivatives; the matrix,
/// from a solution to its right hand side; solve of the transposed system, unless nobody said how, or of a `symmetric`
/// one. The first alone where nobody can take a derivative.
struct ImplicitSolve {
  int size = 0;
  bool symmetric = false;
  friend bool operator==(const ImplicitSolve&, const ImplicitSolve&) = default;
};
extern const Home implicit_solve;

/// A root of a function. Operands: the guess, `size` arrays, then captured ones; so has every sub-program. Subs: solve,
/// from the guess to the root, then results without derivatives; the function; the solution dx of f'(x) dx = y from x
/// and y. The first alone where nobody can take a derivative.
struct ImplicitRoot {
  int size = 0;
  friend bool operator==(const ImplicitRoot&, const ImplicitRoot&) = default;
};
extern const Home implicit_root;

/// Subs: the function. Reverse mode keeps its operands, and of what it computes what the policy says.
struct Remat {
  RematPolicy policy;
  friend bool operator==(const Remat&, const Remat&) = default;
};
extern const Home remat;

/// A program of known values cut in two by what a policy keeps.
struct PolicyCut {
  ProgramPtr once;   // inputs -> outputs, then what is kept
  ProgramPtr again;  // inputs, then what is kept -> the outputs that are computed again
  int kept = 0;
};
/// `again`: the outputs for which values are kept. What they do not need is not.
PolicyCut cut_by_policy(const Program& p, const RematPolicy& policy, const std::vector<bool>& again);

/// Per value of the program, the names that checkpoint_name gave to it.
std::vector<std::vector<std::string>> names_in(const Program& p);
/// Where the outputs of `known` behind its first `results` come from: `named 'h', output of tanh at gpt.cpp:41`.
/// `inputs`: where its inputs come from.
std::vector<std::string> residual_origins(const Program& known, std::size_t results,
                                          const std::vector<std::string>& inputs);

/// How many derivatives, one of the other, can be taken of a program: as many as rules were recorded for.
int derivatives_of(const Program& program);

/// An op whose results are those of its first sub-program.
Op call_op(std::string name);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
