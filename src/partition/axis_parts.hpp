// Parts of mesh axes in a local program: where a collective names one, the program is said on a mesh that is cut there.
#pragma once

#include "ir/collective.hpp"
#include "mesh/layout.hpp"
#include "partition/local_program.hpp"

namespace tutti {

/// Axes by their names, parts by those of the prime parts that they are made of: "y.0", "y.1" ...
Group group_of(const AxisRefs& axes, const Mesh& mesh);
/// `local` with every axis of which a part is named cut into all its parts: a mesh of its own over the same devices.
LocalProgram on_parts(LocalProgram local);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
