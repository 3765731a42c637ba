// Many transforms of one short length side by side, one in each lane of a vector. Source: T. G. Stockham, High-speed
// convolution and correlation (1966): the sorted form, of radix 8, 4, 3, 5 and 2.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "tutti/lax/fft.hpp"

namespace tutti::ops {

/// A transform by stages: their radices, and e^(-+2 pi i k / n) for k < n.
template <class T> struct LaneStages {
  std::vector<int> radices;
  std::vector<std::complex<T>> turns;
};

/// Transforms of n complex numbers, and of n real ones by half as many complex ones. What comes out of a row does not
/// depend on its neighbours, nor on the instructions that the processor has. T: float or double.
template <class T> class LaneTransform {
 public:
  static constexpr std::int64_t lanes = 64 / sizeof(T);  // rows at a time
  typedef T V __attribute__((vector_size(64)));

  /// Whether there is one: for lengths whose prime factors are 2, 3 and 5, up to 2048.
  static bool takes(lax::FftType type, std::int64_t n);
  LaneTransform(lax::FftType type, std::int64_t n);

  /// Vectors of workspace that the calls below take.
  std::int64_t workspace() const { return 4 * (half_ + 1); }
  /// `rows` rows (at most `lanes`) from `in` to `out`, one behind the other.
  void rows(const T* in, std::int64_t rows, T* out, V* space) const;
  /// In place: `lines` lines (at most `lanes`) of complex numbers that stand side by side, the next numbers of all of
  /// them `step` numbers further on. Of types fft and ifft.
  void lines(T* data, std::int64_t lines, std::int64_t step, V* space) const;

 private:
  lax::FftType type_;
  std::int64_t n_, half_;  // numbers of a row; complex ones that are transformed
  LaneStages<T> plan_;
  std::vector<std::complex<T>> split_;  // e^(-2 pi i k / n) of a real row
};

}  // namespace tutti::ops
