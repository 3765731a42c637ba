// Strided readings of row-major buffers, and how they compose.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/op.hpp"

namespace tutti::compile {

using Extents = std::vector<std::int64_t>;

Extents row_major(const Extents& extents);
std::int64_t product(const Extents& extents);
/// Whether `view`, over `extents`, reads elements 0, 1, 2, ... in order.
bool is_dense(const View& view, const Extents& extents);
View dense_view(const Extents& extents);
/// `outer` reads the row-major elements of an array of `extents` which itself is `inner`: one reading of inner's
/// operand, if it is one.
std::optional<View> compose(const View& outer, const Extents& outer_extents, const View& inner,
                            const Extents& inner_extents);
/// The coarsest extents that both are made of by merging adjacent dims; nothing when they do not fit together.
std::optional<Extents> common_refinement(const Extents& a, const Extents& b);
/// Merges adjacent dims of one kind that a dense operand and these strides step through evenly; dims of kind 1 have no
/// steps of their own.
void merge_dims(Extents& extents, Extents& strides, std::vector<char>& kinds);
/// Strides over `fine`, a refinement of `extents`, for strides over `extents`.
Extents refine(const Extents& strides, const Extents& extents, const Extents& fine);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
