// Texts for fmt: `fmt::format("{}", x)` prints what `std::cout << x` prints.
//
//     #include <tutti/format.hpp>
//     fmt::print("{} on {}\n", x, mesh);
//     fmt::print("loss {:.3f}\n", loss);      // an array without dims takes the format of its number
//
// <tutti/tutti.hpp> has the same where <fmt/format.h> was included before it. For std::format there is
// <tutti/std_format.hpp>.
#pragma once

#include <fmt/format.h>

#include "tutti/formatters.hpp"

// SPDX-License-Identifier: Apache-2.0
