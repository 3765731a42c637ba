// A few Eqns of a long program as a program of their own, at the cost of these Eqns.
#pragma once

#include <functional>
#include <vector>

#include "ir/index.hpp"
#include "ir/program.hpp"

namespace tutti {

/// Goes from the maker of `v` to those of its operands, theirs, and so on, later Eqns first, each once. `enter` says
/// whether the walk goes on to what the Eqn is made of.
void walk_back(const Program& program, const ProgramIndex& index, ValueId v, const std::function<bool(int eqn)>& enter);

/// The program of these Eqns, which are in order, from `inputs` to `output`. Values are numbered anew.
Program cut_out(const Program& program, const std::vector<int>& eqns, const std::vector<ValueId>& inputs,
                ValueId output);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
