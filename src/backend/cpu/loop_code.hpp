// Loops whose steps are small as one function of machine code: steps, carries and condition, with no call in between.
// What is small enough lies in memory of the function, most of it in registers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backend/cpu/kernel.hpp"
#include "run/executor.hpp"

namespace tutti::cpu {

/// A loop that is to be made of functions, and what runs it once they are compiled.
struct LoopCode {
  struct Wanted {
    Source source;
    std::function<void(void* address)> ready;
  };
  std::vector<Wanted> functions;
  std::unique_ptr<run::Work> work;
};

/// One function for all of a loop whose steps do little; or, where rows do not need each other, one for all steps of a
/// few rows. Nothing where a step does too much, or something that only the executor can do.
std::optional<LoopCode> loop_code(const compile::Plan& plan, const compile::Repeat& loop);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
