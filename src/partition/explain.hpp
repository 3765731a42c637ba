// The collectives of a program as a table: what, over which axis, how many bytes, why, and what would remove it.
#pragma once

#include <string>

#include "partition/local_program.hpp"

namespace tutti {

/// One line per collective, equal ones (same kind, axes, line, reason) together, then the totals planned and sent. Of a
/// loop's body the line is one step, with `x` the number of steps; the totals are those of all steps.
std::string explain(const LocalProgram& program, const Sent& sent = {});
/// `12.6 MB`, `896 B`.
std::string bytes_text(double bytes);

}  // namespace tutti
