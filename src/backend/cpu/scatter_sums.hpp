// Many numbers added to places of an array, on the workers.
#pragma once

#include "backend/cpu/run_places.hpp"

namespace tutti::cpu {

/// Whether elements of that dtype are added here: floats, and integers modulo 2^n.
bool adds_runs(DType dtype);

/// Adds the runs of `updates` to `out`, which has `elements`. Floats meet in float64 and are rounded once for each
/// place; how they are associated depends on shapes alone.
void add_runs(DType dtype, const RunPlaces& places, void* indices, const void* updates, std::int64_t elements,
              void* out);

}  // namespace tutti::cpu
