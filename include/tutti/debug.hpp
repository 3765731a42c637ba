// Looking inside: what was sent between devices. Pictures of shardings are in visualize.hpp.
#pragma once

#include "tutti/traffic.hpp"
#include "tutti/visualize.hpp"

namespace tutti::debug {

/// Messages and bytes really sent since the last `reset_traffic`, per kind of collective and mesh axes. Nothing is sent
/// between devices of one process, unless they are isolated (`config::isolation(Isolation::per_device)`).
Traffic traffic();
void reset_traffic();

}  // namespace tutti::debug
