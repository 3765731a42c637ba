#pragma once

#include <string>

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home copy;

/// An op whose result is its operand: a start for those that differ from each other in what other stages make of them.
Op identity_op(std::string name);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
