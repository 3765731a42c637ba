#include "ops/fft/transform.hpp"

#include <fftw3.h>

#include <algorithm>
#include <complex>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <utility>

#include "base/tasks.hpp"
#include "ops/fft/lanes.hpp"

namespace tutti::ops {
namespace {

using lax::FftType;

// FFTW's two precisions.
template <class T> struct Fftw;
template <> struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto* alloc = fftwf_alloc_real;
  static constexpr auto* free = fftwf_free;
  static constexpr auto* plan_r2c = fftwf_plan_dft_r2c;
  static constexpr auto* plan_c2r = fftwf_plan_dft_c2r;
  static constexpr auto* plan_c2c = fftwf_plan_dft;
  static constexpr auto* run_r2c = fftwf_execute_dft_r2c;
  static constexpr auto* run_c2r = fftwf_execute_dft_c2r;
  static constexpr auto* run_c2c = fftwf_execute_dft;
  static constexpr auto* alignment = fftwf_alignment_of;
};
template <> struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto* alloc = fftw_alloc_real;
  static constexpr auto* free = fftw_free;
  static constexpr auto* plan_r2c = fftw_plan_dft_r2c;
  static constexpr auto* plan_c2r = fftw_plan_dft_c2r;
  static constexpr auto* plan_c2c = fftw_plan_dft;
  static constexpr auto* run_r2c = fftw_execute_dft_r2c;
  static constexpr auto* run_c2r = fftw_execute_dft_c2r;
  static constexpr auto* run_c2c = fftw_execute_dft;
  static constexpr auto* alignment = fftw_alignment_of;
};

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

std::shared_mutex& plan_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

using Key = std::pair<FftType, std::int64_t>;

/// Memory as FFTW's vector instructions want it.
template <class T> class Scratch {
 public:
  explicit Scratch(std::int64_t parts) : data_(Fftw<T>::alloc(static_cast<std::size_t>(parts))) {
    if (!data_) throw std::bad_alloc();
  }
  T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { Fftw<T>::free(p); }
  };
  std::unique_ptr<T, Free> data_;
};

