#include "compile/live.hpp"

#include "ir/dataflow.hpp"
#include "partition/local_program.hpp"

namespace tutti::compile {

Program live(const Program& program) { return without_dead_code(program, sends_within); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
