// One program for all processes becomes the program of this one: positions along mesh axes are numbers from here on.
#pragma once

#include "mesh/places.hpp"
#include "partition/local_program.hpp"

namespace tutti {

/// Every axis_index, also in bodies, is the literal that it is at places.here, and so is every whole number that is
/// counted from such numbers: what is cut by them is cut at a known place. Causes and layouts stay.
LocalProgram at_place(const LocalProgram& local, const Places& places);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
