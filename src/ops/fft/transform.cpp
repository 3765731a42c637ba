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

struct Sides {
  std::int64_t in, out;  // elements of one transform, in floats
};
Sides sides(FftType type, const Shape& lengths) {
  const std::int64_t real = lengths.num_elements();
  const std::int64_t half = lengths.back() ? real / lengths.back() * (lengths.back() / 2 + 1) * 2 : 0;
  if (type == FftType::rfft) return {real, half};
  if (type == FftType::irfft) return {half, real};
  return {2 * real, 2 * real};
}

using Key = std::pair<FftType, std::vector<std::int64_t>>;

/// Memory as FFTW's vector instructions want it.
class Scratch {
 public:
  explicit Scratch(std::int64_t floats) : data_(fftwf_alloc_real(static_cast<std::size_t>(floats))) {
    if (!data_) throw std::bad_alloc();
  }
  float* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { fftwf_free(p); }
  };
  std::unique_ptr<float, Free> data_;
};

// FFTW_ESTIMATE looks at no data and no clock: the same plan each time, so the same bits. One transform at a time, for
// the same reason: plans for many of them add in another order. Making plans is the one thing in FFTW that is not
// thread-safe.
fftwf_plan plan_of(FftType type, const Shape& lengths) {
  static std::shared_mutex mutex;
  // Never given back, at the end of the process neither: there are as many as shapes in the program, and threads may
  // still use them.
  static std::map<Key, fftwf_plan>& plans = *new std::map<Key, fftwf_plan>;
  const Key key{type, lengths.dims()};
  {
    std::shared_lock lock(mutex);
    if (auto at = plans.find(key); at != plans.end()) return at->second;
  }
  std::unique_lock lock(mutex);
  fftwf_plan& plan = plans[key];
  if (plan) return plan;
  const std::vector<int> n(lengths.begin(), lengths.end());
  const auto [from, to] = sides(type, lengths);
  const Scratch in(from), out(to);
  auto* complex_in = reinterpret_cast<fftwf_complex*>(in.data());
  auto* complex_out = reinterpret_cast<fftwf_complex*>(out.data());
  const int rank = lengths.ndim();
  if (type == FftType::rfft)
    plan = fftwf_plan_dft_r2c(rank, n.data(), in.data(), complex_out, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  else if (type == FftType::irfft)
    plan = fftwf_plan_dft_c2r(rank, n.data(), complex_in, out.data(),
                              rank == 1 ? FFTW_ESTIMATE | FFTW_PRESERVE_INPUT : FFTW_ESTIMATE);
  else
    plan = fftwf_plan_dft(rank, n.data(), complex_in, complex_out, type == FftType::fft ? FFTW_FORWARD : FFTW_BACKWARD,
                          FFTW_ESTIMATE);
  if (!plan) {
    plans.erase(key);
    throw std::bad_alloc();
  }
  return plan;
}

bool is_aligned(const float* p) { return fftwf_alignment_of(const_cast<float*>(p)) == 0; }

void run(FftType type, fftwf_plan plan, float* in, float* out) {
  auto* complex_in = reinterpret_cast<fftwf_complex*>(in);
  auto* complex_out = reinterpret_cast<fftwf_complex*>(out);
  if (type == FftType::rfft)
    fftwf_execute_dft_r2c(plan, in, complex_out);
  else if (type == FftType::irfft)
    fftwf_execute_dft_c2r(plan, complex_in, out);
  else
    fftwf_execute_dft(plan, complex_in, complex_out);
}

}  // namespace

void transform(FftType type, const Shape& lengths, std::int64_t count, const void* in, void* out) {
  const auto [from, to] = sides(type, lengths);
  if (count == 0 || to == 0) return;
  auto* source = static_cast<float*>(const_cast<void*>(in));  // FFTW takes no const, and keeps it where it was asked to
  auto* target = static_cast<float*>(out);
  const fftwf_plan plan = plan_of(type, lengths);
  // A complex to real transform of several dims overwrites its input.
  const bool overwrites = type == FftType::irfft && lengths.ndim() > 1;
  in_pieces(count, 2.0 * static_cast<double>(from + to), [&](std::int64_t begin, std::int64_t end) {
    std::optional<Scratch> input, output;
    for (std::int64_t k = begin; k < end; ++k) {
      float *x = source + k * from, *y = target + k * to;
      if (overwrites || !is_aligned(x)) {
        if (!input) input.emplace(from);
        x = std::copy_n(x, from, input->data()) - from;
      }
      if (!is_aligned(y) && !output) output.emplace(to);
      float* made = is_aligned(y) ? y : output->data();
      run(type, plan, x, made);
      if (made != y) std::copy_n(made, to, y);
    }
  });
}

}  // namespace tutti::ops
