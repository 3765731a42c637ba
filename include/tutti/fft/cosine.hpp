// Discrete cosine transforms. Names and meanings: jax.scipy.fft, scipy.fft.
//
//     Array c = fft::dct(x);                                                 // as many elements, real
//     Array blocks = fft::dctn(image, {.axes = {-2, -1}, .norm = "ortho"});
//
// Along the last axis, or those given; other dims are batch dims. float32 (float64 under x64); of complex numbers the
// transforms of both parts. ValueError for a type other than 2 and 3 (of which each is the inverse of the other) and
// for a length below 1, IndexError for an axis that is not there. All can be differentiated.
#pragma once

#include <optional>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/fft/fft.hpp"

namespace tutti::fft {

/// 2 sum_k x[k] cos(pi j (2k + 1) / (2n)) for j = 0..n-1; type 3: x[0] + 2 sum_k x[k] cos(pi (2j + 1) k / (2n)), k from
/// 1. `n` crops the axis or pads it with zeros. Norm ortho: an orthogonal matrix; forward: divided by 2n.
Array dct(const In& x, int type = 2, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
/// Its inverse.
Array idct(const In& x, int type = 2, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
/// Over several axes, one after the other. Without axes they are the last ones, as many as there are lengths, or all.
Array dctn(const In& x, const Axes& options = {}, int type = 2);
Array idctn(const In& x, const Axes& options = {}, int type = 2);

}  // namespace tutti::fft

// SPDX-License-Identifier: Apache-2.0
