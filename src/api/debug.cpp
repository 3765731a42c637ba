#include "tutti/debug.hpp"

#include "run/traffic.hpp"

namespace tutti::debug {

Traffic traffic() { return run::traffic(); }
void reset_traffic() { run::reset_traffic(); }

}  // namespace tutti::debug
