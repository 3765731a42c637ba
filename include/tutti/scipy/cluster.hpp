// Vector quantization. Not part of tutti.hpp: include this file. Source: jax.scipy.cluster.vq.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::cluster {

struct Codes {
  Array code, distance;
};
/// For each of obs[n, d] the number of the nearest row of code_book[k, d] (the first of several) and the distance to
/// it; vectors [n] and [k] are of one dim. ShapeError else. Integers become float32.
Codes vq(const In& obs, const In& code_book);

}  // namespace tutti::cluster

// SPDX-License-Identifier: Apache-2.0
