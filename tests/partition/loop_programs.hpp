// Loops and branches as Eqns, for tests that need no user's face of them.
#pragma once

#include "partition/programs.hpp"
#include "regions/loops.hpp"

namespace tutti::testing {

/// What a body makes of consts, carries and slices: the next carries, then what is stacked.
using Body = std::function<Arrays(const Arrays& consts, const Arrays& carries, const Arrays& slices)>;

inline std::vector<Type> types_of(const Arrays& xs) {
  std::vector<Type> out;
  for (const Array& x : xs) out.push_back(x.type());
  return out;
}
inline Arrays join(Arrays a, const Arrays& b, const Arrays& c = {}) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}
inline Arrays part(const Arrays& xs, std::size_t from, std::size_t to) {
  return {xs.begin() + static_cast<std::ptrdiff_t>(from), xs.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// The results of a scan: the last carries, then the stacks.
inline Arrays scan(std::int64_t length, const Arrays& consts, const Arrays& carries, const Arrays& xs, const Body& f,
                   bool reverse = false) {
  std::vector<Type> inputs = types_of(join(consts, carries, xs));
  for (std::size_t i = consts.size() + carries.size(); i < inputs.size(); ++i) inputs[i].shape.erase(0);
  const std::size_t c = consts.size(), k = c + carries.size();
  ProgramPtr body =
      record(inputs, [&](const Arrays& in) { return f(part(in, 0, c), part(in, c, k), part(in, k, in.size())); });
  ops::Scan p{length, static_cast<int>(consts.size()), static_cast<int>(carries.size()), reverse, 1};
  return bind(ops::scan, p, join(consts, carries, xs), {body});
}

/// The carries when `condition` of consts and carries holds no longer.
inline Arrays while_loop(const Arrays& consts, const Arrays& carries,
                         const std::function<Array(const Arrays& consts, const Arrays& carries)>& condition,
                         const std::function<Arrays(const Arrays& consts, const Arrays& carries)>& f) {
  const std::vector<Type> inputs = types_of(join(consts, carries));
  const std::size_t c = consts.size();
  ProgramPtr test =
      record(inputs, [&](const Arrays& in) { return Arrays{condition(part(in, 0, c), part(in, c, in.size()))}; });
  ProgramPtr body = record(inputs, [&](const Arrays& in) { return f(part(in, 0, c), part(in, c, in.size())); });
  ops::While p{static_cast<int>(c), static_cast<int>(c)};
  return bind(ops::while_loop, p, join(consts, consts, carries), {test, body});
}

inline Arrays branch(const Array& index, const Arrays& operands, const std::vector<Function>& branches) {
  std::vector<ProgramPtr> subs;
  for (const Function& f : branches) subs.push_back(record(types_of(operands), f));
  return bind(ops::cond, {}, join({index}, operands), subs);
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