// FFTW_ESTIMATE looks at no data and no clock: the same plan each time, so the same bits. One transform at a time, for
// the same reason: plans for many of them add in another order. Making plans is the one thing in FFTW that is not
// thread-safe.
template <class T> typename Fftw<T>::Plan plan_of(FftType type, std::int64_t n) {
  using F = Fftw<T>;
  using Plan = typename F::Plan;
  static std::shared_mutex& mutex = plan_mutex();  // one for both precisions
  // Never given back, at the end of the process neither: there are as many as shapes in the program, and threads may
  // still use them.
  static std::map<Key, Plan>& plans = *new std::map<Key, Plan>;
  const Key key{type, n};
  {
    std::shared_lock lock(mutex);
    if (auto at = plans.find(key); at != plans.end()) return at->second;
  }
  std::unique_lock lock(mutex);
  Plan& plan = plans[key];
  if (plan) return plan;
  const int length = static_cast<int>(n);
  const auto [from, to] = sides(type, n);
  const Scratch<T> in(from), out(to);
  auto* complex_in = reinterpret_cast<typename Fftw<T>::Complex*>(in.data());
  auto* complex_out = reinterpret_cast<typename Fftw<T>::Complex*>(out.data());
  constexpr unsigned flags = FFTW_ESTIMATE | FFTW_PRESERVE_INPUT;
  if (type == FftType::rfft)
    plan = F::plan_r2c(1, &length, in.data(), complex_out, flags);
  else if (type == FftType::irfft)
    plan = F::plan_c2r(1, &length, complex_in, out.data(), flags);
  else
    plan = F::plan_c2c(1, &length, complex_in, complex_out, type == FftType::fft ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  if (!plan) {
    plans.erase(key);
    throw std::bad_alloc();
  }
  return plan;
}

template <class T> bool is_aligned(const T* p) { return Fftw<T>::alignment(const_cast<T*>(p)) == 0; }

template <class T> void run(FftType type, typename Fftw<T>::Plan plan, T* in, T* out) {
  auto* complex_in = reinterpret_cast<typename Fftw<T>::Complex*>(in);
  auto* complex_out = reinterpret_cast<typename Fftw<T>::Complex*>(out);
  if (type == FftType::rfft)
    Fftw<T>::run_r2c(plan, in, complex_out);
  else if (type == FftType::irfft)
    Fftw<T>::run_c2r(plan, complex_in, out);
  else
    Fftw<T>::run_c2c(plan, complex_in, complex_out);
}

// Kept for the process, as FFTW's plans.
template <class T> const LaneTransform<T>* lane_transform(FftType type, std::int64_t n) {
  if (!LaneTransform<T>::takes(type, n)) return nullptr;
  static std::shared_mutex mutex;
  static auto& made = *new std::map<Key, std::unique_ptr<const LaneTransform<T>>>;
  const Key key{type, n};
  {
    std::shared_lock lock(mutex);
    if (auto at = made.find(key); at != made.end()) return at->second.get();
  }
  std::unique_lock lock(mutex);
  auto& transform = made[key];
  if (!transform) transform = std::make_unique<const LaneTransform<T>>(type, n);
  return transform.get();
}

// Workspace of a lane transform.
template <class T> class Vectors {
  using V = typename LaneTransform<T>::V;
  struct alignas(64) Line {
    T parts[LaneTransform<T>::lanes];
  };

 public:
  explicit Vectors(std::int64_t count)
      : lines_(std::make_unique_for_overwrite<Line[]>(static_cast<std::size_t>(count))) {}
  V* data() const { return reinterpret_cast<V*>(lines_.get()); }

 private:
  std::unique_ptr<Line[]> lines_;
};

// Calls f(first, count, workspace) for groups of rows or lines, as many as there are lanes, on the workers.
template <class T, class F>
void in_lanes(const LaneTransform<T>& transform, std::int64_t n, std::int64_t groups, F&& f) {
  in_pieces(groups, 0.4 * static_cast<double>(n * LaneTransform<T>::lanes), [&](std::int64_t begin, std::int64_t end) {
    const Vectors<T> space(transform.workspace());
    for (std::int64_t k = begin; k < end; ++k) f(k, space.data());
  });
}

// Rows that lie in order, from `in` to `out`.
template <class T> void transform_rows(FftType type, std::int64_t n, std::int64_t rows, const T* in, T* out) {
  const auto [from, to] = sides(type, n);
  if (const auto* lanes = lane_transform<T>(type, n)) {
    constexpr std::int64_t count = LaneTransform<T>::lanes;
    return in_lanes(*lanes, n, (rows + count - 1) / count, [&, from = from, to = to](std::int64_t k, auto* space) {
      lanes->rows(in + k * count * from, std::min(count, rows - k * count), out + k * count * to, space);
    });
  }
  auto* source = const_cast<T*>(in);  // FFTW takes no const, and keeps it where it was asked to
  const typename Fftw<T>::Plan plan = plan_of<T>(type, n);
  in_pieces(rows, 2.0 * static_cast<double>(from + to),
            [&, from = from, to = to](std::int64_t begin, std::int64_t end) {
              std::unique_ptr<Scratch<T>> input, output;
              for (std::int64_t k = begin; k < end; ++k) {
                T *x = source + k * from, *y = out + k * to;
                if (!is_aligned(x)) {
                  if (!input) input = std::make_unique<Scratch<T>>(from);
                  x = std::copy_n(x, from, input->data()) - from;
                }
                if (!is_aligned(y) && !output) output = std::make_unique<Scratch<T>>(to);
                T* made = is_aligned(y) ? y : output->data();
                run(type, plan, x, made);
                if (made != y) std::copy_n(made, to, y);
              }
            });
}

// The lines of n complex numbers along the middle one of three dims, in place: some that lie side by side at a time, so
// that whole lines of the cache come and go.
template <class T> void transform_lines(FftType type, std::int64_t outer, std::int64_t n, std::int64_t inner, T* data) {
  if (const auto* lanes = lane_transform<T>(type, n)) {
    constexpr std::int64_t count = LaneTransform<T>::lanes;
    const std::int64_t groups = (inner + count - 1) / count;
    return in_lanes(*lanes, n, outer * groups, [&](std::int64_t k, auto* space) {
      const std::int64_t first = k % groups * count;
      lanes->lines(data + 2 * (k / groups * n * inner + first), std::min(count, inner - first), inner, space);
    });
  }
  const std::int64_t together = n <= 16384 ? 16 : 2;  // what lies side by side fits the second-level cache
  const std::int64_t blocks = (inner + together - 1) / together,
                     row = (n / 8 + 1) * 8;  // never a power of two: aliasing
  const typename Fftw<T>::Plan plan = plan_of<T>(type, n);
  auto* const numbers = reinterpret_cast<std::complex<T>*>(data);
  in_pieces(outer * blocks, 8.0 * static_cast<double>(n * together), [&](std::int64_t begin, std::int64_t end) {
    const Scratch<T> before(2 * row * together), after(2 * row * together);
    auto* const in = reinterpret_cast<std::complex<T>*>(before.data());
    auto* const made = reinterpret_cast<std::complex<T>*>(after.data());
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t first = k % blocks * together, lines = std::min(together, inner - first);
      std::complex<T>* const at = numbers + k / blocks * n * inner + first;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < lines; ++j) in[j * row + i] = at[i * inner + j];
      for (std::int64_t j = 0; j < lines; ++j) run(type, plan, before.data() + 2 * j * row, after.data() + 2 * j * row);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < lines; ++j) at[i * inner + j] = made[j * row + i];
    }
  });
}

// All dims of the transforms but the last, of complex numbers in place; `row` of them lie along the last dim.
template <class T>
void transform_columns(FftType type, const Shape& lengths, std::int64_t count, std::int64_t row, T* data) {
  std::int64_t inner = row, outer = count;
  for (int d = 0; d + 1 < lengths.ndim(); ++d) outer *= lengths[d];
  for (int d = lengths.ndim() - 1; d-- > 0; inner *= lengths[d]) {
    outer /= lengths[d];
    transform_lines(type, outer, lengths[d], inner, data);
  }
}

}  // namespace

template <class T> void transform(FftType type, const Shape& lengths, std::int64_t count, const T* in, T* out) {
  const std::int64_t n = lengths.back();
  const std::int64_t rows = count * (lengths.num_elements() / n);
  if (rows == 0) return;
  const auto [from, to] = sides(type, n);
  if (type == FftType::irfft) {
    if (lengths.ndim() == 1) return transform_rows(type, n, rows, in, out);
    const Scratch<T> halves(rows * from);
    std::copy_n(in, rows * from, halves.data());
    transform_columns(FftType::ifft, lengths, count, from / 2, halves.data());
    return transform_rows<T>(type, n, rows, halves.data(), out);
  }
  transform_rows(type, n, rows, in, out);
  transform_columns(type == FftType::rfft ? FftType::fft : type, lengths, count, to / 2, out);
}

template void transform(FftType, const Shape&, std::int64_t, const float*, float*);
template void transform(FftType, const Shape&, std::int64_t, const double*, double*);

}  // namespace tutti::ops
