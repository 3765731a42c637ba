// Discrete Fourier transforms. Names and meanings: jax.numpy.fft.
//
//     Array f = fft::rfft(x);                              // complex64[..., n / 2 + 1]
//     Array y = fft::irfft(f, x.shape(-1));                // x again
//     Array g = fft::fftn(images, {.axes = {-2, -1}, .norm = fft::Norm::ortho});
//
// Transforms work along the last axis, or the axes given; other dims are batch dims, which may be split over devices,
// while a transformed dim is whole on its device. Results are complex64 or float32, of float64 and complex128 (under
// x64) complex128 or float64. Integers become float32. An axis that is not there is an IndexError, a length below 1 a
// ValueError. All can be differentiated.
#pragma once

#include <optional>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/fft.hpp"

namespace tutti::fft {

/// Place of the division by the number of elements: in the inverses, half in both, or in the others.
enum class Norm { backward, ortho, forward };
constexpr Choices choices_of(Norm) { return {"fft", "norm", "backward ortho forward"}; }

/// sum_k x[k] exp(-2 pi i j k / n) for j = 0..n-1. `n` crops the axis or pads it with zeros.
Array fft(const In& x, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
Array ifft(const In& x, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
/// Transform of real x: the first n / 2 + 1 elements, which the others mirror. ValueError for complex x.
Array rfft(const In& x, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
/// Real, from the first half; n elements (2 (extent - 1) when left out).
Array irfft(const In& x, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
/// Transform of x with x[-k] = conj(x[k]), given by its first half: real. Its inverse.
Array hfft(const In& x, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);
Array ihfft(const In& x, std::optional<Dim> n = {}, int axis = -1, OneOf<Norm> norm = Norm::backward);

/// Lengths and axes of transforms over several dims. Without lengths they are the extents, without axes it is the last
/// dims, as many as there are lengths, or all. The real side is that of the last axis named.
struct Axes {
  std::vector<std::int64_t> s = {};
  std::vector<int> axes = {};
  OneOf<Norm> norm = Norm::backward;
};
Array fftn(const In& x, const Axes& options = {});
Array ifftn(const In& x, const Axes& options = {});
Array rfftn(const In& x, const Axes& options = {});
Array irfftn(const In& x, const Axes& options = {});
/// Over the last two dims, unless others are named.
Array fft2(const In& x, const Axes& options = {});
Array ifft2(const In& x, const Axes& options = {});
Array rfft2(const In& x, const Axes& options = {});
Array irfft2(const In& x, const Axes& options = {});

/// The frequencies of fft's (rfft's) elements for n samples at distance d: 0, 1, ..., -1 over n d; float32, under
/// x64 float64.
Array fftfreq(Dim n, double d = 1, Loc loc = Loc::current());
Array fftfreq(Dim n, double d, DType dtype, Loc loc = Loc::current());
Array rfftfreq(Dim n, double d = 1, Loc loc = Loc::current());
Array rfftfreq(Dim n, double d, DType dtype, Loc loc = Loc::current());
/// Frequency 0 to the middle, along all axes or some; and back.
Array fftshift(const In& x, const tutti::Axes& axes = {});
Array ifftshift(const In& x, const tutti::Axes& axes = {});

}  // namespace tutti::fft

// SPDX-License-Identifier: Apache-2.0
