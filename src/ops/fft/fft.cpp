// Discrete Fourier transforms of the last dims. Source: jax.lax.fft.
#include "ops/fft/fft.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "ops/movement/movement.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

using lax::FftType;
using Arrays = std::vector<Array>;

const char* name_of(FftType type) {
  switch (type) {
    case FftType::fft: return "fft";
    case FftType::ifft: return "ifft";
    case FftType::rfft: return "rfft";
    default: return "irfft";
  }
}

std::vector<Type> infer(const Call& c) {
  const auto& p = c.get<Fft>();
  const Type& x = c.operands[0];
  const char* name = name_of(p.type);
  const bool real = p.type == FftType::rfft;
  if (real ? x.dtype != float32 && x.dtype != float64 : !x.dtype.is_complex())
    raise<TypeError>(name, "the array is " + x.str() + ", it takes " + (real ? "float32 and float64" : "complex types"),
                     "Convert it with astype().");
  const int dims = p.lengths.ndim();
  if (dims < 1 || dims > x.ndim())
    raise<ShapeError>(name, std::to_string(dims) + " dims of " + x.str(), "Transform one dim or more that are there.");
  Shape shape = x.shape;
  for (int d = 0; d < dims; ++d) {
    const bool half = p.type == FftType::irfft && d + 1 == dims;
    const std::int64_t n = p.lengths[d], has = x.shape[x.ndim() - dims + d];
    if (n < 1 || n > INT32_MAX)
      raise<ShapeError>(name, "the lengths are " + p.lengths.str(), "A transform has one element or more.");
    if (has != (half ? n / 2 + 1 : n))
      raise<ShapeError>(
          name, x.str() + " for lengths " + p.lengths.str(),
          half ? "The last dim of irfft has n / 2 + 1 elements." : "These are the extents of the last dims.");
  }
  if (p.type == FftType::rfft) shape[x.ndim() - 1] = shape.back() / 2 + 1;
  if (p.type == FftType::irfft) shape[x.ndim() - 1] = p.lengths.back();
  return {type(p.type == FftType::irfft ? real_dtype(x.dtype) : complex_dtype(x.dtype), shape)};
}

using Numbers = std::vector<std::complex<double>>;

// y_k = sum over j of x_j exp(sign 2 pi i j k / n). Where n = p m, of p sums over every pth number: those are
// transforms of m numbers. Source: Cooley and Tukey.
Numbers fourier_sums(const Numbers& x, int sign) {
  const std::int64_t n = std::ssize(x);
  std::int64_t p = 2;  // the least prime factor
  while (p < n && n % p != 0) ++p;
  Numbers out(x.size());
  if (n < 2) return x;
  std::vector<Numbers> parts;
  for (std::int64_t r = 0; r < p; ++r) {
    Numbers every;
    for (std::int64_t j = r; j < n; j += p) every.push_back(x[static_cast<std::size_t>(j)]);
    parts.push_back(p < n ? fourier_sums(every, sign) : every);
  }
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t r = 0; r < p; ++r) {
      const double angle = sign * 2 * std::numbers::pi * static_cast<double>(r * k % n) / static_cast<double>(n);
      out[k] += parts[r][k % (n / p)] * std::polar(1., angle);
    }
  return out;
}

// Numbers whose last dims have these extents become their sums along dim `dim` of them.
void sums_along(const Shape& extents, int dim, int sign, Numbers& x) {
  const std::int64_t n = extents[dim];
  std::int64_t step = 1;
  for (int d = dim + 1; d < extents.ndim(); ++d) step *= extents[d];
  for (std::int64_t line = 0; line < std::ssize(x) / n; ++line) {
    const std::int64_t first = line / step * n * step + line % step;
    Numbers values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(x[first + i * step]);
    values = fourier_sums(values, sign);
    for (std::int64_t i = 0; i < n; ++i) x[first + i * step] = values[i];
  }
}

// Numbers 0 to n / 2 of the last dim, of which there are n; or all of them, of these: number n - k is the conjugate of
// number k, which is what transforms of real numbers are. The first and, of an even n, the last count as real.
Numbers first_half(const Numbers& x, std::int64_t n) {
  Numbers out;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (static_cast<std::int64_t>(i) % n <= n / 2) out.push_back(x[i]);
  return out;
}
Numbers with_other_half(const Numbers& x, std::int64_t n) {
  Numbers out;
  const std::int64_t half = n / 2 + 1;
  for (std::int64_t row = 0; row < std::ssize(x) / half; ++row)
    for (std::int64_t k = 0; k < n; ++k) {
      const std::complex<double> z = x[row * half + std::min(k, n - k)];
      out.push_back(k == 0 || 2 * k == n ? z.real() : k < half ? z : std::conj(z));
    }
  return out;
}

