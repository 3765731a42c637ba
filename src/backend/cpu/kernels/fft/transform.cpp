#include "backend/cpu/kernels/fft/transform.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "backend/cpu/kernels/fft/lanes.hpp"
#include "backend/cpu/kernels/fft/long.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"

namespace tutti::kernels {
namespace {

using lax::FftType;

// Parts of complex numbers that one transform of a row reads and writes.
struct Sides {
  std::int64_t in, out;
};
Sides sides(FftType type, std::int64_t n) {
  const std::int64_t half = (n / 2 + 1) * 2;
  if (type == FftType::rfft) return {n, half};
  if (type == FftType::irfft) return {half, n};
  return {2 * n, 2 * n};
}

/// Workspace of elements T, recycled by the arena.
template <class T> class Scratch {
 public:
  explicit Scratch(std::int64_t parts) : block_(allocate_buffer(static_cast<std::size_t>(parts) * sizeof(T))) {}
  T* data() const { return static_cast<T*>(block_->data()); }

 private:
  HostPtr block_;
};

constexpr std::int64_t kLongestInLanes = 2048;  // rows whose vectors fit the second-level cache
// Parts of n complex numbers, in whole lines of the cache.
std::int64_t whole_lines(std::int64_t n) { return (n + 7) / 8 * 16; }

/// How rows of one type and length are transformed: several at a time in lanes, or each as a product of two lengths or
/// a convolution; of an even number of real numbers by half as many complex ones.
template <class T> struct Method {
  std::optional<LaneTransform<T>> lanes;
  const RowTransform<T>* row = nullptr;
  std::int64_t half = 0;               // of an even real row
  std::vector<std::complex<T>> split;  // its roots of unity

  Method(FftType type, std::int64_t n) {
    const std::int64_t transformed = is_real(type) && n % 2 == 0 ? n / 2 : n;
    if (n <= kLongestInLanes && LaneTransform<T>::takes(transformed)) {
      lanes.emplace(type, n);
      return;
    }
    row = &RowTransform<T>::of(is_inverse(type), transformed);
    if (!is_real(type) || n % 2 != 0) return;
    half = transformed;
    for (std::int64_t k = 0; 2 * k <= half; ++k) split.push_back(root_of_unity<T>(k, n, false));
  }

  static const Method& of(FftType type, std::int64_t n);
};

template <class T> const Method<T>& Method<T>::of(FftType type, std::int64_t n) {
  static std::shared_mutex mutex;
  // Never destroyed: there are as many as shapes in the program, and threads may use them at its end.
  static auto& made = *new std::map<std::pair<FftType, std::int64_t>, std::unique_ptr<const Method>>;
  const std::pair key{type, n};
  {
    std::shared_lock lock(mutex);
    if (auto at = made.find(key); at != made.end()) return *at->second;
  }
  auto fresh = std::make_unique<const Method>(type, n);
  std::unique_lock lock(mutex);
  auto& kept = made[key];
  if (!kept) kept = std::move(fresh);
  return *kept;
}

// Calls f(k, workspace) for groups of rows or lines, as many as there are lanes, on the workers.
template <class T, class F> void in_lanes(const LaneTransform<T>& transform, std::int64_t groups, F&& f) {
  using V = typename LaneTransform<T>::V;
  const auto n = static_cast<double>(transform.numbers());
  const double group_ns = 0.2 * n * std::log2(2 * n) * LaneTransform<T>::lanes;  // 1.2 to 2.4 ns a number
  in_pieces(groups, group_ns, [&](std::int64_t begin, std::int64_t end) {
    const Scratch<T> space(transform.workspace() * LaneTransform<T>::lanes);
    for (std::int64_t k = begin; k < end; ++k) f(k, reinterpret_cast<V*>(space.data()));
  });
}

// The numbers of a real row that do not have a partner at `half` - k: the first and, of an even `half`, the middle one.
template <class T> void split_ends(bool back, std::int64_t half, T* z) {
  if (back) {
    const T first = z[0], last = z[2 * half];
    z[0] = first + last;
    z[1] = first - last;
  } else {
    const T re = z[0], im = z[1];
    z[0] = re + im;
    z[2 * half] = re - im;
    z[1] = z[2 * half + 1] = 0;
  }
  if (half % 2 != 0) return;
  const T by = back ? T(2) : T(1);
  z[half] *= by;
  z[half + 1] *= -by;
}
template <class T> void split_row(const Method<T>& m, bool back, T* z, bool on_workers) {
  split_ends(back, m.half, z);
  const std::int64_t pairs = (m.half - 1) / 2;
  auto part = [&](std::int64_t begin, std::int64_t end) {
    split_halves(back, m.half, m.split.data(), z, begin + 1, end + 1);
  };
  if (on_workers)
    in_pieces(pairs, 1, part);
  else
    part(0, pairs);
}

// One row that is not transformed in lanes. `space`: what RowTransform takes, and before it two rows of complex
// numbers.
template <class T>
void transform_row(const Method<T>& m, FftType type, std::int64_t n, const T* in, T* out, T* space, bool on_workers) {
  T *const x = space, *const y = x + whole_lines(n), *const rest = y + whole_lines(n);
  const std::int64_t numbers = n / 2 + 1;  // of half a row
  if (type == FftType::fft || type == FftType::ifft) return m.row->row(in, out, space, on_workers);
  if (type == FftType::rfft && m.half != 0) {
    m.row->row(in, out, space, on_workers);
    split_row(m, false, out, on_workers);
  } else if (type == FftType::rfft) {
    for (std::int64_t k = 0; k < n; ++k) {
      x[2 * k] = in[k];
      x[2 * k + 1] = 0;
    }
    m.row->row(x, y, rest, on_workers);
    std::copy_n(y, 2 * numbers, out);
  } else if (m.half != 0) {
    std::copy_n(in, 2 * numbers, x);
    split_row(m, true, x, on_workers);
    m.row->row(x, out, rest, on_workers);
  } else {
    std::copy_n(in, 2 * numbers, x);
    x[1] = 0;
    for (std::int64_t k = 1; k < numbers; ++k) {
      x[2 * (n - k)] = in[2 * k];
      x[2 * (n - k) + 1] = -in[2 * k + 1];
    }
    m.row->row(x, y, rest, on_workers);
    for (std::int64_t k = 0; k < n; ++k) out[k] = y[2 * k];
  }
}

// Rows that are in order, from `in` to `out`, times `scale`.
template <class T> void transform_rows(FftType type, std::int64_t n, std::int64_t rows, const T* in, T* out, T scale) {
  const auto [from, to] = sides(type, n);
  const Method<T>& m = Method<T>::of(type, n);
  if (m.lanes) {
    constexpr std::int64_t lanes = LaneTransform<T>::lanes;
    return in_lanes(*m.lanes, (rows + lanes - 1) / lanes, [&, from = from, to = to](std::int64_t k, auto* space) {
      m.lanes->rows(in + k * lanes * from, std::min(lanes, rows - k * lanes), out + k * lanes * to, scale, space);
    });
  }
  // A few long rows are shared among the workers one by one, others are dealt out whole.
  const bool on_workers = n >= 1 << 18 || (rows < 16 && n >= 1 << 14);
  auto some = [&, from = from, to = to](std::int64_t begin, std::int64_t end) {
    const Scratch<T> space(2 * whole_lines(n) + m.row->workspace());
    for (std::int64_t k = begin; k < end; ++k) {
      T* const made = out + k * to;
      transform_row(m, type, n, in + k * from, made, space.data(), on_workers);
      if (scale != T(1)) std::transform(made, made + to, made, [&](T x) { return x * scale; });
    }
  };
  if (on_workers)
    some(0, rows);
  else
    in_pieces(rows, 2.0 * static_cast<double>(from + to), some);
}

// The lines of n complex numbers along the middle one of three dims, times `scale`, from `from` to `to`, which may be
// the same: some that are side by side at a time, so that whole lines of the cache come and go.
template <class T>
void transform_lines(FftType type, std::int64_t outer, std::int64_t n, std::int64_t inner, const T* from, T* to,
                     T scale) {
  const Method<T>& m = Method<T>::of(type, n);
  if (m.lanes) {
    constexpr std::int64_t lanes = LaneTransform<T>::lanes;
    const std::int64_t groups = (inner + lanes - 1) / lanes;
    return in_lanes(*m.lanes, outer * groups, [&](std::int64_t k, auto* space) {
      const std::int64_t first = k % groups * lanes;
      const std::int64_t at = 2 * (k / groups * n * inner + first);
      m.lanes->lines(from + at, std::min(lanes, inner - first), inner, to + at, scale, space);
    });
  }
  const std::int64_t together = n <= 16384 ? 16 : 2;  // what is side by side fits the second-level cache
  const std::int64_t blocks = (inner + together - 1) / together,
                     row = (n / 8 + 1) * 8;  // no power of two, as their sets of a cache are few
  const auto* const numbers = reinterpret_cast<const std::complex<T>*>(from);
  auto* const results = reinterpret_cast<std::complex<T>*>(to);
  in_pieces(outer * blocks, 8.0 * static_cast<double>(n * together), [&](std::int64_t begin, std::int64_t end) {
    const Scratch<T> before(2 * row * together), after(2 * row * together), space(m.row->workspace());
    auto* const in = reinterpret_cast<std::complex<T>*>(before.data());
    auto* const made = reinterpret_cast<std::complex<T>*>(after.data());
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t first = k % blocks * together, lines = std::min(together, inner - first);
      const std::complex<T>* const at = numbers + k / blocks * n * inner + first;
      std::complex<T>* const result = results + k / blocks * n * inner + first;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < lines; ++j) in[j * row + i] = at[i * inner + j];
      for (std::int64_t j = 0; j < lines; ++j)
        m.row->row(before.data() + 2 * j * row, after.data() + 2 * j * row, space.data(), false);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < lines; ++j) result[i * inner + j] = made[j * row + i] * scale;
    }
  });
}

