// A ShardedProgram that is written again, Eqn by Eqn: what passes that change some of them have in common.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "ir/home.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

class Rewriting {
 public:
  using Pass = std::function<ShardedProgram(const ShardedProgram&)>;

 protected:
  explicit Rewriting(const ShardedProgram& sharded);

  /// Eqn i with its bodies as `pass` leaves them.
  std::pair<Eqn, std::vector<ShardedProgram>> entered(int i, const Pass& pass);
  void push(Eqn e, std::vector<ShardedProgram> bodies = {});
  /// A new value.
  ValueId value(Type type);
  /// The result of an Eqn: of `as`, else of a new value.
  Atom make(const Home& op, Params params, std::vector<Atom> operands, Loc loc, ValueId as = -1);
  /// The Eqns of a program of these inputs: its first output.
  Atom inlined(const Program& program, const std::vector<Atom>& arguments);
  /// The program as it came where nothing has `changed_`.
  ShardedProgram done() { return done(p_.outputs); }
  ShardedProgram done(std::vector<Atom> outputs);

  const Type& type(const Atom& a) const { return types_[static_cast<std::size_t>(a.id)]; }

  const ShardedProgram& in_;
  const Program& p_;
  ShardedProgram out_;
  std::vector<Type> types_;  // those of the program, then those of new values
  std::vector<Eqn> eqns_;
  bool changed_ = false;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
