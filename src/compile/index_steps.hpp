// What a step along each dim adds to a value that counts: an index, a sum of indices, a view of such.
#pragma once

#include <algorithm>
#include <optional>

#include "ir/op.hpp"
#include "ir/program.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::compile {

/// The steps of `to`, a view by e of `from`, which has the steps `of`: each dim is one of its, or repeats. False where
/// there are none.
inline bool steps_of_view(const Eqn& e, const Type& from, const Type& to, const lax::Dims& of, lax::Dims& steps) {
  const std::optional<View> view = e.op->view(Call{*e.op, e.params, {from}, e.subs}, to);
  if (!view || view->offset != 0) return false;
  const lax::Dims dense = ops::row_major_strides(from.shape);
  for (int d = 0; d < to.ndim(); ++d) {
    if (to.shape[d] == 1 || view->strides[d] == 0) continue;
    const auto k = static_cast<int>(std::find(dense.begin(), dense.end(), view->strides[d]) - dense.begin());
    if (k == from.ndim() || from.shape[k] != to.shape[d]) return false;
    steps[d] = of[k];
  }
  return true;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
