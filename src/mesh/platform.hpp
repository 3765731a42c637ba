// The platforms that devices can be of, where arrays can lie.
#pragma once

#include <string_view>

namespace tutti {

inline constexpr int kPlatforms = 2;
inline constexpr const char* kPlatformNames[kPlatforms] = {"cpu", "simulated"};

/// The number of a name; -1 of a platform that can be described only.
int platform_number(std::string_view name);
/// Whose devices devices() gives and new arrays lie on: config::platform, of this thread now.
int default_platform();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
