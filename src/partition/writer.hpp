// A program that is written again, Eqn by Eqn, with other Eqns in the place of some.
#pragma once

#include <vector>

#include "ir/program.hpp"

namespace tutti {

class Writer {
 public:
  /// Values keep their numbers; new ones come behind them.
  explicit Writer(const Program& program);

  /// What stands for a value of the program that comes in.
  Atom now(const Atom& a) const { return a.is_literal() ? a : is_[static_cast<std::size_t>(a.id)]; }
  /// The Eqn with the operands that stand for its own.
  Eqn now(Eqn e) const;
  Type type(const Atom& a) const { return out_.type(a); }
  /// From here on `a` stands for the value.
  void is(ValueId value, const Atom& a) { is_[static_cast<std::size_t>(value)] = a; }
  /// An Eqn of the program, its operands as they stand now.
  void add(Eqn e) { out_.eqns.push_back(std::move(e)); }
  /// All that `body` computes of these operands: its outputs.
  std::vector<Atom> put(const Program& body, const std::vector<Atom>& operands);
  /// With the outputs of the program that came in.
  ProgramPtr done();

 private:
  Program out_;
  std::vector<Atom> outputs_, is_;  // is_: by value
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
