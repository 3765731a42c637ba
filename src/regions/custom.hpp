// What the rules of custom_jvp and custom_vjp share.
#pragma once

#include "regions/lists.hpp"

namespace tutti::ops {

/// InternalError where the Eqn was recorded without its rule.
void check_has_rule(const Call& c);
/// ValueError when an operand behind the first `args`, of which the rule does not know, has a tangent.
void refuse_captured(const Call& c, std::size_t args, const std::vector<Array>& tangents);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
