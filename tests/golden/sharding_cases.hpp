// Shared by the handlers of shardings.json and visualize.json: meshes, specs and shardings as the files write them.
#pragma once

#include "golden/golden.hpp"
#include "golden/placements.hpp"

namespace golden {

using namespace tutti;
namespace place = tutti::golden;  // mesh, spec, sharding of a JSON value

inline const std::vector<std::string> shardings_lists = {"layouts",    "errors",   "equivalence",
                                                         "device_put", "programs", "incompatible"};

/// The sharding of a result: {"kind", "mesh", "spec"} or {"kind", "device_id"}.
Sharding result_sharding(const json& s);
/// Throws Mismatch unless shape and dtype are those of {"shape", "dtype"} (where there).
void expect_type(const Array& x, const json& want);
/// What the file says of a sharding beside its layout (kind, is_fully_replicated, num_devices) is true of `s`. Throws
/// Mismatch.
void check_recorded(const json& recorded, const Sharding& s);

/// The generator's meshes.
Mesh mesh_of(const Shape& shape, Names names, const std::vector<int>& ids = {});
inline Mesh mesh_42() { return mesh_of({4, 2}, {"x", "y"}); }
inline Mesh mesh_8() { return mesh_of({8}, "x"); }
inline Mesh mesh_4(const std::vector<int>& ids = {}) { return mesh_of({4}, "x", ids); }
/// The values of the files' inputs: (7919 i mod 23) - 11 at flat index i, over 8 when floating.
Array program_values(const Shape& shape, DType dtype);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
