#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home random_wrap, random_unwrap;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
