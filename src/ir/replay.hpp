// One walk over a Program for every interpreter. What differs between them is the kind of value, and what they do with
// an Eqn.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loc_override.hpp"
#include "ir/index.hpp"
#include "ir/op.hpp"

namespace tutti {

/// What the values of a Program are at one point of a walk: arrays, buffers, a primal with its tangent, ... Literals
/// become such by a function.
template <class V> class Environment {
 public:
  using Literal = std::function<V(const Atom&)>;

  explicit Environment(Literal literal) : literal_(std::move(literal)) {}
  Environment(const Program& program, const std::vector<V>& inputs, Literal literal) : Environment(std::move(literal)) {
    values_.resize(program.types.size());
    define("the inputs", program.inputs, inputs);
  }

  /// A value that is not defined, or dropped, is V().
  V read(const Atom& atom) const {
    if (atom.is_literal()) return literal_(atom);
    return static_cast<std::size_t>(atom.id) < values_.size() ? values_[atom.id] : V();
  }
  std::vector<V> read(const std::vector<Atom>& atoms) const {
    std::vector<V> out;
    out.reserve(atoms.size());
    for (const Atom& a : atoms) out.push_back(read(a));
    return out;
  }
  /// InternalError names the `owner` of the ids when there are more or fewer values.
  void define(std::string_view owner, const std::vector<ValueId>& ids, std::vector<V> values) {
    if (ids.size() != values.size())
      throw InternalError("replay: " + std::to_string(values.size()) + " values for the " + std::to_string(ids.size()) +
                          " of " + std::string(owner));
    for (std::size_t k = 0; k < ids.size(); ++k) define(ids[k], std::move(values[k]));
  }
  void define(ValueId id, V value) {
    if (static_cast<std::size_t>(id) >= values_.size()) values_.resize(static_cast<std::size_t>(id) + 1);
    values_[id] = std::move(value);
  }
  void drop(ValueId id) { values_[id] = V(); }

 private:
  Literal literal_;
  std::vector<V> values_;  // by ValueId
};

/// One Eqn: `step(eqn, operands)` gives its results. Meanwhile the present line is the Eqn's.
template <class V, class Step> void replay(const Eqn& eqn, Environment<V>& env, Step&& step) {
  LocOverride line(eqn.loc);
  env.define(eqn.op->name, eqn.results, step(eqn, env.read(eqn.operands)));
}

/// All Eqns in order, then the outputs. A value is dropped after its last use.
template <class V, class Step> std::vector<V> replay(const Program& program, Environment<V>& env, Step&& step) {
  const ProgramIndex index(program);
  for (int i = 0; i < static_cast<int>(program.eqns.size()); ++i) {
    const Eqn& eqn = program.eqns[i];
    replay(eqn, env, step);
    for (const Atom& a : eqn.operands)
      if (!a.is_literal() && index.last_use(a.id) == i) env.drop(a.id);
    for (ValueId r : eqn.results)
      if (!index.is_read(r)) env.drop(r);
  }
  return env.read(program.outputs);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
