#pragma once

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct SliceParams {
  lax::Dims start, limit, strides;  // one each per dim; strides positive
  friend bool operator==(const SliceParams&, const SliceParams&) = default;
};

extern const Home slice;

}  // namespace tutti::ops
