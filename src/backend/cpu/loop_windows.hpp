// Windows that a step of a whole loop reads or writes, in its function.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>

#include "backend/cpu/window_moves.hpp"

namespace tutti::cpu {

/// Adds the moves of `call` at the end of what `builder` has written. `at`: where a storage lies.
void emit_windows(llvm::IRBuilder<>& builder, const compile::CallEqn& call,
                  const std::function<llvm::Value*(int storage)>& at);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
