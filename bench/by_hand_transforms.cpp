// What FFTW does, with plans that it has measured, on all threads.
#include <fftw3.h>

#include <complex>
#include <stdexcept>
#include <vector>

#include "by_hand.hpp"

namespace bench {
namespace {

// Given back when no case has it any more. Making plans is the one thing in FFTW that only one thread may do.
using Plan = std::shared_ptr<fftwf_plan_s>;
Plan kept(fftwf_plan plan) {
  if (!plan) throw std::runtime_error("FFTW has no plan");
  return {plan, fftwf_destroy_plan};
}
using Complex = std::complex<float>;
fftwf_complex* numbers(Complex* x) { return reinterpret_cast<fftwf_complex*>(x); }
std::int64_t length(Range r) { return r.last - r.first; }

void check_parts(const std::string& name, const Block<Complex>& got, std::int64_t n, const Array& want) {
  std::vector<float> re, im;
  for (std::int64_t i = 0; i < n; ++i) {
    re.push_back(got[i].real());
    im.push_back(got[i].imag());
  }
  check_same(name, re, real(want), 1e-5);
  check_same(name, im, imag(want), 1e-5);
}

// Each thread's rows, then each thread's columns.
Case two_dims() {
  return by_hand("fft2_1024", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1024;
    const int size = static_cast<int>(n);
    const Array given = s.normal({n, n}, P()).astype(complex64);
    const Block<Complex> x = block<Complex>(n * n), to[2] = {block<Complex>(n * n), block<Complex>(n * n)};
    std::vector<Plan> rows, columns;
    for (int i = 0; i < threads(); ++i) {
      const Range r = share(n, i);
      const int many = static_cast<int>(length(r));
      rows.push_back(kept(fftwf_plan_many_dft(1, &size, many, numbers(x.get() + r.first * n), nullptr, 1, size,
                                              numbers(to[0].get() + r.first * n), nullptr, 1, size, FFTW_FORWARD,
                                              FFTW_MEASURE | FFTW_PRESERVE_INPUT)));
      fftwf_complex* const at = numbers(to[0].get() + r.first);
      columns.push_back(kept(
          fftwf_plan_many_dft(1, &size, many, at, nullptr, size, 1, at, nullptr, size, 1, FFTW_FORWARD, FFTW_MEASURE)));
    }
    const auto values = given.to_vector<Complex>();
    std::copy(values.begin(), values.end(), x.get());
    auto once = [=](int k) {
      on_all_threads([&](int i) {
        const std::int64_t first = share(n, i).first * n;
        fftwf_execute_dft(rows[static_cast<std::size_t>(i)].get(), numbers(x.get() + first),
                          numbers(to[k].get() + first));
      });
      on_all_threads([&](int i) {
        fftwf_complex* const at = numbers(to[k].get() + share(n, i).first);
        fftwf_execute_dft(columns[static_cast<std::size_t>(i)].get(), at, at);
      });
    };
    once(0);
    check_parts("fft2_1024", to[0], n * n, fft::fft2(given));
    return once;
  });
}

Case real_rows() {
  return by_hand("rfft_4096x1024", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t count = 4096, n = 1024, half = n / 2 + 1;
    const int size = static_cast<int>(n), out = static_cast<int>(half);
    const Array given = s.normal({count, n}, P());
    const Block<float> x = block<float>(count * n);
    const Block<Complex> to[2] = {block<Complex>(count * half), block<Complex>(count * half)};
    std::vector<Plan> plans;
    for (int i = 0; i < threads(); ++i) {
      const Range r = share(count, i);
      plans.push_back(kept(fftwf_plan_many_dft_r2c(1, &size, static_cast<int>(length(r)), x.get() + r.first * n,
                                                   nullptr, 1, size, numbers(to[0].get() + r.first * half), nullptr, 1,
                                                   out, FFTW_MEASURE | FFTW_PRESERVE_INPUT)));
    }
    const auto values = given.to_vector<float>();
    std::copy(values.begin(), values.end(), x.get());
    auto once = [=](int k) {
      on_all_threads([&](int i) {
        const std::int64_t first = share(count, i).first;
        fftwf_execute_dft_r2c(plans[static_cast<std::size_t>(i)].get(), x.get() + first * n,
                              numbers(to[k].get() + first * half));
      });
    };
    once(0);
    check_parts("rfft_4096x1024", to[0], count * half, fft::rfft(given));
    return once;
  });
}

}  // namespace

std::vector<Case> transforms_by_hand() { return {two_dims(), real_rows()}; }

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
