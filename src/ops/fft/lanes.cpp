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
template <class T> struct Job {
  FftType type;
  std::int64_t numbers, half;
  const LaneStages<T>& plan;
  const std::vector<std::complex<T>>& split;
};

namespace narrow {
#include "ops/fft/lane_kernels.inc"
}

namespace wide {
#include "lane/begin_avx512.inc"
#include "ops/fft/lane_kernels.inc"

template <class T> void rows(const Job<T>& job, const T* in, std::int64_t rows, T* out, Vector<T>* space) {
  do_rows(job, in, rows, out, space);
}
template <class T> void lines(const Job<T>& job, T* data, std::int64_t lines, std::int64_t step, Vector<T>* space) {
  do_lines(job, data, lines, step, space);
}
#include "lane/end_target.inc"
}  // namespace wide

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
  if (lane::has_avx512())
    wide::rows(job, in, rows, out, space);
  else
    lane::with_avx2([&] [[gnu::always_inline]] { narrow::do_rows(job, in, rows, out, space); });
}
template <class T> void LaneTransform<T>::lines(T* data, std::int64_t lines, std::int64_t step, V* space) const {
  const Job<T> job{type_, n_, half_, plan_, split_};
  if (lane::has_avx512())
    wide::lines(job, data, lines, step, space);
  else
    lane::with_avx2([&] [[gnu::always_inline]] { narrow::do_lines(job, data, lines, step, space); });
}

template class LaneTransform<float>;
template class LaneTransform<double>;

}  // namespace tutti::ops
