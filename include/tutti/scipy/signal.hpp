// Convolutions of any number of dims, trends, spectra. Not part of tutti.hpp: include this file. Names, meanings and
// defaults: jax.scipy.signal.
//
//     auto [f, t, z] = signal::stft(x, {.fs = 16000, .nperseg = 512});      // z: complex64[..., 257, frames]
//     auto [times, y] = signal::istft(z, {.fs = 16000, .nperseg = 512});    // x again
//     Array blurred = signal::convolve2d(image, kernel, "same");
//
// Integers become float32; float64 and complex128 under x64. All can be differentiated. An option that makes no sense
// is a ValueError, an axis that is not there an IndexError, shapes that do not fit together are a ShapeError. (Programs
// that have `using namespace tutti` and include this file write std::signal for the C library's function.)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/numpy/differences.hpp"

namespace tutti::signal {

// --- convolutions

enum class Method { automatic, direct, fft };
constexpr Choices choices_of(Method) { return {"convolve", "method", "auto direct fft"}; }
/// sum over i of x[i] y[k - i], in all dims: x and y have the same number of them, and one is at least as large as the
/// other in each (ShapeError). full: every k with a product; same: the middle, as large as x; valid: where all of the
/// smaller one is inside of the larger. `method`: sums of products (also "auto"), or Fourier transforms.
Array convolve(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::full,
               OneOf<Method> method = Method::automatic);
/// sum over i of x[i + k] conj(y[i]).
Array correlate(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::full,
                OneOf<Method> method = Method::automatic);
/// The same of matrices, with zeros around them.
Array convolve2d(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::full);
Array correlate2d(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::full);
/// convolve by Fourier transforms, over all dims or some: the others have equal extents, and are batch dims.
Array fftconvolve(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::full, const Axes& axes = {});

// --- trends

enum class Trend { linear, constant };
constexpr Choices choices_of(Trend) { return {"detrend", "type", "linear constant"}; }
struct DetrendOptions {
  int axis = -1;
  OneOf<Trend> type = Trend::linear;
  std::vector<std::int64_t> bp = {};  // where the line may break: 0 to the extent, else ValueError
};
/// x without its mean, or without the line of least squares (several lines, between break points).
Array detrend(const In& x, const DetrendOptions& options = {});

// --- spectra

/// A window: its numbers, or the name of one that a segment is multiplied by: "hann", "hamming", "blackman",
/// "bartlett", "boxcar", "cosine", "nuttall", "blackmanharris", "flattop", periodic ones as scipy.signal.get_window's.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Window {
 public:
  Window(const char* name = "hann") : name_(name) {}
  Window(std::string name) : name_(std::move(name)) {}
  Window(const Array& values) : values_(values) {}
  const Array& values() const { return values_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Array values_;
};
/// n numbers of a periodic window by its name (symmetric: not `periodic`). ValueError for another name or n < 1.
Array get_window(const std::string& name, Dim n, bool periodic = true, DType dtype = float64, Loc loc = Loc::current());

enum class Boundary { none, even, odd, constant, zeros };
constexpr Choices choices_of(Boundary) { return {"stft", "boundary", "none even odd constant zeros"}; }
enum class Scaling { density, spectrum };
constexpr Choices choices_of(Scaling) { return {"csd", "scaling", "density spectrum"}; }
enum class Averaging { mean, median };
constexpr Choices choices_of(Averaging) { return {"csd", "average", "mean median"}; }
/// What is taken from each segment: nothing, its mean, or its line.
enum class Detrending { none, constant, linear };
constexpr Choices choices_of(Detrending) { return {"csd", "detrend", "none constant linear"}; }

struct StftOptions {
  double fs = 1;  // samples per unit of time
  Window window = "hann";
  std::optional<Dim> nperseg = {};   // 256, at most the extent; with a window's numbers as many
  std::optional<Dim> noverlap = {};  // half of nperseg
  std::optional<Dim> nfft = {};      // nperseg: more pads with zeros
  OneOf<Detrending> detrend = Detrending::none;
  bool return_onesided = true;  // of real signals the frequencies from 0 up; of complex ones all
  OneOf<Boundary> boundary = Boundary::zeros;
  bool padded = true;  // zeros behind, so that the segments take all of the signal
  int axis = -1;
};
struct Stft {
  Array frequencies, times, values;
};
/// The Fourier transforms of overlapping segments of x along an axis, which becomes the frequencies; the segments are
/// the last dim. Scaled by the window's sum.
Stft stft(const In& x, const StftOptions& options = {});

struct IstftOptions {
  double fs = 1;
  Window window = "hann";
  std::optional<Dim> nperseg = {}, noverlap = {}, nfft = {};
  bool input_onesided = true;
  bool boundary = true;  // stft put a boundary around the signal, which goes
  int time_axis = -1, freq_axis = -2;
};
struct Signal {
  Array times, values;
};
/// The signal whose stft it is, where the squares of the overlapping windows add up to more than 0.
Signal istft(const In& z, const IstftOptions& options = {});

struct SpectrumOptions {
  double fs = 1;
  Window window = "hann";
  std::optional<Dim> nperseg = {}, noverlap = {}, nfft = {};  // nperseg: the extent when left out
  OneOf<Detrending> detrend = Detrending::constant;
  bool return_onesided = true;
  OneOf<Scaling> scaling = Scaling::density;
  int axis = -1;
  OneOf<Averaging> average = Averaging::mean;
};
struct Spectrum {
  Array frequencies, values;
};
/// The cross spectral density of x and y by Welch's method: conj(X) Y of overlapping segments, averaged. The shorter
/// one gets zeros behind; other dims broadcast.
Spectrum csd(const In& x, const In& y, const SpectrumOptions& options = {});
/// csd(x, x): the power spectral density, real.
Spectrum welch(const In& x, const SpectrumOptions& options = {});

}  // namespace tutti::signal

// SPDX-License-Identifier: Apache-2.0
