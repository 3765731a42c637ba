#include "backend/cpu/kernels/fft/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "lane/side_by_side.hpp"
#include "lane/vectors.hpp"

namespace tutti::kernels {
namespace {

using lax::FftType;

constexpr int kLargestRadix = 31;

template <class T> using Vector = typename LaneTransform<T>::V;
template <class T> struct Job {
  FftType type;
  std::int64_t n, transformed;
  const LaneStages<T>& plan;
  const std::vector<std::complex<T>>& split;
};

namespace fft_plain {
#define TUTTI_VECTOR 16
#include "backend/cpu/kernels/fft/lane_kernels.inc"
#undef TUTTI_VECTOR
}  // namespace fft_plain

#if TUTTI_X86
namespace fft_avx2 {
#include "lane/begin_avx2.inc"

#define TUTTI_VECTOR 32
#include "backend/cpu/kernels/fft/lane_kernels.inc"
#undef TUTTI_VECTOR

#include "lane/end_target.inc"
}  // namespace fft_avx2

namespace fft_avx512 {
#include "lane/begin_avx512.inc"

#define TUTTI_VECTOR 64
#include "backend/cpu/kernels/fft/lane_kernels.inc"
#undef TUTTI_VECTOR

#include "lane/end_target.inc"
}  // namespace fft_avx512
#else
namespace fft_avx2 = fft_plain;
namespace fft_avx512 = fft_plain;
#endif

}  // namespace

// By an angle of at most a quarter of pi, found in integers: eight times k, in units of n.
template <class T> std::complex<T> root_of_unity(std::int64_t k, std::int64_t n, bool inverse) {
  std::int64_t x = 8 * (k % n);
  const bool below = x > 4 * n;
  if (below) x = 8 * n - x;
  const bool left = x > 2 * n;
  if (left) x = 4 * n - x;
  const bool steep = x > n;
  if (steep) x = 2 * n - x;
  const double angle = std::numbers::pi / 4 * static_cast<double>(x) / static_cast<double>(n);
  double cosine = std::cos(angle), sine = std::sin(angle);
  if (steep) std::swap(cosine, sine);
  return {static_cast<T>(left ? -cosine : cosine), static_cast<T>(below == inverse ? -sine : sine)};
}

template <class T> bool LaneTransform<T>::takes(std::int64_t n) {
  if (n < 1 || n > 2048) return false;
  for (std::int64_t factor = 2; factor <= kLargestRadix; ++factor)
    while (n % factor == 0) n /= factor;
  return n == 1;
}

template <class T>
LaneTransform<T>::LaneTransform(FftType type, std::int64_t n)
    : type_(type), n_(n), transformed_(is_real(type) && n % 2 == 0 ? n / 2 : n) {
  const bool inverse = is_inverse(type);
  if (transformed_ != n)
    for (std::int64_t k = 0; 2 * k <= transformed_; ++k) split_.push_back(root_of_unity<T>(k, n, false));
  std::int64_t rest = transformed_;
  for (; rest % 8 == 0 && rest != 16; rest /= 8) plan_.radices.push_back(8);
  for (int radix : {4, 3, 5, 2})
    for (; rest % radix == 0; rest /= radix) plan_.radices.push_back(radix);
  for (int radix = 7; radix <= kLargestRadix; radix += 2)
    for (; rest % radix == 0; rest /= radix) plan_.radices.push_back(radix);
  for (std::int64_t k = 0; k < transformed_; ++k) plan_.turns.push_back(root_of_unity<T>(k, transformed_, inverse));
}

// Calls f of the namespace for this processor's vectors.
#define TUTTI_FFT_KERNEL(f, ...)               \
  switch (lane::vector_kind()) {               \
    case 2: fft_avx512::f(__VA_ARGS__); break; \
    case 1: fft_avx2::f(__VA_ARGS__); break;   \
    default: fft_plain::f(__VA_ARGS__);        \
  }

template <class T> void LaneTransform<T>::rows(const T* in, std::int64_t rows, T* out, T scale, V* space) const {
  const Job<T> job{type_, n_, transformed_, plan_, split_};
  TUTTI_FFT_KERNEL(do_rows, job, in, rows, out, scale, space)
}
template <class T>
void LaneTransform<T>::lines(const T* in, std::int64_t lines, std::int64_t step, T* out, T scale, V* space) const {
  const Job<T> job{type_, n_, transformed_, plan_, split_};
  TUTTI_FFT_KERNEL(do_lines, job, in, lines, step, out, scale, space)
}
template <class T>
void LaneTransform<T>::columns(const Columns<T>& c, std::int64_t lines, const T* in, T* out, V* space) const {
  const Job<T> job{type_, n_, transformed_, plan_, split_};
  TUTTI_FFT_KERNEL(do_columns, job, c, lines, in, out, space)
}
template <class T>
void LaneTransform<T>::turned_rows(const T* in, std::int64_t in_step, std::int64_t rows, T* out, std::int64_t out_step,
                                   V* space) const {
  const Job<T> job{type_, n_, transformed_, plan_, split_};
  TUTTI_FFT_KERNEL(do_turned_rows, job, in, in_step, rows, out, out_step, space)
}
template <class T>
void split_halves(bool back, std::int64_t half, const std::complex<T>* w, T* z, std::int64_t begin, std::int64_t end) {
  TUTTI_FFT_KERNEL(do_split, back, half, w, z, begin, end)
}
template <class T> void multiply_complex(std::int64_t n, const T* from, const T* by, T* to) {
  TUTTI_FFT_KERNEL(do_multiply, n, from, by, to)
}
#undef TUTTI_FFT_KERNEL

template std::complex<float> root_of_unity(std::int64_t, std::int64_t, bool);
template std::complex<double> root_of_unity(std::int64_t, std::int64_t, bool);
template void split_halves(bool, std::int64_t, const std::complex<float>*, float*, std::int64_t, std::int64_t);
template void split_halves(bool, std::int64_t, const std::complex<double>*, double*, std::int64_t, std::int64_t);
template void multiply_complex(std::int64_t, const float*, const float*, float*);
template void multiply_complex(std::int64_t, const double*, const double*, double*);
template class LaneTransform<float>;
template class LaneTransform<double>;

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
