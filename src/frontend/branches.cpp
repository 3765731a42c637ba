// Calls of cond and switch_: every branch is recorded into a sub-program of one Eqn. A number that is known calls its
// branch.
#include <algorithm>

#include "array/node.hpp"
#include "frontend/bodies.hpp"
#include "regions/loops.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

// Literals are known everywhere, other arrays where nothing that is recorded could take them as an input.
bool known(const Array& x) {
  if (x.is_traced()) return false;
  return x.node()->literal.has_value() || !(innermost_trace() && inside_staged());
}

void check_alike(const char* what, const BranchResult& first, const BranchResult& other, Loc loc) {
  const std::string difference = tree::difference(first.structure, other.structure);
  if (first.leaves.size() != other.leaves.size() || !difference.empty())
    raise<TypeError>(what,
                     first.leaves.size() == other.leaves.size()
                         ? "the sides return different trees: " + difference
                         : "one side returns " + std::to_string(first.leaves.size()) + " arrays, the other " +
                               std::to_string(other.leaves.size()),
                     "Both must return trees of one structure.", loc);
  for (std::size_t i = 0; i < first.leaves.size(); ++i) {
    const Type a = first.leaves[i].type(), b = other.leaves[i].type();
    if (a.dtype != b.dtype || a.shape != b.shape)
      raise<TypeError>(
          what,
          "for array " + std::to_string(i) + " of the result one side returns " + a.str() + ", the other " + b.str(),
          "Both must have one type: convert one with astype or reshape.", loc);
  }
}

}  // namespace

int known_condition(const Array& pred, Loc loc) {
  if (!pred.has_value())
    raise<ValueError>("cond", "the condition is empty: there is no array", "Give a scalar, such as x.sum() > 0.", loc);
  if (pred.ndim() != 0)
    raise<TypeError>("cond", "the condition is " + pred.type().str() + ", and must be a scalar",
                     "Reduce it with all() or any(), or choose by element with where.", loc);
  return known(pred) ? static_cast<bool>(pred) : -1;
}

Array as_index(const Array& pred) { return lax::convert_element_type(pred.dtype() == bool_ ? pred : pred != 0, int32); }

void throw_no_branches(Loc loc) {
  raise<ValueError>("switch_", "the list of branches is empty", "Give one function or more.", loc);
}

std::int64_t known_index(const Array& index, std::int64_t count, Loc loc) {
  if (!index.has_value() || index.ndim() != 0 || !index.dtype().is_integer())
    raise<TypeError>("switch_",
                     "the index is " + (index.has_value() ? index.type().str() : std::string("empty")) +
                         ", and must be a scalar integer",
                     "Convert it with astype(int32).", loc);
  if (!known(index)) return -1;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(index), 0, count - 1);
}

Arrays branch_call(const char* what, const Array& index, const Arrays& leaves, const std::vector<Branch>& branches,
                   Loc loc) {
  // What is not traced is captured, and may be looked at as outside.
  std::vector<Type> types;
  Arrays operands, given = leaves;
  for (const Array& x : leaves)
    if (x.is_traced()) {
      operands.push_back(x);
      types.push_back(x.type());
    }
  Bodies bodies(what, loc);
  std::optional<BranchResult> first;
  for (const Branch& branch : branches)
    bodies.add(types, derivatives_here(), [&](const Arrays& in) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < leaves.size(); ++i)
        if (leaves[i].is_traced()) given[i] = in[next++];
      BranchResult result = branch(given);
      if (first) check_alike(what, *first, result, loc);
      if (!first) first = result;
      return result.leaves;
    });
  CallScope scope(loc, Loc{"", what});
  Array number = index;
  if (number.dtype() != int32 || number.weak_type()) {
    const Array most =
        array_from_scalar(Scalar(static_cast<std::int64_t>(branches.size()) - 1).to(index.dtype()), true);
    number = lax::convert_element_type(
        number.dtype().is_unsigned() || number.dtype() == int64 ? lax::min(number, most) : number, int32);
  }
  Arrays all{number};
  const Arrays captured = bodies.captured();
  all.insert(all.end(), operands.begin(), operands.end());
  all.insert(all.end(), captured.begin(), captured.end());
  return bind(ops::cond, {}, all, bodies.programs());
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
