#include "mesh/platform.hpp"

#include <algorithm>
#include <iterator>

#include "base/environment.hpp"
#include "base/settings.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {

int platform_number(std::string_view name) {
  const auto at = std::find(std::begin(kPlatformNames), std::end(kPlatformNames), name);
  return at == std::end(kPlatformNames) ? -1 : static_cast<int>(at - std::begin(kPlatformNames));
}

int default_platform() {
  if (const auto chosen = static_cast<int>(settings::get(settings::platform))) return chosen - 1;
  static const int of_environment = [] {
    const std::string name = environment::value(environment::platform);
    if (name.empty()) return 0;
    const int number = platform_number(name);
    if (number < 0) raise<ValueError>("TUTTI_PLATFORM", "'" + name + "' is no platform", "Name one: cpu, simulated.");
    return number;
  }();
  return of_environment;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
