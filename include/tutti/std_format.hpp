// Texts for the standard library's format, where it has one (GCC 13, clang with libc++ 17): `std::format("{}", x)`
// gives what `std::cout << x` prints.
//
//     #include <tutti/std_format.hpp>
//     std::cout << std::format("{} on {}\n", x, mesh);
//     std::cout << std::format("loss {:.3f}\n", loss);      // an array without dims takes the format of its number
//
// Elsewhere it gives nothing: __cpp_lib_format says which. <tutti/tutti.hpp> has the same where <format> was included
// before it. For {fmt} there is <tutti/format.hpp>.
#pragma once

#include <version>

#ifdef __cpp_lib_format
#include <format>
#endif

#include "tutti/formatters.hpp"

// SPDX-License-Identifier: Apache-2.0
