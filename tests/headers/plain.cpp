// What warnings and options are tried on: a program that uses layers, an optimiser, transformations and files.
#include "headers/program.hpp"

// SPDX-License-Identifier: Apache-2.0
