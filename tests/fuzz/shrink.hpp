// From a program that is computed wrongly to a small one, and to its text.
#pragma once

#include <functional>
#include <string>

#include "fuzz/recipe.hpp"

namespace tutti::fuzz {

/// What is wrong with the program of a recipe; empty when nothing is. NotExact, or another error of the recipe itself,
/// when it says nothing.
std::string mismatch(const Recipe& recipe);
/// Fewer steps, smaller extents, fewer devices, simpler placements, as long as `wrong` says what is wrong; `seconds`:
/// for all of it.
Recipe shrunk(const Recipe& recipe, const std::function<std::string(const Recipe&)>& wrong, double seconds = 60);
/// The lines of its program, without those that end it.
std::vector<std::string> lines_of(const Recipe& recipe);
/// A test for a file that includes "fuzz/check.hpp".
std::string as_test(const Recipe& recipe);

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
