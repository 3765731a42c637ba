// Dead code in the program of one process.
#pragma once

#include "ir/program.hpp"

namespace tutti::compile {

/// The program without what nobody needs, but with all that sends, also in bodies: whether a result of it is read
/// depends on the place of this process, and the others send and wait all the same.
Program live(const Program& program);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
