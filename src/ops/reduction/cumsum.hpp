#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Cumulative {
  int axis = 0;
  bool reverse = false;
  friend bool operator==(const Cumulative&, const Cumulative&) = default;
};

extern const Home cumsum, cumprod, cummax, cummin, cumlogsumexp;

}  // namespace tutti::ops
