// Runs of elements combined with places of an array, on the workers.
#pragma once

#include "backend/cpu/stretches.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::cpu {

/// What the result holds before: the elements of `from`, nothing where it is the result itself.
struct ScatterStart {
  const void* from = nullptr;
  bool is_one = false;  // all of them are the first one of `from`
};

/// The runs of elements that come to an array: one behind the other in `data`, or, with `places`, where in `data` each
/// of them begins, which below 0 is `fill`.
struct ScatterUpdates {
  const void* data = nullptr;
  const std::int64_t* places = nullptr;
  const void* fill = nullptr;
};

/// Combines the runs of `updates` (with places: of several elements) with `out`, which has `elements`, as eval does: in
/// the order of the runs where that counts. Sums of floats meet in float64 and are rounded once for each place; those
/// that go to few places may be associated in another way, which depends on shapes, and on whether the places count,
/// alone.
void scatter_runs(lax::ScatterKind kind, DType dtype, const RunPlaces& places, void* indices,
                  const ScatterUpdates& updates, const ScatterStart& start, std::int64_t elements, void* out);
/// Adds stretches of `updates`, in their order, likewise.
void add_stretches(DType dtype, const Stretches& stretches, const void* updates, const ScatterStart& start,
                   std::int64_t elements, void* out);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
