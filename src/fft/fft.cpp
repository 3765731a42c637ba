#include "tutti/fft/fft.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::fft {
namespace {

using lax::FftType;
using Lengths = std::vector<std::int64_t>;

bool is_inverse(FftType type) { return type == FftType::ifft || type == FftType::irfft; }

// Zeros behind, or less of it.
Array fitted(const Array& x, int dim, std::int64_t n) {
  const auto d = static_cast<std::size_t>(dim);
  const std::int64_t has = x.shape()[d];
  if (has == n) return x;
  if (has > n) {
    lax::Dims limit = x.shape().dims();
    limit[d] = n;
    return lax::slice(x, lax::Dims(limit.size(), 0), limit);
  }
  std::vector<lax::PadDim> config(x.shape().size());
  config[d].high = n - has;
  return lax::pad(x, zeros(Shape{}, x.dtype()), config);
}

Array as_taken(const char* function, const Array& x, FftType type) {
  if (type == FftType::rfft) {
    if (x.dtype().is_complex())
      raise<ValueError>(function, "the array is " + type_text(x) + "; it takes real numbers only", "Use fft.");
    return x.dtype() == float64 ? x : x.astype(float32);
  }
  return x.astype(complex_dtype(x.dtype()));
}

/// Over `axes`, of which the last has the real side.
Array transformed(const char* function, const Array& in, FftType type, const Lengths& s, const std::vector<int>& axes,
                  Norm norm) {
  Array x = as_taken(function, in, type);
  const int dims = x.ndim(), count = static_cast<int>(axes.size());
  if (!s.empty() && s.size() != axes.size())
    raise<ValueError>(function, std::to_string(s.size()) + " lengths for " + std::to_string(count) + " axes",
                      "Give as many.");
  if (count == 0) return x;
  std::vector<int> order;
  for (int a : axes) {
    if (a < -dims || a >= dims)
      raise<IndexError>(function, "axis " + std::to_string(a) + " is out of range for " + type_text(in),
                        "It has " + std::to_string(dims) + " dims.");
    order.push_back(a < 0 ? a + dims : a);
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      if (order[i] == order.back())
        raise<ValueError>(function, "axis " + std::to_string(order.back()) + " comes twice", "Name each axis once.");
  }
  std::vector<int> front, back(static_cast<std::size_t>(dims));
  for (int d = 0; d < dims; ++d)
    if (std::find(order.begin(), order.end(), d) == order.end()) front.push_back(d);
  front.insert(front.end(), order.begin(), order.end());
  for (int d = 0; d < dims; ++d) back[static_cast<std::size_t>(front[static_cast<std::size_t>(d)])] = d;
  const bool moves = !std::is_sorted(front.begin(), front.end());
  if (moves) x = transpose(x, front);
  Shape lengths;
  for (int i = 0; i < count; ++i) {
    const int d = dims - count + i;
    const bool half = type == FftType::irfft && i + 1 == count;
    const std::int64_t has = x.shape()[static_cast<std::size_t>(d)];
    const std::int64_t n = !s.empty() ? s[static_cast<std::size_t>(i)] : half ? 2 * (has - 1) : has;
    if (n == 0 && s.empty() && type != FftType::rfft && !half) return moves ? transpose(x, back) : x;  // of nothing
    if (n < 1)
      raise<ValueError>(function, "a length is " + std::to_string(n) + " for " + type_text(in),
                        "A transform has one element or more.");
    lengths.push_back(n);
    x = fitted(x, d, half ? n / 2 + 1 : n);
  }
  Array out = lax::fft(x, type, lengths);
  const double size = static_cast<double>(lengths.num_elements());
  // lax::fft divides by the size in the inverses: backward.
  const double divided = norm == Norm::ortho                                           ? std::sqrt(size)
                         : norm == (is_inverse(type) ? Norm::backward : Norm::forward) ? size
                                                                                       : 1;
  const double scale = (is_inverse(type) ? size : 1) / divided;
  if (scale != 1) out = out * scale;
  return moves ? transpose(out, back) : out;
}

Array along(const char* function, const In& x, FftType type, std::optional<Dim> n, int axis, Norm norm) {
  CallScope scope(x.loc);
  return transformed(function, x.array, type, n ? Lengths{*n} : Lengths{}, {axis}, norm);
}

Array over(const char* function, const In& x, FftType type, const Axes& options, bool two) {
  CallScope scope(x.loc);
  std::vector<int> axes = options.axes;
  if (two && !axes.empty() && axes.size() != 2)
    raise<ValueError>(function, std::to_string(axes.size()) + " axes", "It has two; fftn and its kin take any number.");
  if (axes.empty()) {
    const int count = two ? 2 : !options.s.empty() ? static_cast<int>(options.s.size()) : x.array.ndim();
    for (int i = 0; i < count; ++i) axes.push_back(i - count);
  }
  return transformed(function, x.array, type, options.s, axes, options.norm);
}

Norm turned(Norm norm) { return norm == Norm::ortho ? norm : norm == Norm::backward ? Norm::forward : Norm::backward; }

void check_samples(const char* function, std::int64_t n, double d) {
  if (n < 1) raise<ValueError>(function, std::to_string(n) + " samples", "Give one or more.");
  if (d == 0) raise<ValueError>(function, "samples at distance 0", "Give their distance.");
}

Array shifted(const In& x, const tutti::Axes& axes, bool back) {
  CallScope scope(x.loc);
  Array out = x.array;
  for (int d : axes.resolve(out.ndim())) {
    const std::int64_t half = out.shape()[static_cast<std::size_t>(d)] / 2;
    out = roll(out, back ? -half : half, d);
  }
  return out;
}

}  // namespace

