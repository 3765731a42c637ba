#include "ops/fft/transform.hpp"

#include <fftw3.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "base/tasks.hpp"

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

struct Sides {
  std::int64_t in, out;  // elements of one transform, in parts of complex numbers
};
Sides sides(FftType type, const Shape& lengths) {
  const std::int64_t real = lengths.num_elements();
  const std::int64_t half = lengths.back() ? real / lengths.back() * (lengths.back() / 2 + 1) * 2 : 0;
  if (type == FftType::rfft) return {real, half};
  if (type == FftType::irfft) return {half, real};
  return {2 * real, 2 * real};
}

std::shared_mutex& plan_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

using Key = std::pair<FftType, std::vector<std::int64_t>>;

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
template <class T> typename Fftw<T>::Plan plan_of(FftType type, const Shape& lengths) {
  using F = Fftw<T>;
  using Plan = typename F::Plan;
  static std::shared_mutex& mutex = plan_mutex();  // one for both precisions
  // Never given back, at the end of the process neither: there are as many as shapes in the program, and threads may
  // still use them.
  static std::map<Key, Plan>& plans = *new std::map<Key, Plan>;
  const Key key{type, lengths.dims()};
  {
    std::shared_lock lock(mutex);
    if (auto at = plans.find(key); at != plans.end()) return at->second;
  }
  std::unique_lock lock(mutex);
  Plan& plan = plans[key];
  if (plan) return plan;
  const std::vector<int> n(lengths.begin(), lengths.end());
  const auto [from, to] = sides(type, lengths);
  const Scratch<T> in(from), out(to);
  auto* complex_in = reinterpret_cast<typename Fftw<T>::Complex*>(in.data());
  auto* complex_out = reinterpret_cast<typename Fftw<T>::Complex*>(out.data());
  const int rank = lengths.ndim();
  if (type == FftType::rfft)
    plan = F::plan_r2c(rank, n.data(), in.data(), complex_out, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  else if (type == FftType::irfft)
    plan = F::plan_c2r(rank, n.data(), complex_in, out.data(),
                       rank == 1 ? FFTW_ESTIMATE | FFTW_PRESERVE_INPUT : FFTW_ESTIMATE);
  else
    plan = F::plan_c2c(rank, n.data(), complex_in, complex_out, type == FftType::fft ? FFTW_FORWARD : FFTW_BACKWARD,
                       FFTW_ESTIMATE);
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

}  // namespace

template <class T> void transform(FftType type, const Shape& lengths, std::int64_t count, const T* in, T* out) {
  const auto [from, to] = sides(type, lengths);
  if (count == 0 || to == 0) return;
  auto* source = const_cast<T*>(in);  // FFTW takes no const, and keeps it where it was asked to
  const typename Fftw<T>::Plan plan = plan_of<T>(type, lengths);
  // A complex to real transform of several dims overwrites its input.
  const bool overwrites = type == FftType::irfft && lengths.ndim() > 1;
  in_pieces(count, 2.0 * static_cast<double>(from + to), [&](std::int64_t begin, std::int64_t end) {
    std::optional<Scratch<T>> input, output;
    for (std::int64_t k = begin; k < end; ++k) {
      T *x = source + k * from, *y = out + k * to;
      if (overwrites || !is_aligned(x)) {
        if (!input) input.emplace(from);
        x = std::copy_n(x, from, input->data()) - from;
      }
      if (!is_aligned(y) && !output) output.emplace(to);
      T* made = is_aligned(y) ? y : output->data();
      run(type, plan, x, made);
      if (made != y) std::copy_n(made, to, y);
    }
  });
}

template void transform(FftType, const Shape&, std::int64_t, const float*, float*);
template void transform(FftType, const Shape&, std::int64_t, const double*, double*);

}  // namespace tutti::ops