// All dims of the transforms but the last, of complex numbers from `from` to `to`, which may be the same, times
// `scale`; `row` of them lie along the last dim.
template <class T>
void transform_columns(FftType type, const Shape& lengths, std::int64_t count, std::int64_t row, const T* from, T* to,
                       T scale) {
  std::int64_t inner = row, outer = count;
  for (int d = 0; d + 1 < lengths.ndim(); ++d) outer *= lengths[d];
  for (int d = lengths.ndim() - 1; d-- > 0; inner *= lengths[d]) {
    outer /= lengths[d];
    transform_lines<T>(type, outer, lengths[d], inner, from, to, d == 0 ? scale : T(1));
    from = to;
  }
}

}  // namespace

template <class T> void transform(FftType type, const Shape& lengths, std::int64_t count, const T* in, T* out) {
  const std::int64_t n = lengths.back();
  const std::int64_t rows = count * (lengths.num_elements() / n);
  if (rows == 0) return;
  const auto [from, to] = sides(type, n);
  const T scale = is_inverse(type) ? 1 / static_cast<T>(lengths.num_elements()) : T(1);
  if (lengths.ndim() == 1) return transform_rows(type, n, rows, in, out, scale);
  if (type == FftType::irfft) {
    const Scratch<T> halves(rows * from);
    transform_columns(FftType::ifft, lengths, count, from / 2, in, halves.data(), T(1));
    return transform_rows<T>(type, n, rows, halves.data(), out, scale);
  }
  transform_rows(type, n, rows, in, out, T(1));
  transform_columns(type == FftType::rfft ? FftType::fft : type, lengths, count, to / 2, out, out, scale);
}

template void transform(FftType, const Shape&, std::int64_t, const float*, float*);
template void transform(FftType, const Shape&, std::int64_t, const double*, double*);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
