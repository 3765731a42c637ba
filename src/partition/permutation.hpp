// A permutation of blocks among devices, as a rule that is as short for 100,000 devices as for 8.
#pragma once

#include <optional>

#include "mesh/layout.hpp"
#include "ops/collective/collective.hpp"

namespace tutti {

/// What brings the blocks of `before` to where `after` wants them, the k-th holder of a block serving the k-th device
/// that wants it: digit by digit of the blocks' numbers, which are made of the prime factors of the axes. Nothing where
/// the two layouts write these numbers in different digits (2 times 3, 3 times 2). `axes`: all of the mesh, whole;
/// those of `group`.
std::optional<ops::Permute> digits_permuted(Group group, const AxisRefs& axes, const Layout& before,
                                            const Layout& after);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
