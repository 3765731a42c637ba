// Convolutions of any number of dims. Source: jax.scipy.signal.
#include <algorithm>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/scipy/signal.hpp"

namespace tutti::signal {
namespace {

struct Pair {
  Array x, y;
};
Pair one_dtype(const Array& x, const Array& y) {
  const DType dtype = inexact(promote_types(x.dtype(), y.dtype()));
  return {x.astype(dtype), y.astype(dtype)};
}
std::string both(const Array& x, const Array& y) { return type_text(x) + " and " + type_text(y); }
void check_dims(const char* who, const Array& x, const Array& y) {
  if (x.ndim() != y.ndim())
    raise<ShapeError>(who, "the arrays are " + both(x, y), "They have the same number of dims.");
}
bool covers(const Array& x, const Array& y, const std::vector<int>& dims) {
  return std::all_of(dims.begin(), dims.end(), [&](int d) { return x.shape(d) >= y.shape(d); });
}
std::vector<int> all_dims(const Array& x) {
  std::vector<int> out;
  for (int d = 0; d < x.ndim(); ++d) out.push_back(d);
  return out;
}

Array by_products(const char* who, const Array& a, const Array& b, ConvolveMode mode) {
  check_dims(who, a, b);
  auto [x, y] = one_dtype(a, b);
  if (x.size() == 0 || y.size() == 0) raise<ShapeError>(who, "the arrays are " + both(a, b), "None may be empty.");
  const std::vector<int> dims = all_dims(x);
  const Shape wanted = y.shape();
  if (!covers(x, y, dims)) {
    if (!covers(y, x, dims))
      raise<ShapeError>(who, "the arrays are " + both(a, b), "One is at least as large as the other in every dim.");
    std::swap(x, y);
  }
  if (x.ndim() == 0) return x * y;
  std::vector<std::pair<std::int64_t, std::int64_t>> padding;
  for (int d : dims) {
    const std::int64_t n = y.shape(d), own = wanted[static_cast<std::size_t>(d)];
    if (mode == ConvolveMode::valid)
      padding.emplace_back(0, 0);
    else if (mode == ConvolveMode::full)
      padding.emplace_back(n - 1, n - 1);
    else
      padding.emplace_back(n - 1 - (own - 1) / 2, n - own + (own - 1) / 2);
  }
  const Array out =
      lax::conv_general_dilated(expand_dims(x, {0, 1}), expand_dims(flip(y), {0, 1}), {.padding = padding});
  return squeeze(out, {0, 1});
}

}  // namespace

Array fftconvolve(const In& a, const In& b, OneOf<ConvolveMode> mode, const Axes& axes) {
  CallScope scope(a.loc);
  check_dims("fftconvolve", a.array, b.array);
  auto [x, y] = one_dtype(a.array, b.array);
  const std::vector<int> dims = axes.is_all() ? all_dims(x) : axes.resolve(x.ndim());
  for (int d = 0; d < x.ndim(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end() && x.shape(d) != y.shape(d))
      raise<ShapeError>("fftconvolve", "the arrays are " + both(a.array, b.array),
                        "Dims that are not convolved have equal extents.");
  if (x.size() == 0 || y.size() == 0)
    raise<ShapeError>("fftconvolve", "the arrays are " + both(a.array, b.array), "None may be empty.");
  const Shape wanted = x.shape();
  if (mode == ConvolveMode::valid && !covers(x, y, dims)) {
    if (!covers(y, x, dims))
      raise<ShapeError>("fftconvolve", "the arrays are " + both(a.array, b.array),
                        "One is at least as large as the other in every dim.");
    std::swap(x, y);
  }
  std::vector<std::int64_t> lengths;
  bool trivial = true;
  for (int d : dims) {
    lengths.push_back(x.shape(d) + y.shape(d) - 1);
    trivial = trivial && (x.shape(d) == 1 || y.shape(d) == 1);
  }
  const fft::Axes over{lengths, dims};
  Array full;
  if (trivial)
    full = x * y;
  else if (iscomplexobj(x))
    full = fft::ifftn(fft::fftn(x, over) * fft::fftn(y, over), over);
  else
    full = fft::irfftn(fft::rfftn(x, over) * fft::rfftn(y, over), over);
  std::vector<Index> part(static_cast<std::size_t>(x.ndim()), Index(all));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const int d = dims[i];
    const std::int64_t n = mode == ConvolveMode::full   ? lengths[i]
                           : mode == ConvolveMode::same ? wanted[static_cast<std::size_t>(d)]
                                                        : x.shape(d) - y.shape(d) + 1;
    const std::int64_t first = (lengths[i] - n) / 2;
    part[static_cast<std::size_t>(d)] = Index(slice(first, first + n));
  }
  return full.index(part);
}

Array convolve(const In& x, const In& y, OneOf<ConvolveMode> mode, OneOf<Method> method) {
  CallScope scope(x.loc);
  return method == Method::fft ? fftconvolve(x.array, y.array, mode) : by_products("convolve", x.array, y.array, mode);
}
Array correlate(const In& x, const In& y, OneOf<ConvolveMode> mode, OneOf<Method> method) {
  CallScope scope(x.loc);
  const Array turned = flip(conj(y.array));
  return method == Method::fft ? fftconvolve(x.array, turned, mode) : by_products("correlate", x.array, turned, mode);
}

namespace {
void check_matrices(const char* who, const Array& x, const Array& y) {
  if (x.ndim() != 2 || y.ndim() != 2) raise<ShapeError>(who, "the arrays are " + both(x, y), "Give two matrices.");
}
}  // namespace

Array convolve2d(const In& x, const In& y, OneOf<ConvolveMode> mode) {
  CallScope scope(x.loc);
  check_matrices("convolve2d", x.array, y.array);
  return by_products("convolve2d", x.array, y.array, mode);
}

// Where y is the larger one, a "same" or "valid" result is that of the two exchanged, turned round.
Array correlate2d(const In& x, const In& y, OneOf<ConvolveMode> mode) {
  CallScope scope(x.loc);
  check_matrices("correlate2d", x.array, y.array);
  const Array &a = x.array, &b = y.array;
  const std::vector<int> dims = all_dims(a);
  const bool exchanged = covers(b, a, dims) && a.shape() != b.shape();
  if (mode == ConvolveMode::valid && exchanged) return by_products("correlate2d", flip(b), conj(a), mode);
  if (mode == ConvolveMode::full && exchanged) return conj(by_products("correlate2d", flip(b), conj(a), mode));
  return flip(by_products("correlate2d", flip(a), conj(b), mode));
}

}  // namespace tutti::signal

// SPDX-License-Identifier: Apache-2.0
