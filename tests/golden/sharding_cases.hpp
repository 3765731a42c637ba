// Shared by the handlers of shardings.json and visualize.json: meshes, specs and shardings as the files write them.
#pragma once

#include "golden/golden.hpp"
#include "golden/placements.hpp"

namespace golden {

using namespace tutti;
namespace place = tutti::golden;   // mesh, spec, sharding of a JSON value

inline const std::vector<std::string> shardings_lists = {"layouts", "errors", "equivalence", "device_put", "programs", "incompatible"};

/// The sharding of a result: {"kind", "mesh", "spec"} or {"kind", "device_id"}.
Sharding result_sharding(const json& s);
/// Throws Mismatch unless shape and dtype are those of {"shape", "dtype"} (where there).
void expect_type(const Array& x, const json& want);
/// The values of the files' inputs: (7919 i mod 23) - 11 at flat index i, over 8 when floating.
Array program_values(const Shape& shape, DType dtype);

}  // namespace golden
