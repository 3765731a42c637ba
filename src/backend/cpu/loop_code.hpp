// Loops whose steps are small as one function of machine code: steps, carries and condition, with no call in between.
// What is small enough lies in memory of the function, most of it in registers.
#pragma once

#include <memory>

#include "backend/cpu/kernel.hpp"
#include "run/executor.hpp"

namespace tutti::cpu {

/// A loop that is to be one function, and what runs it.
struct LoopCode {
  Source source;
  std::unique_ptr<run::Work> work;
  void (**function)(char* const* at) = nullptr;  // of the work: to be set once the source is compiled
};

/// Nothing where a step does too much, or something that only the executor can do.
std::optional<LoopCode> loop_code(const compile::Repeat& loop);

}  // namespace tutti::cpu
