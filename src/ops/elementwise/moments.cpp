#include "ops/elementwise/moments.hpp"

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/powers.hpp"

namespace tutti::ops {

std::optional<Atom> squared(const Eqn& e) {
  const bool power = e.op == &integer_pow && e.params.get<IntegerPow>().exponent == 2;
  if (!power && !(e.op == &mul && e.operands[0] == e.operands[1])) return std::nullopt;
  return e.operands[0];
}

std::optional<std::pair<Atom, Atom>> difference(const Eqn& e) {
  if (e.op != &sub) return std::nullopt;
  return std::pair{e.operands[0], e.operands[1]};
}

std::optional<std::pair<Atom, Atom>> quotient(const Eqn& e) {
  if (e.op != &div) return std::nullopt;
  return std::pair{e.operands[0], e.operands[1]};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