Array fft(const In& x, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  return along("fft", x, FftType::fft, n, axis, norm);
}
Array ifft(const In& x, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  return along("ifft", x, FftType::ifft, n, axis, norm);
}
Array rfft(const In& x, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  return along("rfft", x, FftType::rfft, n, axis, norm);
}
Array irfft(const In& x, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  return along("irfft", x, FftType::irfft, n, axis, norm);
}
Array hfft(const In& x, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  CallScope scope(x.loc);
  return along("hfft", conj(x.array), FftType::irfft, n, axis, turned(norm));
}
Array ihfft(const In& x, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  CallScope scope(x.loc);
  return conj(along("ihfft", x.array, FftType::rfft, n, axis, turned(norm)));
}

Array fftn(const In& x, const Axes& options) { return over("fftn", x, FftType::fft, options, false); }
Array ifftn(const In& x, const Axes& options) { return over("ifftn", x, FftType::ifft, options, false); }
Array rfftn(const In& x, const Axes& options) { return over("rfftn", x, FftType::rfft, options, false); }
Array irfftn(const In& x, const Axes& options) { return over("irfftn", x, FftType::irfft, options, false); }
Array fft2(const In& x, const Axes& options) { return over("fft2", x, FftType::fft, options, true); }
Array ifft2(const In& x, const Axes& options) { return over("ifft2", x, FftType::ifft, options, true); }
Array rfft2(const In& x, const Axes& options) { return over("rfft2", x, FftType::rfft, options, true); }
Array irfft2(const In& x, const Axes& options) { return over("irfft2", x, FftType::irfft, options, true); }

Array fftfreq(Dim n, double d, Loc loc) { return fftfreq(n, d, float64, loc); }
Array fftfreq(Dim n, double d, DType dtype, Loc loc) {
  CallScope scope(loc);
  check_samples("fftfreq", n, d);
  const std::int64_t half = (n + 1) / 2;
  return concatenate({arange(half), arange(half - n, 0)}).astype(canonical(dtype)) / (static_cast<double>(n) * d);
}
Array rfftfreq(Dim n, double d, Loc loc) { return rfftfreq(n, d, float64, loc); }
Array rfftfreq(Dim n, double d, DType dtype, Loc loc) {
  CallScope scope(loc);
  check_samples("rfftfreq", n, d);
  return arange(n / 2 + 1).astype(canonical(dtype)) / (static_cast<double>(n) * d);
}
Array fftshift(const In& x, const tutti::Axes& axes) { return shifted(x, axes, false); }
Array ifftshift(const In& x, const tutti::Axes& axes) { return shifted(x, axes, true); }

}  // namespace tutti::fft

// SPDX-License-Identifier: Apache-2.0
