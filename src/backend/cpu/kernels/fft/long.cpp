#include "backend/cpu/kernels/fft/long.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/fft/lanes.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"

namespace tutti::kernels {
namespace {

using lax::FftType;

std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

template <class F> void pieces(bool on_workers, std::int64_t count, double each_ns, F&& f) {
  if (on_workers) return in_pieces(count, each_ns, f);
  f(std::int64_t{0}, count);
}

// Multiplications and additions of a short transform, about: each number of a radix sees half of the others.
double short_cost(std::int64_t n) {
  double each = 0;
  std::int64_t rest = n;
  for (; rest % 8 == 0; rest /= 8) each += 8;
  for (std::int64_t factor : {4, 2, 3, 5})
    for (; rest % factor == 0; rest /= factor) each += 2 + static_cast<double>(factor);
  for (std::int64_t factor = 7; rest > 1; factor += 2)
    for (; rest % factor == 0; rest /= factor) each += 4 * static_cast<double>(factor);
  return static_cast<double>(n) * (each + 4);
}

struct Split {
  std::int64_t columns = 0, rows = 0;  // lengths of the first and of the second transforms
  double cost = HUGE_VAL;
};
// The two short lengths of least cost, lanes without work included.
Split best_split(std::int64_t n, std::int64_t lanes) {
  Split best;
  for (std::int64_t a = 2; a <= 2048 && a <= n / 2; ++a) {
    const std::int64_t b = n / a;
    if (n % a != 0 || !LaneTransform<float>::takes(a) || !LaneTransform<float>::takes(b)) continue;
    const double cost = static_cast<double>(rounded_up(b, lanes)) * short_cost(a) +
                        static_cast<double>(rounded_up(a, lanes)) * short_cost(b);
    if (cost < best.cost) best = {a, b, cost};
  }
  return best;
}
// Where the second is not short: the largest first length, of a number with small factors.
std::optional<Split> long_split(std::int64_t n) {
  std::int64_t rest = n;
  for (std::int64_t factor = 2; factor <= 31; ++factor)
    while (rest % factor == 0) rest /= factor;
  if (rest != 1) return std::nullopt;
  for (std::int64_t a = 1024; a > 1; --a)
    if (n % a == 0 && LaneTransform<float>::takes(a)) return Split{a, n / a, 0};
  return std::nullopt;
}

/// n = a * b: x is a matrix of a rows. Its columns are transformed and number (k, j) multiplied by the root of unity
/// k j / n; then its rows are, and number j of row k of the result is number j * a + k of the transform.
template <class T> class ProductTransform : public RowTransform<T> {
 public:
  ProductTransform(bool inverse, const Split& split)
      : a_(split.columns),
        b_(split.rows),
        width_(rounded_up(b_, lanes) + lanes),
        groups_(rounded_up(b_, lanes) / lanes),
        columns_(inverse ? FftType::ifft : FftType::fft, a_) {
    if (LaneTransform<T>::takes(b_))
      rows_.emplace(inverse ? FftType::ifft : FftType::fft, b_);
    else
      long_rows_ = &RowTransform<T>::of(inverse, b_);
    // Up to 512 KiB of turns, one for each number; else those of a group of columns, by what it has in common.
    const std::int64_t n = a_ * b_, tables = n * static_cast<std::int64_t>(2 * sizeof(T)) <= 512 << 10 ? groups_ : 1;
    turns_.resize(static_cast<std::size_t>(tables * a_));
    for (std::int64_t g = 0; g < tables; ++g)
      for (std::int64_t k = 0; k < a_; ++k)
        for (std::int64_t l = 0; l < lanes; ++l) {
          const auto w = root_of_unity<T>(k * (g * lanes + l), n, inverse);
          turns_[static_cast<std::size_t>(g * a_ + k)].parts[l] = w.real();
          turns_[static_cast<std::size_t>(g * a_ + k)].parts[lanes + l] = w.imag();
        }
    if (tables == groups_) return;
    for (std::int64_t g = 0; g < groups_; ++g)
      for (std::int64_t k = 0; k < a_; ++k) shared_.push_back(root_of_unity<T>(k * g * lanes, n, inverse));
  }

  std::int64_t workspace() const override {
    return 2 * a_ * width_ + lane_space() + (long_rows_ ? made_parts() + long_rows_->workspace() : 0);
  }

  void row(const T* in, T* out, T* workspace, bool on_workers) const override {
    T* const middle = workspace;
    T* const space = middle + 2 * a_ * width_;
    in_groups(on_workers, groups_, a_, space, [&](std::int64_t g, V* lane) {
      const bool one_table = !shared_.empty();
      const Columns<T> c{b_, width_, turns_[static_cast<std::size_t>(one_table ? 0 : g * a_)].parts,
                         one_table ? shared_.data() + g * a_ : nullptr};
      columns_.columns(c, std::min(lanes, b_ - g * lanes), in + 2 * g * lanes, middle + 2 * g * lanes, lane);
    });
    if (long_rows_) return rows_by_long_ones(middle, out, space + lane_space(), on_workers);
    in_groups(on_workers, rounded_up(a_, lanes) / lanes, b_, space, [&](std::int64_t g, V* lane) {
      rows_->turned_rows(middle + 2 * g * lanes * width_, width_, std::min(lanes, a_ - g * lanes), out + 2 * g * lanes,
                         a_, lane);
    });
  }

 private:
  static constexpr std::int64_t lanes = LaneTransform<T>::lanes;
  using V = typename LaneTransform<T>::V;
  struct alignas(64) Turn {
    T parts[2 * lanes];
  };

  std::int64_t made_parts() const { return rounded_up(2 * a_ * b_, lanes); }
  std::int64_t lane_space() const { return lanes * std::max(columns_.workspace(), rows_ ? rows_->workspace() : 0); }

  // f(group, workspace in lanes): groups of `lanes` transforms of n numbers.
  template <class F> void in_groups(bool on_workers, std::int64_t groups, std::int64_t n, T* space, F&& f) const {
    if (!on_workers) {
      for (std::int64_t g = 0; g < groups; ++g) f(g, reinterpret_cast<V*>(space));
      return;
    }
    in_pieces(groups, 0.6 * static_cast<double>(n * lanes), [&](std::int64_t begin, std::int64_t end) {
      const HostPtr own = allocate_buffer(static_cast<std::size_t>(lane_space()) * sizeof(T));
      for (std::int64_t g = begin; g < end; ++g) f(g, static_cast<V*>(own->data()));
    });
  }

  void rows_by_long_ones(const T* middle, T* out, T* space, bool on_workers) const {
    using Number = std::complex<T>;
    T* const made = space;
    for (std::int64_t k = 0; k < a_; ++k)
      long_rows_->row(middle + 2 * k * width_, made + 2 * k * b_, space + made_parts(), on_workers);
    const auto* from = reinterpret_cast<const Number*>(made);
    auto* to = reinterpret_cast<Number*>(out);
    constexpr std::int64_t side = 16;
    pieces(on_workers, rounded_up(b_, side) / side, 2.0 * static_cast<double>(a_ * side),
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t k = 0; k < a_; k += side)
               for (std::int64_t j = begin * side; j < std::min(b_, end * side); ++j)
                 for (std::int64_t i = k; i < std::min(a_, k + side); ++i) to[j * a_ + i] = from[i * b_ + j];
           });
  }

