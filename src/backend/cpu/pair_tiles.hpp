// Tiles of products of bfloat16 by instructions that add the products of two pairs to a float.
#pragma once

#include "backend/cpu/product_tiles.hpp"

namespace tutti::cpu {

/// By vectors (AVX512-BF16). Null where the processor has none.
const Tiles<BFloat16>* pair_tiles();
bool pairs_are_fast();
/// By matrix registers (AMX). Null where the processor has none, or the system does not keep them.
const Tiles<BFloat16>* matrix_tiles();

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
