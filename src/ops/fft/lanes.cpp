#include "ops/fft/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "lane/side_by_side.hpp"

namespace tutti::ops {
namespace {

using lax::FftType;

template <class T> using Vector = typename LaneTransform<T>::V;
template <class T> struct Complex {
  Vector<T> re, im;

  Complex() = default;
  [[gnu::always_inline]] Complex(Vector<T> real, Vector<T> imaginary) : re(real), im(imaginary) {}
  // Two vectors: what the compiler makes of its own copies are sixteen words.
  [[gnu::always_inline]] Complex(const Complex& x) : re(x.re), im(x.im) {}
  [[gnu::always_inline]] Complex& operator=(const Complex& x) {
    re = x.re;
    im = x.im;
    return *this;
  }
};
template <class T> [[gnu::always_inline]] inline Complex<T> operator+(const Complex<T>& x, const Complex<T>& y) {
  return {x.re + y.re, x.im + y.im};
}
template <class T> [[gnu::always_inline]] inline Complex<T> operator-(const Complex<T>& x, const Complex<T>& y) {
  return {x.re - y.re, x.im - y.im};
}
template <class T> [[gnu::always_inline]] inline Complex<T> operator*(const Complex<T>& x, std::complex<T> w) {
  return {x.re * w.real() - x.im * w.imag(), x.re * w.imag() + x.im * w.real()};
}
template <class T> [[gnu::always_inline]] inline Complex<T> scaled(const Complex<T>& x, T by) {
  return {x.re * by, x.im * by};
}
template <class T> [[gnu::always_inline]] inline Complex<T> conjugate(const Complex<T>& x) { return {x.re, -x.im}; }
/// x times -i, of an inverse transform times i.
template <bool inverse, class T> [[gnu::always_inline]] inline Complex<T> turned(const Complex<T>& x) {
  if constexpr (inverse)
    return {-x.im, x.re};
  else
    return {x.im, -x.re};
}

template <int radix, bool inverse, class T> [[gnu::always_inline]] inline void butterfly(Complex<T>* x) {
  if constexpr (radix == 2) {
    const Complex<T> a = x[0], b = x[1];
    x[0] = a + b;
    x[1] = a - b;
  } else if constexpr (radix == 3) {
    const Complex<T> sum = x[1] + x[2], middle = x[0] - scaled(sum, T(0.5));
    const Complex<T> side = turned<inverse>(scaled(x[1] - x[2], T(std::numbers::sqrt3 / 2)));
    x[0] = x[0] + sum;
    x[1] = middle + side;
    x[2] = middle - side;
  } else if constexpr (radix == 4) {
    const Complex<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = turned<inverse>(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  } else if constexpr (radix == 8) {
    const T diagonal = T(std::numbers::sqrt2 / 2);
    Complex<T> even[4] = {x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]};
    const Complex<T> b = x[1] - x[5], d = x[3] - x[7];
    Complex<T> odd[4] = {x[0] - x[4], scaled(b + turned<inverse>(b), diagonal), turned<inverse>(x[2] - x[6]),
                         scaled(turned<inverse>(d) - d, diagonal)};
    butterfly<4, inverse>(even);
    butterfly<4, inverse>(odd);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      x[2 * j] = even[j];
      x[2 * j + 1] = odd[j];
    }
  } else {
    constexpr T c1 = T(0.30901699437494742410), c2 = T(-0.80901699437494742410), s1 = T(0.95105651629515357212),
                s2 = T(0.58778525229247312917);  // cos and sin of 72 and 144 degrees
    const Complex<T> p = x[1] + x[4], q = x[2] + x[3], r = x[1] - x[4], s = x[2] - x[3];
    const Complex<T> a = x[0] + scaled(p, c1) + scaled(q, c2), b = x[0] + scaled(p, c2) + scaled(q, c1);
    const Complex<T> c = turned<inverse>(scaled(r, s1) + scaled(s, s2)),
                     d = turned<inverse>(scaled(r, s2) - scaled(s, s1));
    x[0] = x[0] + p + q;
    x[1] = a + c;
    x[2] = b + d;
    x[3] = b - d;
    x[4] = a - c;
  }
}

/// One stage: rows of `step` numbers that were together are apart by `radix` afterwards.
template <int radix, bool inverse, class T>
[[gnu::always_inline]] inline void stage(std::int64_t n, std::int64_t step, const std::complex<T>* turns,
                                         const Complex<T>* x, Complex<T>* y) {
  const std::int64_t m = n / radix / step;
  for (std::int64_t q = 0; q < m; ++q) {
    for (std::int64_t k = 0; k < step; ++k) {
      Complex<T> v[radix];
#pragma GCC unroll 8
      for (int j = 0; j < radix; ++j) v[j] = x[k + step * (q + m * j)];
      butterfly<radix, inverse>(v);
      Complex<T>* to = y + k + step * radix * q;
      to[0] = v[0];
#pragma GCC unroll 8
      for (int j = 1; j < radix; ++j) to[step * j] = q == 0 ? v[j] : v[j] * turns[q * j * step];  // infinity * 0 is NaN
    }
  }
}

/// The numbers of `x` transformed: there, or in `y`.
template <bool inverse, class T>
[[gnu::always_inline]] inline Complex<T>* transformed(const LaneStages<T>& plan, Complex<T>* x, Complex<T>* y) {
  const auto n = static_cast<std::int64_t>(plan.turns.size());
  std::int64_t step = 1;
  for (int radix : plan.radices) {
    switch (radix) {
      case 2: stage<2, inverse>(n, step, plan.turns.data(), x, y); break;
      case 3: stage<3, inverse>(n, step, plan.turns.data(), x, y); break;
      case 4: stage<4, inverse>(n, step, plan.turns.data(), x, y); break;
      case 8: stage<8, inverse>(n, step, plan.turns.data(), x, y); break;
      default: stage<5, inverse>(n, step, plan.turns.data(), x, y);
    }
    step *= radix;
    std::swap(x, y);
  }
  return x;
}

/// Of the numbers z[k] = x[2k] + i x[2k+1], transformed, the transform of x up to the middle; z has room for one more.
template <class T>
[[gnu::always_inline]] inline void to_real_rows(std::int64_t half, const std::complex<T>* w, Complex<T>* z) {
  const Complex<T> first = z[0];
  z[0] = {first.re + first.im, Vector<T>{}};
  z[half] = {first.re - first.im, Vector<T>{}};
  for (std::int64_t k = 1; 2 * k <= half; ++k) {
    const Complex<T> a = z[k], b = conjugate(z[half - k]);
    const Complex<T> even = scaled(a + b, T(0.5)), odd = turned<false>(scaled(a - b, T(0.5))) * w[k];
    z[k] = even + odd;
    z[half - k] = conjugate(even - odd);
  }
}
/// And back, twice as large.
template <class T>
[[gnu::always_inline]] inline void from_real_rows(std::int64_t half, const std::complex<T>* w, Complex<T>* z) {
  const Vector<T> first = z[0].re, last = z[half].re;
  z[0] = {first + last, first - last};
  for (std::int64_t k = 1; 2 * k <= half; ++k) {
    const Complex<T> a = z[k], b = conjugate(z[half - k]);
    const Complex<T> even = a + b, odd = turned<true>((a - b) * std::conj(w[k]));
    z[k] = even + odd;
    z[half - k] = conjugate(even - odd);
  }
}

template <class T> struct Job {
  FftType type;
  std::int64_t numbers, half;
  const LaneStages<T>& plan;
  const std::vector<std::complex<T>>& split;
};

template <class T>
[[gnu::always_inline]] inline void do_rows(const Job<T>& job, const T* in, std::int64_t rows, T* out,
                                           Vector<T>* space) {
  auto* x = reinterpret_cast<Complex<T>*>(space);
  auto* y = x + job.half + 1;
  const bool to_half = job.type == FftType::rfft, from_half = job.type == FftType::irfft;
  lane::load_rows(in, rows, from_half ? 2 * (job.half + 1) : 2 * job.half, space);
  if (from_half) from_real_rows(job.half, job.split.data(), x);
  Complex<T>* z =
      from_half || job.type == FftType::ifft ? transformed<true>(job.plan, x, y) : transformed<false>(job.plan, x, y);
  if (to_half) to_real_rows(job.half, job.split.data(), z);
  lane::store_rows(reinterpret_cast<const Vector<T>*>(z), rows, to_half ? 2 * (job.half + 1) : 2 * job.half, out);
}

// Numbers of two vectors: real parts, imaginary parts, and both vectors again of these.
template <class T, std::size_t... l>
[[gnu::always_inline]] inline void split_parts(Vector<T>& a, Vector<T>& b, std::index_sequence<l...>) {
  const Vector<T> re = __builtin_shufflevector(a, b, static_cast<int>(2 * l)...);
  b = __builtin_shufflevector(a, b, static_cast<int>(2 * l + 1)...);
  a = re;
}
template <class T, std::size_t... l>
[[gnu::always_inline]] inline void join_parts(Vector<T>& a, Vector<T>& b, std::index_sequence<l...>) {
  constexpr std::size_t count = sizeof...(l);
  const Vector<T> first = __builtin_shufflevector(a, b, static_cast<int>(l / 2 + l % 2 * count)...);
  b = __builtin_shufflevector(a, b, static_cast<int>(count / 2 + l / 2 + l % 2 * count)...);
  a = first;
}

template <class T>
[[gnu::always_inline]] inline void do_lines(const Job<T>& job, T* data, std::int64_t lines, std::int64_t step,
                                            Vector<T>* space) {
  using Two = typename lane::Side<T>::Unaligned;
  constexpr std::int64_t count = LaneTransform<T>::lanes;
  constexpr std::make_index_sequence<static_cast<std::size_t>(count)> all;
  auto* x = reinterpret_cast<Complex<T>*>(space);
  auto* y = x + job.half + 1;
  T parts[2 * count] = {};
  for (std::int64_t i = 0; i < job.half; ++i) {
    const T* from = data + 2 * i * step;
    if (lines < count) from = std::copy_n(from, 2 * lines, parts) - 2 * lines;
    x[i] = {reinterpret_cast<const Two*>(from)[0], reinterpret_cast<const Two*>(from + count)[0]};
    split_parts<T>(x[i].re, x[i].im, all);
  }
  const Complex<T>* z =
      job.type == FftType::ifft ? transformed<true>(job.plan, x, y) : transformed<false>(job.plan, x, y);
  for (std::int64_t i = 0; i < job.half; ++i) {
    Complex<T> v = z[i];
    join_parts<T>(v.re, v.im, all);
    T* to = lines < count ? parts : data + 2 * i * step;
    *reinterpret_cast<Two*>(to) = v.re;
    *reinterpret_cast<Two*>(to + count) = v.im;
    if (lines < count) std::copy_n(parts, 2 * lines, data + 2 * i * step);
  }
}

bool is_real(FftType type) { return type == FftType::rfft || type == FftType::irfft; }

}  // namespace

