// Handles that are empty because something was not found: they remember what, for whoever asks the array that is not
// there.
#pragma once

#include <string>

#include "tutti/array/array.hpp"

namespace tutti {

/// An empty array that bears the error of a look-up. Copies bear it too.
Array absent_entry(std::string problem, std::string advice, Loc loc);
bool is_absent_entry(const Array& x);
/// Throws that error, an IndexError; returns when x is no such array.
void refuse_absent(const Array& x);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
