// What the rules of Eqns with sub-programs share: parts of lists, and tangents beside their primals.
#pragma once

#include <string>
#include <vector>

#include "transform/interpret.hpp"

namespace tutti {

template <class T> void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}
template <class T> std::vector<T> first_of(const std::vector<T>& xs, std::size_t n) {
  return {xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(n)};
}
template <class T> std::vector<T> without_first(const std::vector<T>& xs, std::size_t n) {
  return {xs.begin() + static_cast<std::ptrdiff_t>(n), xs.end()};
}
/// The elements where `keep` is `value`.
template <class T> std::vector<T> where(const std::vector<T>& xs, const std::vector<bool>& keep, bool value = true) {
  std::vector<T> out;
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (keep[i] == value) out.push_back(xs[i]);
  return out;
}
/// One entry per element of `at`: the next of `xs` where it is set, else `T()`.
template <class T> std::vector<T> spread(const std::vector<T>& xs, const std::vector<bool>& at) {
  std::vector<T> out;
  std::size_t next = 0;
  for (bool here : at) out.push_back(here ? xs.at(next++) : T());
  return out;
}
/// One entry per element of `at`: the next of `set` where it is set, else the next of `others`.
template <class T>
std::vector<T> merged(const std::vector<bool>& at, const std::vector<T>& set, const std::vector<T>& others) {
  std::vector<T> out;
  std::size_t next[2] = {0, 0};
  for (bool here : at) out.push_back(here ? set.at(next[1]++) : others.at(next[0]++));
  return out;
}
/// A list that is read piece by piece, and outlives this.
template <class T> class Pieces {
 public:
  explicit Pieces(const std::vector<T>& list) : at_(list.begin()), end_(list.end()) {}
  explicit Pieces(std::vector<T>&& list) = delete;
  std::vector<T> take(std::size_t n) {
    const auto from = at_;
    at_ += static_cast<std::ptrdiff_t>(n);
    return {from, at_};
  }
  std::vector<T> rest() const { return {at_, end_}; }

 private:
  typename std::vector<T>::const_iterator at_, end_;
};
std::vector<bool> present(const std::vector<Array>& xs);
std::vector<Type> types_of(const std::vector<Array>& xs);

/// A list of the operands or results of an Eqn, or of what belongs to them, that a split cuts in two: what the known
/// half has, what it hands to the unknown half, and what that one has.
template <class T> struct SplitList {
  std::vector<T> known, residual, unknown;

  SplitList(const std::vector<T>& list, const std::vector<bool>& is_unknown, std::vector<T> residuals = {})
      : known(where(list, is_unknown, false)), residual(std::move(residuals)), unknown(where(list, is_unknown)) {}
  /// Of the results of the known half.
  std::vector<T> made() const {
    std::vector<T> out = known;
    append(out, residual);
    return out;
  }
  /// Of the operands of the unknown half.
  std::vector<T> taken() const {
    std::vector<T> out = residual;
    append(out, unknown);
    return out;
  }
};

/// The program of one Eqn.
ProgramPtr program_of(const Op& op, Params params, const std::vector<Type>& operands, std::vector<ProgramPtr> subs);

/// The types, then those of them that have tangents once more.
std::vector<Type> with_tangent_types(const std::vector<Type>& types);
/// Tangents of the first `n` primals that may have one; zeros where empty.
std::vector<Array> instantiated(const std::vector<Array>& tangents, const std::vector<Array>& primals, std::size_t n);
/// `out` is n results, then the tangents of those that have one.
WithTangents with_tangents(const std::vector<Array>& out, std::size_t n);
/// `out` is the results, then the tangents of those where `tangent`.
WithTangents with_tangents(const std::vector<Array>& out, const std::vector<bool>& tangent);

/// The batch of a program in which every output is mapped; where `keep` is given and false, the output is the sum over
/// the batch instead.
ProgramPtr batch_all(const ProgramPtr& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const std::vector<bool>* keep = nullptr);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
