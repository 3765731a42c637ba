#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct QrForm {
  bool full;  // q is square
  friend bool operator==(const QrForm&, const QrForm&) = default;
};

/// One operand; results: q, r.
extern const Home qr;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