template <class T> void eval_fft_of(const Fft& p, const HostView& in, const HostView& out) {
  const bool inverse = p.type == FftType::ifft || p.type == FftType::irfft;
  const int sign = inverse ? 1 : -1, last = p.lengths.ndim() - 1;
  const double scale = inverse ? 1 / static_cast<double>(p.lengths.num_elements()) : 1;
  Numbers x;
  for (std::int64_t i = 0; i < in.size(); ++i)
    x.push_back(p.type == FftType::rfft ? std::complex<double>(in.as<const T>()[i])
                                        : std::complex<double>(in.as<const std::complex<T>>()[i]));
  Shape extents = p.lengths;
  if (p.type == FftType::irfft) extents[last] = p.lengths[last] / 2 + 1;
  for (int d = 0; d < last; ++d) sums_along(extents, d, sign, x);
  if (p.type == FftType::irfft) x = with_other_half(x, p.lengths[last]);
  sums_along(p.lengths, last, sign, x);
  if (p.type == FftType::rfft) x = first_half(x, p.lengths[last]);
  for (std::int64_t i = 0; i < out.size(); ++i)
    if (p.type == FftType::irfft)
      out.as<T>()[i] = static_cast<T>(x[i].real() * scale);
    else
      out.as<std::complex<T>>()[i] = std::complex<T>(x[i] * scale);
}

// Dim by dim, in complex128.
void eval_fft(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const bool wide = real_dtype(in[0].type.dtype) == float64;
  (wide ? eval_fft_of<double> : eval_fft_of<float>)(c.get<Fft>(), in[0], out[0]);
}

// Elements of the first half stand for two, but for the first and, of an even number, the last.
Array weights(std::int64_t n) {
  const std::int64_t half = n / 2 + 1;
  const Array at = lax::iota(int32, Shape{half}, 0);
  const Array once = lax::bitwise_or(at == 0, lax::mul(at, literal(int32, 2)) == static_cast<int>(n));
  return where(once, literal(float32, 1), literal(float32, 2)).astype(float32);
}

// Cotangents pair with tangents without a conjugate: the matrices of fft and ifft are symmetric.
Arrays transposed(const Call& c, const Arrays& ct, const Arrays&, const std::vector<bool>&) {
  if (!ct[0].has_value()) return {Array()};
  const auto& p = c.get<Fft>();
  const double size = static_cast<double>(p.lengths.num_elements());
  if (p.type == FftType::rfft) {
    const Array shares = tutti::conj(ct[0]) / weights(p.lengths.back()).astype(complex_dtype(ct[0].dtype()));
    return {lax::fft(shares, FftType::irfft, p.lengths) * size};
  }
  if (p.type == FftType::irfft) {
    const Array x = lax::fft(ct[0], FftType::rfft, p.lengths);
    return {tutti::conj(x * (weights(p.lengths.back()).astype(x.dtype()) / size))};
  }
  return {lax::fft(ct[0], p.type, p.lengths)};
}

}  // namespace

constinit const Home fft = [] {
  Op op;
  op.name = "fft";
  op.infer = infer;
  op.eval = eval_fft;
  op.factors = [](const Call& c, const std::vector<Type>& results) {
    FactorBuilder b(c, results);
    const int batch = c.operands[0].ndim() - c.get<Fft>().lengths.ndim();
    for (int d = 0; d < c.operands[0].ndim(); ++d) {
      if (d < batch) {
        b.share(0, d, d, results[0].shape[d]);
        continue;
      }
      b.fixed_operand(0, d, c.operands[0].shape[d]);
      b.fixed_result(d, results[0].shape[d]);
    }
    return b.f;
  };
  op.linear = {{0}};
  op.adds_up = [](const Call&, const auto&, const auto&) { return false; };  // sums of many may overflow
  op.transpose = transposed;
  op.batch = [](const Call& c, const Arrays& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    return {{bind1(c.op, c.params, x)}, {true}};
  };
  op.flops = [](const Call& c, const std::vector<Type>& results) {
    const double n = static_cast<double>(c.get<Fft>().lengths.num_elements());
    return 5 * static_cast<double>(results[0].num_elements()) * std::log2(std::max(n, 2.));
  };
  // Real values of complex operands; derivatives: tests/fft.
  auto sample = [&](FftType type, DType dtype, Shape shape, Shape lengths) {
    op.samples.push_back({.params = Fft{type, std::move(lengths)},
                          .operands = {ops::type(dtype, std::move(shape))},
                          .differentiable = false});
  };
  for (FftType type : {FftType::fft, FftType::ifft}) {
    sample(type, complex64, {8}, {8});
    sample(type, complex64, {3, 7}, {7});
    sample(type, complex64, {2, 3, 4}, {3, 4});
    sample(type, complex64, {0, 5}, {5});
    sample(type, complex64, {300, 40}, {40});  // more than a group of transforms
  }
  sample(FftType::fft, complex128, {3, 7}, {7});
  sample(FftType::rfft, float64, {2, 9}, {9});
  sample(FftType::irfft, complex128, {2, 5}, {9});
  sample(FftType::rfft, float32, {2, 9}, {9});
  sample(FftType::rfft, float32, {3, 6}, {3, 6});
  sample(FftType::irfft, complex64, {2, 5}, {9});
  sample(FftType::irfft, complex64, {2, 5}, {8});
  sample(FftType::irfft, complex64, {2, 3, 3}, {3, 4});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array fft(const In& x, OneOf<FftType> type, const Shape& lengths) {
  CallScope scope(x.loc);
  return bind1(ops::fft, ops::Fft{type, lengths}, {x.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
