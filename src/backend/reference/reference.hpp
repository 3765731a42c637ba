#pragma once

#include "backend/backend.hpp"

namespace tutti {

Backend& reference_backend();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
