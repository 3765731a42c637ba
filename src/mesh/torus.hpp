// Axes of a mesh on the axes of a torus of devices: numbers only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti {

using Extents = std::vector<std::int64_t>;

/// shares[p][l]: how many ways axis l of the mesh takes of axis p of the torus. Rows multiply to the torus, columns to
/// the mesh.
using AxisShares = std::vector<Extents>;

/// Gives every axis of the mesh whole axes of the torus, as many as possible; the last axis chooses first, since most
/// traffic runs along it. Nothing when some axis is no product of axes that are left.
std::optional<AxisShares> whole_axis_shares(const Extents& torus, const Extents& mesh);

/// The same with axes of the torus cut up where they have to be; always possible when the products are equal.
AxisShares split_axis_shares(const Extents& torus, const Extents& mesh);

/// For every place of the mesh, row-major, the row-major place in the torus.
std::vector<std::int64_t> places_on_torus(const Extents& torus, const Extents& mesh, const AxisShares& shares);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
