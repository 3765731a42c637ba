// Numbers with their units, as reports print them.
#pragma once

#include <string>

namespace tutti {

/// `896 B`, `12.6 MB`.
std::string bytes_text(double bytes);
/// `12.6 us`, `3.2 s`.
std::string seconds_text(double seconds);
/// `1.2 GFLOP`.
std::string flops_text(double flops);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