  std::int64_t a_, b_;
  std::int64_t
      width_;  // numbers from row to row of what lies between: no power of two, as their sets of a cache are few
  std::int64_t groups_;  // of columns
  LaneTransform<T> columns_;
  std::optional<LaneTransform<T>> rows_;
  const RowTransform<T>* long_rows_ = nullptr;
  std::vector<Turn> turns_;
  std::vector<std::complex<T>> shared_;
};

// The smallest length of at least n that is a product of two short ones, with little waste in lanes: 2^i times 1, 3, 5,
// 9 or 15.
std::int64_t padded_length(std::int64_t n) {
  std::int64_t best = 256;
  while (best < n) best *= 2;
  for (std::int64_t odd : {3, 5, 9, 15}) {
    std::int64_t length = 64 * odd;
    while (length < n) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

/// Of any length, as a convolution: with c[k] the root of unity k^2 / 2n, number k of the transform is c[k] times the
/// sum of x[j] c[j] / c[k - j].
template <class T> class ChirpTransform : public RowTransform<T> {
 public:
  ChirpTransform(bool inverse, std::int64_t n)
      : n_(n),
        m_(padded_length(2 * n - 1)),
        forward_(RowTransform<T>::of(false, m_)),
        backward_(RowTransform<T>::of(true, m_)),
        chirp_(static_cast<std::size_t>(n)),
        kernel_(static_cast<std::size_t>(m_)) {
    using Exact = std::complex<double>;
    std::vector<Exact> filter(kernel_.size()), spectrum(kernel_.size());
    for (std::int64_t k = 0; k < n; ++k) {
      const auto square =
          static_cast<std::int64_t>(static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) %
                                    static_cast<unsigned __int128>(2 * n));
      chirp_[static_cast<std::size_t>(k)] = root_of_unity<T>(square, 2 * n, inverse);
      const Exact w = root_of_unity<double>(square, 2 * n, !inverse) / static_cast<double>(m_);
      filter[static_cast<std::size_t>(k)] = filter[static_cast<std::size_t>(k == 0 ? 0 : m_ - k)] = w;
    }
    const auto& exact = RowTransform<double>::of(false, m_);
    const HostPtr space = allocate_buffer(static_cast<std::size_t>(exact.workspace()) * sizeof(double));
    exact.row(reinterpret_cast<const double*>(filter.data()), reinterpret_cast<double*>(spectrum.data()),
              static_cast<double*>(space->data()), true);
    std::copy(spectrum.begin(), spectrum.end(), kernel_.begin());
  }

  std::int64_t workspace() const override { return 4 * m_ + std::max(forward_.workspace(), backward_.workspace()); }

  void row(const T* in, T* out, T* workspace, bool on_workers) const override {
    T *const x = workspace, *const y = x + 2 * m_, *const space = y + 2 * m_;
    auto multiply = [&](std::int64_t n, const T* from, const std::vector<std::complex<T>>& by, T* to) {
      pieces(on_workers, n, 1, [&](std::int64_t begin, std::int64_t end) {
        multiply_complex(end - begin, from + 2 * begin, reinterpret_cast<const T*>(by.data() + begin), to + 2 * begin);
      });
    };
    multiply(n_, in, chirp_, x);
    std::fill(x + 2 * n_, x + 2 * m_, T(0));
    forward_.row(x, y, space, on_workers);
    multiply(m_, y, kernel_, y);
    backward_.row(y, x, space, on_workers);
    multiply(n_, x, chirp_, out);
  }

 private:
  std::int64_t n_, m_;
  const RowTransform<T>&forward_, &backward_;
  std::vector<std::complex<T>> chirp_, kernel_;
};

template <class T> std::unique_ptr<const RowTransform<T>> make_transform(bool inverse, std::int64_t n) {
  if (const Split split = best_split(n, LaneTransform<T>::lanes); split.columns != 0)
    return std::make_unique<const ProductTransform<T>>(inverse, split);
  if (const auto split = long_split(n); split && n > 2048 * 2048)
    return std::make_unique<const ProductTransform<T>>(inverse, *split);
  return std::make_unique<const ChirpTransform<T>>(inverse, n);
}

}  // namespace

template <class T> const RowTransform<T>& RowTransform<T>::of(bool inverse, std::int64_t n) {
  static std::shared_mutex mutex;
  // Never destroyed: there are as many as lengths in the program, and threads may use them at its end.
  static auto& made = *new std::map<std::pair<bool, std::int64_t>, std::unique_ptr<const RowTransform<T>>>;
  const std::pair key{inverse, n};
  {
    std::shared_lock lock(mutex);
    if (auto at = made.find(key); at != made.end()) return *at->second;
  }
  auto fresh = make_transform<T>(inverse, n);  // asks for others: not under the lock
  std::unique_lock lock(mutex);
  auto& kept = made[key];
  if (!kept) kept = std::move(fresh);
  return *kept;
}

template class RowTransform<float>;
template class RowTransform<double>;

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
