// Rows run: on devices that have memories of their own, and as one program.
#pragma once

#include "row.hpp"
#include "tutti/transform/jit.hpp"

namespace bench {

struct Ran {
  Row row;                // with the extents that it ran at
  double difference = 0;  // the largest, of elements, relative to the largest element of the result
  double sent = 0, planned = 0;
  double seconds = 0;  // of the isolated run
  bool good() const { return difference <= 1e-3 && sent == planned; }
};
/// The program of `row` compiled, its results placed on `mesh`; no outputs: they lie where the plan leaves them.
Jitted<Function> compiled(const Row& row, const Mesh& mesh);
/// Runs it on devices of their own, at the extents of `row`, and `reference` (the same program) on one memory.
Ran run_on_devices(const Row& row, const Function& reference);
/// Simulated devices compute element by element: a row that would take them more than seconds runs with all extents of
/// 64 and more divided by 8.
Ran run_both_ways(const Row& row);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
