// Transforms of one short length, one in each lane of a vector. Source: T. G. Stockham, High-speed convolution and
// correlation (1966): the autosort form, of radix 8, 4, 3, 5, 2 and odd primes.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "tutti/lax/fft.hpp"

namespace tutti::kernels {

inline bool is_inverse(lax::FftType type) { return type == lax::FftType::ifft || type == lax::FftType::irfft; }
inline bool is_real(lax::FftType type) { return type == lax::FftType::rfft || type == lax::FftType::irfft; }

/// e^(-2 pi i k / n), of an inverse transform e^(2 pi i k / n).
template <class T> std::complex<T> root_of_unity(std::int64_t k, std::int64_t n, bool inverse);

/// A transform by stages: their radices, and the roots of unity k / n for k < n.
template <class T> struct LaneStages {
  std::vector<int> radices;
  std::vector<std::complex<T>> turns;
};

/// In place: the transform of half * 2 real numbers from that of `half` complex ones of which they are the parts, up to
/// the middle (half + 1 numbers), for k and half - k with k of begin..end-1, 2 * end <= half + 1; k = 0 and the middle
/// are left. `back`: the other way, twice as large. w: roots of unity of half * 2.
template <class T>
void split_halves(bool back, std::int64_t half, const std::complex<T>* w, T* z, std::int64_t begin, std::int64_t end);
/// to[k] = from[k] * by[k] of n complex numbers.
template <class T> void multiply_complex(std::int64_t n, const T* from, const T* by, T* to);

/// How LaneTransform::columns reads and writes: rows are `in_step` and `out_step` complex numbers apart. Number k of
/// lane l is multiplied by turns[k][l] (all real parts, all imaginary ones), and by shared[k] where there is one.
template <class T> struct Columns {
  std::int64_t in_step, out_step;
  const T* turns;  // 64-byte aligned
  const std::complex<T>* shared;
};

/// Transforms of n complex numbers, and of n real ones: of an even number by half as many complex ones. The result of a
/// row depends neither on its neighbours nor on the instructions that the processor has. T: float or double.
template <class T> class LaneTransform {
 public:
  static constexpr std::int64_t lanes = 64 / sizeof(T);  // rows at a time
  typedef T V __attribute__((vector_size(64)));

  /// Whether n complex numbers can be transformed: up to 2048 whose prime factors are at most 31.
  static bool takes(std::int64_t n);
  LaneTransform(lax::FftType type, std::int64_t n);

  /// Complex numbers that a transform of a row computes with.
  std::int64_t numbers() const { return transformed_; }
  /// Vectors of workspace that the calls below take.
  std::int64_t workspace() const { return 4 * (transformed_ + 1); }
  /// `rows` rows (at most `lanes`) from `in` to `out`, one behind the other, times `scale`.
  void rows(const T* in, std::int64_t rows, T* out, T scale, V* space) const;
  /// `lines` lines (at most `lanes`) of complex numbers that are side by side, the next numbers of all of them `step`
  /// numbers further on, from `in` to `out`, which may be the same. Of types fft and ifft.
  void lines(const T* in, std::int64_t lines, std::int64_t step, T* out, T scale, V* space) const;

  // The two halves of a transform of a * b numbers (long.hpp). Of types fft and ifft.
  /// Columns of a matrix, `lines` (at most `lanes`) of them, times roots of unity; writes `lanes` columns.
  void columns(const Columns<T>& c, std::int64_t lines, const T* in, T* out, V* space) const;
  /// Rows that are `in_step` numbers apart, `rows` (at most `lanes`) of them; number k of row r goes to
  /// out[k * out_step + r]. Reads whole vectors: 2 * in_step is a multiple of `lanes` and not less than 2 * n.
  void turned_rows(const T* in, std::int64_t in_step, std::int64_t rows, T* out, std::int64_t out_step, V* space) const;

 private:
  lax::FftType type_;
  std::int64_t n_, transformed_;  // numbers of a row; complex ones that are transformed
  LaneStages<T> plan_;
  std::vector<std::complex<T>> split_;  // e^(-2 pi i k / n) of a real row
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