template <class T> bool LaneTransform<T>::takes(FftType type, std::int64_t n) {
  if (n < 2 || n > 2048 || (is_real(type) && n % 2 != 0)) return false;
  for (std::int64_t prime : {2, 3, 5})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

template <class T>
LaneTransform<T>::LaneTransform(FftType type, std::int64_t n) : type_(type), n_(n), half_(is_real(type) ? n / 2 : n) {
  const bool inverse = type == FftType::ifft || type == FftType::irfft;
  auto turn = [](std::int64_t k, std::int64_t of, bool back) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(of);
    return std::complex<T>(static_cast<T>(std::cos(angle)), static_cast<T>(back ? std::sin(angle) : -std::sin(angle)));
  };
  std::int64_t rest = half_;
  for (; rest % 8 == 0 && rest != 16; rest /= 8) plan_.radices.push_back(8);
  for (int radix : {4, 3, 5, 2})
    for (; rest % radix == 0; rest /= radix) plan_.radices.push_back(radix);
  for (std::int64_t k = 0; k < half_; ++k) plan_.turns.push_back(turn(k, half_, inverse));
  if (is_real(type))
    for (std::int64_t k = 0; 2 * k <= half_; ++k) split_.push_back(turn(k, n, false));
}

template <class T> void LaneTransform<T>::rows(const T* in, std::int64_t rows, T* out, V* space) const {
  const Job<T> job{type_, n_, half_, plan_, split_};
  lane::with_widest([&] [[gnu::always_inline]] { do_rows(job, in, rows, out, space); });
}
template <class T> void LaneTransform<T>::lines(T* data, std::int64_t lines, std::int64_t step, V* space) const {
  const Job<T> job{type_, n_, half_, plan_, split_};
  lane::with_widest([&] [[gnu::always_inline]] { do_lines(job, data, lines, step, space); });
}

template class LaneTransform<float>;
template class LaneTransform<double>;

}  // namespace tutti::ops
