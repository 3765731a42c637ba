// Cosine transforms by one real Fourier transform of as many elements. Source: Makhoul 1980.
#include "tutti/fft/cosine.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::fft {
namespace {

Array part(const Array& x, std::int64_t first, std::int64_t end) { return x(ellipsis, slice(first, end)); }
Array spread_out(const Array& x, std::int64_t low, std::int64_t n) {  // zeros between elements, n in all
  std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
  const std::int64_t used = low + 2 * x.shape(-1) - 1;
  config.back() = {low, n - used, 1};
  return lax::pad(x, zeros(Shape{}, x.dtype()), config);
}
// exp(i sign pi k / (2n)) for the first k.
Array rotations(std::int64_t count, std::int64_t n, int sign, DType dtype) {
  const Array angle = arange(count).astype(dtype) * (sign * std::numbers::pi / (2 * static_cast<double>(n)));
  return lax::complex(cos(angle), sin(angle));
}

// Of the last dim, type 2 without a norm.
Array cosines(const Array& x) {
  const std::int64_t n = x.shape(-1), half = n / 2;
  if (n == 1) return 2 * x;
  const Array even = x(ellipsis, slice(0, n, 2)), odd = flip(x(ellipsis, slice(1, n, 2)), -1);
  const Array z = rfft(concatenate({even, odd}, -1)) * rotations(half + 1, n, -1, x.dtype());
  const Array first = 2 * tutti::real(z);
  if (n == 2) return first;
  return concatenate({first, flip(-2 * tutti::imag(part(z, 1, n - half)), -1)}, -1);
}
Array from_cosines(const Array& x) {
  const std::int64_t n = x.shape(-1), half = n / 2;
  if (n == 1) return x / 2;
  const Array back = concatenate({zeros_like(part(x, 0, 1)), flip(part(x, n - half, n), -1)}, -1);
  const Array z = lax::complex(part(x, 0, half + 1), -back) * (0.5 * rotations(half + 1, n, 1, x.dtype()));
  const Array v = irfft(z, n);
  const std::int64_t evens = (n + 1) / 2;
  return spread_out(part(v, 0, evens), 0, n) + spread_out(flip(part(v, evens, n), -1), 1, n);
}
// The factors that make type 2 orthogonal.
Array orthogonal(std::int64_t n, DType dtype) {
  const double m = static_cast<double>(n);
  return where(arange(n) == 0, std::sqrt(1 / (4 * m)), std::sqrt(1 / (2 * m))).astype(dtype);
}

struct Kind {
  bool inverse;  // of type 2
  Norm norm;
};
Array transformed_last(const Array& x, const Kind& kind, bool asked_inverse) {
  const std::int64_t n = x.shape(-1);
  const double twice = 2 * static_cast<double>(n);
  if (kind.norm == Norm::ortho)
    return kind.inverse ? from_cosines(x / orthogonal(n, x.dtype())) : cosines(x) * orthogonal(n, x.dtype());
  // Without a norm type 3 is 2n times the inverse of type 2.
  const Array y = kind.inverse ? from_cosines(x) * twice : cosines(x);
  return asked_inverse == (kind.norm == Norm::backward) ? y / twice : y;
}
Array cosine(const char* who, const Array& in, int type, const std::vector<std::int64_t>& lengths,
             const std::vector<int>& axes, Norm norm, bool inverse) {
  if (type != 2 && type != 3) raise<ValueError>(who, "the type is " + std::to_string(type), "Types are 2 and 3.");
  if (!lengths.empty() && lengths.size() != axes.size())
    raise<ValueError>(who, std::to_string(lengths.size()) + " lengths for " + std::to_string(axes.size()) + " axes",
                      "Give as many.");
  if (in.dtype().is_complex())
    return lax::complex(cosine(who, tutti::real(in), type, lengths, axes, norm, inverse),
                        cosine(who, tutti::imag(in), type, lengths, axes, norm, inverse));
  Array x = in.dtype() == float64 ? in : in.astype(float32);
  std::vector<bool> done(static_cast<std::size_t>(x.ndim()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i] < 0 ? axes[i] + x.ndim() : axes[i];
    if (axis < 0 || axis >= x.ndim())
      raise<IndexError>(who, "axis " + std::to_string(axes[i]) + " is out of range for " + type_text(in),
                        "It has " + std::to_string(x.ndim()) + " dims.");
    if (done[static_cast<std::size_t>(axis)])
      raise<ValueError>(who, "axis " + std::to_string(axis) + " comes twice", "Name each axis once.");
    done[static_cast<std::size_t>(axis)] = true;
    Array last = moveaxis(x, axis, -1);
    const std::int64_t n = lengths.empty() ? last.shape(-1) : lengths[i];
    if (n < 1)
      raise<ValueError>(who, "a length is " + std::to_string(n) + " for " + type_text(in),
                        "A transform has one element or more.");
    if (n < last.shape(-1)) last = part(last, 0, n);
    if (n > last.shape(-1)) {
      std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
      config.back().high = n - last.shape(-1);
      last = lax::pad(last, zeros(Shape{}, last.dtype()), config);
    }
    x = moveaxis(transformed_last(last, {inverse != (type == 3), norm}, inverse), -1, axis);
  }
  return x;
}
Array over_axes(const char* who, const Array& x, const Axes& o, int type, bool inverse) {
  std::vector<int> axes = o.axes;
  if (axes.empty()) {
    const int count = o.s.empty() ? x.ndim() : static_cast<int>(o.s.size());
    for (int i = 0; i < count; ++i) axes.push_back(i - count);
  }
  return cosine(who, x, type, o.s, axes, o.norm, inverse);
}
std::vector<std::int64_t> length_of(const std::optional<Dim>& n) {
  return n ? std::vector<std::int64_t>{n->value} : std::vector<std::int64_t>{};
}

}  // namespace

Array dct(const In& x, int type, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  CallScope scope(x.loc);
  return cosine("dct", x.array, type, length_of(n), {axis}, norm, false);
}
Array idct(const In& x, int type, std::optional<Dim> n, int axis, OneOf<Norm> norm) {
  CallScope scope(x.loc);
  return cosine("idct", x.array, type, length_of(n), {axis}, norm, true);
}
Array dctn(const In& x, const Axes& options, int type) {
  CallScope scope(x.loc);
  return over_axes("dctn", x.array, options, type, false);
}
Array idctn(const In& x, const Axes& options, int type) {
  CallScope scope(x.loc);
  return over_axes("idctn", x.array, options, type, true);
}

}  // namespace tutti::fft

// SPDX-License-Identifier: Apache-2.0
