// The QR factors of a tall matrix whose rows are cut.
#pragma once

#include <memory>

#include "ir/across.hpp"

namespace tutti::ops {

/// Each device factors its rows; the triangles are gathered and factored once more. The signs are those that
/// reflections of the whole matrix give. Source: Demmel, Grigori, Hoemmen and Langou, Communication-optimal parallel
/// and sequential QR and LU factorizations (2012).
std::shared_ptr<const Across> qr_across();

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
