// A program of one device that is written again, Eqn by Eqn, with the causes of its collectives.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "ir/home.hpp"
#include "partition/boxes.hpp"
#include "partition/local_program.hpp"

namespace tutti {

/// Of one program or body; bodies come first.
class LocalRewriting {
 public:
  const std::vector<Cause>& causes() const { return causes_; }

 protected:
  /// Writes a body: its program, its causes behind those of earlier ones, and what of `causes` is read.
  using Body = std::function<ProgramPtr(const ProgramPtr& body, std::size_t& at, std::vector<Cause>& out)>;
  LocalRewriting(const Program& program, const std::vector<Cause>& causes, std::size_t& at, const Body& body);
  /// Bodies are written as the program is.
  template <class Rewriting> static Body written_by(const std::vector<Cause>& causes) {
    return [&causes](const ProgramPtr& body, std::size_t& at, std::vector<Cause>& out) {
      Rewriting inner(*body, causes, at);
      ProgramPtr written = inner.run(body);
      out.insert(out.end(), inner.causes().begin(), inner.causes().end());
      return written;
    };
  }

  /// Writes all Eqns but those that `replaced` says it has written in another form.
  ProgramPtr write(const ProgramPtr& program, const std::function<bool(int eqn)>& replaced);

  Atom now(const Atom& a) const { return a.is_literal() ? a : is_[static_cast<std::size_t>(a.id)]; }
  /// From here on `a` stands for a value of the program that comes in; its types are equal.
  void is(ValueId value, const Atom& a) { is_[static_cast<std::size_t>(value)] = a; }
  Type type(const Atom& a) const { return out_.type(a); }
  const Eqn* producer(ValueId v) const;  // nullptr: an input
  const Cause& cause(int eqn) const { return own_[static_cast<std::size_t>(eqn)].causes[0]; }

  Atom make_of(const Op& op, Params params, std::vector<Atom> operands, std::vector<Cause> causes = {});
  Atom make(const Home& op, Params params, std::vector<Atom> operands, std::vector<Cause> causes = {}) {
    return make_of(op, std::move(params), std::move(operands), std::move(causes));
  }
  /// The box of a value; what it is part of is not read where that is put together of others.
  Atom cut(const Atom& x, const IndexBox& box);
  Atom reshaped(const Atom& x, const Shape& shape);
  Atom filled(const Atom& scalar, const Shape& shape);
  /// Boxes that cover one, put together: along a dim where no box lies on both sides of a cut.
  Atom joined(std::vector<std::pair<IndexBox, Atom>> parts, const IndexBox& box);

  const Program& p_;
  Loc loc_;  // of new Eqns
  bool changed_ = false;

 private:
  struct Own {
    std::vector<ProgramPtr> subs;
    std::vector<Cause> causes;  // of it, or of its bodies
  };
  void add(Eqn e, std::vector<Cause> causes);
  void drop_dead();

  Program out_;
  std::vector<Own> own_;                        // by Eqn
  std::vector<int> producer_;                   // by value
  std::vector<Atom> is_;                        // by value: what stands for it
  std::vector<std::vector<Cause>> out_causes_;  // by Eqn of the result
  std::vector<Cause> causes_;
};

/// What `Rewriting`, a LocalRewriting with a `run`, makes of the program and its bodies.
template <class Rewriting> LocalProgram rewritten(LocalProgram local) {
  std::size_t at = 0;
  Rewriting writing(*local.program, local.causes, at);
  local.program = writing.run(local.program);
  local.causes = writing.causes();
  return local;
}

/// Operand and box of each piece of a value that Op::pieces says, of which there are elements in the box: where they
/// are in the value, and where in the operand (nothing of a scalar).
struct BoxPiece {
  IndexBox at;
  int operand;
  IndexBox from;
};
std::vector<BoxPiece> pieces_within(const Program& program, const Eqn& eqn, const IndexBox& box);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
