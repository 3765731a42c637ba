// SHA-1 (FIPS 180-4), for the hashes that Flax folds into keys.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::linen {

std::array<std::uint32_t, 5> sha1(std::string_view text);

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
