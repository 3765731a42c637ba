// What a local program sends and does, as a report: counts and causes come from the program, seconds from the cost
// model.
#pragma once

#include "partition/local_program.hpp"
#include "tutti/transform/explanation.hpp"

namespace tutti {

/// `whole`: the program before it was partitioned, for how much more all devices do together.
Explanation explain(const LocalProgram& local, const Sent& sent = {}, const Program* whole = nullptr);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
