#pragma once

#include "backend/backend.hpp"

namespace tutti {

Backend& cpu_backend();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
