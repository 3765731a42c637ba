#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct ConvertElementType {
  DType dtype;
  bool weak = false;
  friend bool operator==(const ConvertElementType&, const ConvertElementType&) = default;
};

struct BitcastConvertType {
  DType dtype;
  friend bool operator==(const BitcastConvertType&, const BitcastConvertType&) = default;
};

extern const Home convert_element_type, bitcast_convert_type, stop_gradient;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
