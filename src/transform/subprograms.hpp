// What the rules of Eqns with sub-programs share: recording several functions into one Eqn, and small things with lists
// of arrays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transform/interpret.hpp"

namespace tutti {

/// Functions recorded one after the other into the sub-programs of one Eqn. Behind its own inputs each takes all arrays
/// that any of them captured.
class Bodies {
 public:
  Bodies(const char* what, Loc made) : what_(what), made_(made) {}
  void add(const std::vector<Type>& inputs, const std::function<std::vector<Array>(const std::vector<Array>&)>& body);
  /// The Eqn: operands are `args` and what was captured.
  std::vector<Array> bind(const Op& op, Params params, const std::vector<Array>& args) const;

 private:
  const char* what_;
  Loc made_;
  std::vector<Traced> recorded_;
};

template <class T> void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}
template <class T> std::vector<T> first_of(const std::vector<T>& xs, std::size_t n) {
  return {xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(n)};
}
/// The elements where `keep` is `value`.
template <class T> std::vector<T> where(const std::vector<T>& xs, const std::vector<bool>& keep, bool value = true) {
  std::vector<T> out;
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (keep[i] == value) out.push_back(xs[i]);
  return out;
}
std::vector<bool> present(const std::vector<Array>& xs);

/// The types, then those of them that have tangents once more.
std::vector<Type> with_tangent_types(const std::vector<Type>& types);
/// Tangents of the first `n` primals that may have one; zeros where empty.
std::vector<Array> instantiated(const std::vector<Array>& tangents, const std::vector<Array>& primals, std::size_t n);
/// `out` is n results, then the tangents of those that have one: these, one entry per result.
std::vector<Array> spread_tangents(const std::vector<Array>& out, std::size_t n);

/// The batch of a program in which every output is mapped; where `keep` is given and false, the output is the sum over
/// the batch instead.
ProgramPtr batch_all(const Program& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const std::vector<bool>* keep = nullptr);

}  // namespace tutti
