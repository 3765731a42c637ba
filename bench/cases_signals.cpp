// Complex numbers in and outside of loops, overlapping frames of a signal, spectral methods, and least squares:
// programs of signal processing, fluids and vision.
#include <tutti/tutti.hpp>

#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "case.hpp"

namespace bench {
namespace {

// --- complex numbers

struct Numbers {
  Array z{}, w{};
};
Numbers numbers_of(const Setup& s, std::int64_t n, DType part, PartitionSpec spec) {
  const Array re = s.normal({n}, spec).astype(part), im = device_put(random::normal(random::key(1), {n}), s.at(spec));
  return {lax::complex(re, im.astype(part)), lax::complex(im.astype(part), re)};
}

// A batch of calls under x64, whose arguments are made under it, too.
template <class Make> Batch under_x64(Make make) {
  enable_x64(true);
  auto call = make();
  enable_x64(false);
  return repeat([=] {
    enable_x64(true);
    auto results = call();
    enable_x64(false);
    return results;
  });
}

using Binary = Array (*)(const Array&, const Array&);
Case complex_case(std::string name, Binary f, std::int64_t n) {
  return {std::move(name), [=](const Setup& s) {
            return repeat([g = jit(f), x = numbers_of(s, n, float32, P(axes("x", "y")))] { return g(x.z, x.w); });
          }};
}
Case complex128_case(std::string name, Binary f, std::int64_t n) {
  return {std::move(name), [=](const Setup& s) {
            return under_x64(
                [&] { return [g = jit(f), x = numbers_of(s, n, float64, P(axes("x", "y")))] { return g(x.z, x.w); }; });
          }};
}

Array quotient(const Array& z, const Array& w) { return z / w; }
Array chosen(const Array& z, const Array& w) { return where(real(z) > 0, z, w); }
Array negative(const Array& z, const Array&) { return -z; }
Array inverse(const Array& z, const Array&) { return reciprocal(z); }
// A carry that is real, as in a solver that transforms forth and back.
Array complex_steps(const Array& z, const Array& w) {
  auto step = [&](const Array&, const Array& x) {
    const Array y = lax::complex(x, imag(z));
    return real(where(x > 0, -y / w, conj(y) / (abs(y) + 1)));
  };
  return lax::fori_loop(0, 20, step, real(z));
}

// --- frames of a signal

constexpr std::int64_t kHop = 128, kWindow = 512;

Array frame_places(std::int64_t frames) {
  return expand_dims(arange(frames), 1) * static_cast<int>(kHop) + arange(kWindow);
}
Array frames_of(const Array& x, std::int64_t frames) { return x(frame_places(frames)); }
Array overlapped(const Array& frames) {
  const std::int64_t n = frames.shape()[0];
  return zeros({(n - 1) * kHop + kWindow}).at(frame_places(n)).add(frames);
}
Array hann() {
  return 0.5f - 0.5f * cos(arange(kWindow).astype(float32) * static_cast<float>(2 * std::numbers::pi / kWindow));
}

// Phases that fit magnitudes [frames, kWindow / 2 + 1].
Array griffin_lim(const Array& magnitude) {
  const std::int64_t n = magnitude.shape()[0];
  const Array window = hann(), norm = overlapped(tile(square(window), {static_cast<int>(n), 1})) + 1e-3f;
  auto signal_of = [&](const Array& spectrum) { return overlapped(fft::irfft(spectrum) * window) / norm; };
  auto step = [&](const Array&, const Array& signal) {
    const Array spectrum = fft::rfft(frames_of(signal, n) * window);
    return signal_of(magnitude * (spectrum / (abs(spectrum) + 1e-8f)));
  };
  return lax::fori_loop(0, 20, step, signal_of(magnitude.astype(complex64)));
}

// --- Navier-Stokes in two dims, the vorticity in a periodic box: derivatives by transforms, two thirds of the waves.

struct Waves {
  Array x{}, y{}, squared{}, kept{};
};
Waves waves_of(std::int64_t n) {
  const Array kx = expand_dims(fft::fftfreq(n, 1.0 / static_cast<double>(n)), 1),
              ky = expand_dims(fft::rfftfreq(n, 1.0 / static_cast<double>(n)), 0);
  const double most = static_cast<double>(n) / 3;
  return {kx, ky, kx * kx + ky * ky, (abs(kx) < most) & (abs(ky) < most)};
}

Array vorticity_step(const Waves& k, const Array& w) {
  const std::complex<float> i(0, 1);
  const Array hat = fft::rfft2(w);
  const Array stream = where(k.squared > 0, hat / where(k.squared > 0, k.squared, 1), 0);
  const Array u = fft::irfft2(i * k.y * stream), v = fft::irfft2(-i * k.x * stream);
  const Array change = -(u * fft::irfft2(i * k.x * hat) + v * fft::irfft2(i * k.y * hat));
  const Array next = (hat + 1e-3f * where(k.kept, fft::rfft2(change), 0)) / (1 + 1e-6f * k.squared);
  return fft::irfft2(next);
}
Array vorticity_after_50(const Array& w) {
  const Waves k = waves_of(w.shape()[0]);
  return lax::fori_loop(
      0, 50, [&](const Array&, const Array& w) { return vorticity_step(k, w); }, w);
}

// A projection onto fields without divergence, by the pressure: one component of a velocity stands for both.
Array projected_50(const Array& u) {
  const Waves k = waves_of(u.shape()[0]);
  auto step = [&](const Array&, const Array& u) {
    const Array pressure = where(k.squared > 1e-6f, -fft::rfft2(u) / where(k.squared > 1e-6f, k.squared, 1), 0);
    return u - 0.01f * fft::irfft2(pressure) + 1e-3f * sin(u);
  };
  return lax::fori_loop(0, 50, step, u);
}

Case double_case(std::string name, Array (*f)(const Array&), std::int64_t n) {
  return {std::move(name), [=](const Setup& s) {
            return under_x64([&] { return [g = jit(f), x = s.normal({n, n}, P()).astype(float64)] { return g(x); }; });
          }};
}

// --- bundle adjustment by Levenberg and Marquardt

struct Scene {
  std::int64_t cameras, points;
  std::int64_t parameters() const { return 6 * cameras + 3 * points; }
};

// Where the points are seen, [cameras, points, 2]: cameras are a rotation and a shift.
Array projected(const Scene& s, const Array& p) {
  const Array cameras = p(slice(0, 6 * s.cameras)).reshape(s.cameras, 1, 6);
  const Array points = p(slice(6 * s.cameras, none)).reshape(1, s.points, 3);
  const Array turn = cameras(ellipsis, slice(0, 3)), shift = cameras(ellipsis, slice(3, 6));
  const Array angle = sqrt(sum(square(turn), -1, true) + 1e-12), axis = turn / angle;
  const Array turned =
      points * cos(angle) +
      cross(broadcast_to(axis, {s.cameras, s.points, 3}), broadcast_to(points, {s.cameras, s.points, 3})) * sin(angle) +
      axis * sum(axis * points, -1, true) * (1 - cos(angle));
  const Array seen = turned + shift;
  return seen(ellipsis, slice(0, 2)) / (seen(ellipsis, slice(2, 3)) + 5);
}

struct Fit {
  Array i{}, p{}, damping{}, cost{};
};
// The parameters that make residual(p) least.
template <class Residual> Array adjusted(const Residual& residual, const Array& start) {
  auto cost_of = [&](const Array& p) { return sum(square(residual(p))); };
  auto step = [&](const Fit& f) {
    const Array j = jacfwd(residual)(f.p), r = residual(f.p), a = matmul(j.T(), j);
    const Array damped = a + f.damping * diag(diagonal(a) + 1e-6);
    const Array p = f.p - linalg::cho_solve(linalg::cho_factor(damped), matmul(j.T(), r)), cost = cost_of(p);
    const Array better = cost < f.cost;
    return Fit{f.i + 1, where(better, p, f.p), where(better, f.damping * 0.3, f.damping * 4),
               where(better, cost, f.cost)};
  };
  auto goes_on = [](const Fit& f) { return (f.i < 30) & (f.cost > 1e-20); };
  const Array damping = full({}, 1e-3, start.dtype());
  return lax::while_loop(goes_on, step, Fit{Array(0), start, damping, cost_of(start)}).p;
}

Case bundle_case(std::string name, Scene scene) {
  return {std::move(name), [=](const Setup& s) {
            return under_x64([&] {
              const Array truth = 0.3 * s.normal({scene.parameters()}, P()).astype(float64);
              const Array off =
                  0.05 * device_put(random::normal(random::key(1), {scene.parameters()}), s.at(P())).astype(float64);
              const Array noise = 1e-3 * s.normal({scene.cameras, scene.points, 2}, P()).astype(float64);
              auto f = jit([=](const Array& start, const Array& seen) {
                return adjusted([&](const Array& p) { return (projected(scene, p) - seen).reshape(-1); }, start);
              });
              return [f, start = truth + off, seen = projected(scene, truth) + noise] { return f(start, seen); };
            });
          }};
}

// a exp(-b t) + c through so many points, in float32.
Case curve_case(std::string name, std::int64_t points) {
  auto curve = [](const Array& p, const Array& t) { return p[0] * exp(-p[1] * t) + p[2]; };
  auto fit = [=](const Array& start, const Array& t, const Array& seen) {
    return adjusted([&](const Array& p) { return curve(p, t) - seen; }, start);
  };
  auto times = [=](const Setup& s) { return device_put(linspace(0., 4., points), s.at(P())); };
  auto seen = [=](const Setup& s) {
    return curve(array({2.f, 1.3f, 0.5f}), times(s)) + 0.05f * s.normal({points}, P());
  };
  return compiled(
      std::move(name), fit, [](const Setup& s) { return device_put(ones({3}), s.at(P())); }, times, seen);
}

}  // namespace

std::vector<Case> signal_cases() {
  constexpr std::int64_t n = 1 << 20, few = 1 << 16;
  auto spectra = [](const Setup& s) { return abs(s.normal({128, kWindow / 2 + 1}, P())); };
  return {complex_case("complex_div_1M", quotient, n),
          complex_case("complex_where_1M", chosen, n),
          complex_case("complex_neg_1M", negative, n),
          complex_case("complex_reciprocal_1M", inverse, n),
          complex_case("complex_steps_64k", complex_steps, few),
          complex128_case("complex128_div_1M", quotient, n),
          complex128_case("complex128_where_1M", chosen, n),
          complex128_case("complex128_neg_1M", negative, n),
          complex128_case("complex128_reciprocal_1M", inverse, n),
          complex128_case("complex128_steps_64k", complex_steps, few),
          compiled(
              "frames_gather_128x512", [](const Array& x) { return frames_of(x, 128); }, whole({127 * kHop + kWindow})),
          compiled(
              "frames_gather_batch_16",
              [](const Array& x) { return vmap([](const Array& x) { return frames_of(x, 128); })(x); },
              rows({16, 127 * kHop + kWindow})),
          compiled("frames_scatter_add_128x512", overlapped, whole({128, kWindow})),
          compiled("frames_scatter_add_batch_16", vmap(overlapped), rows({16, 128, kWindow})),
          compiled("frames_gather_grad_128x512",
                   grad([](const Array& x) { return sum(square(frames_of(x, 128)) * arange(kWindow)); }),
                   whole({127 * kHop + kWindow})),
          compiled("griffin_lim_128", griffin_lim, spectra),
          compiled("spectral_vorticity_128_50", vorticity_after_50, whole({128, 128})),
          compiled("spectral_pressure_128_50", projected_50, whole({128, 128})),
          compiled("spectral_vorticity_64_50", vorticity_after_50, whole({64, 64})),
          compiled("spectral_vorticity_256_50", vorticity_after_50, whole({256, 256})),
          double_case("spectral_vorticity_float64_64_50", vorticity_after_50, 64),
          double_case("spectral_vorticity_float64_256_50", vorticity_after_50, 256),
          bundle_case("lm_bundle_4x24", {4, 24}),
          bundle_case("lm_bundle_3x8", {3, 8}),
          bundle_case("lm_bundle_8x60", {8, 60}),
          curve_case("lm_curve_100", 100),
          curve_case("lm_curve_10000", 10000)};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
