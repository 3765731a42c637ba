// Transforms of segments and back. Source: jax.scipy.signal.
#include <algorithm>
#include <string>

#include "scipy/trends.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/statistics.hpp"
#include "tutti/scipy/signal.hpp"

namespace tutti::signal {
namespace {

Array zeros_behind(const Array& x, std::int64_t n) {
  if (n == 0) return x;
  std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
  config.back().high = n;
  return lax::pad(x, zeros(Shape{}, x.dtype()), config);
}

struct Segments {
  Window window;
  std::optional<Dim> nperseg, noverlap, nfft;
};
// A choice of segments for signals of some length.
struct Plan {
  Array window;
  std::int64_t size = 0, overlap = 0, nfft = 0;
  std::int64_t step() const { return size - overlap; }
};
void check_positive(const char* who, const char* what, const std::optional<Dim>& n, std::int64_t least) {
  if (n && n->value < least)
    raise<ValueError>(who, std::string(what) + " is " + std::to_string(n->value),
                      "Give " + std::to_string(least) + " or more.");
}
void complete(const char* who, const Segments& s, Plan& plan) {
  plan.overlap = s.noverlap ? s.noverlap->value : plan.size / 2;
  plan.nfft = s.nfft ? s.nfft->value : plan.size;
  if (plan.nfft < plan.size)
    raise<ValueError>(who, "nfft is " + std::to_string(plan.nfft) + ", nperseg " + std::to_string(plan.size),
                      "nfft is at least nperseg.");
  if (plan.overlap >= plan.size)
    raise<ValueError>(who, "noverlap is " + std::to_string(plan.overlap) + ", nperseg " + std::to_string(plan.size),
                      "noverlap is less than nperseg.");
}
Array checked_window(const char* who, const Array& values, std::int64_t size) {
  if (values.ndim() != 1 || values.size() != size)
    raise<ShapeError>(who, "the window is " + type_text(values) + " for segments of " + std::to_string(size),
                      "It is a vector of nperseg numbers.");
  return values;
}
Plan plan_of(const char* who, const Segments& s, std::int64_t length, DType dtype) {
  check_positive(who, "nperseg", s.nperseg, 1);
  check_positive(who, "noverlap", s.noverlap, 0);
  Plan plan;
  if (s.window.values().has_value()) {
    const Array& w = s.window.values();
    plan.size = s.nperseg ? s.nperseg->value : w.size();
    plan.window = checked_window(who, w, plan.size).astype(promote_types(w.dtype(), dtype));
    if (plan.size > length)
      raise<ShapeError>(who, "the window is " + type_text(w) + " for a signal of " + std::to_string(length),
                        "It is no longer than the signal.");
  } else {
    plan.size = std::min(s.nperseg ? s.nperseg->value : length, length);
    plan.window = get_window(s.window.name(), plan.size, true, dtype);
  }
  complete(who, s, plan);
  return plan;
}

// x's last dim in overlapping segments, two dims.
Array segments_of(const Array& x, const Plan& plan) {
  if (plan.size == 1 && plan.overlap == 0) return expand_dims(x, -1);
  const std::int64_t count = (x.shape(-1) - plan.size) / plan.step() + 1;
  const Array at = expand_dims(arange(count) * plan.step(), 1) + arange(plan.size);
  return x(ellipsis, at);
}
Array spectra_of(const Array& x, const Plan& plan, Detrending detrending, bool onesided) {
  Array parts = segments_of(x, plan);
  if (detrending == Detrending::constant) parts = parts - mean(parts, -1, true);
  if (detrending == Detrending::linear) parts = without_line(parts);
  parts = parts * plan.window;
  return onesided ? fft::rfft(tutti::real(parts), plan.nfft) : fft::fft(parts, plan.nfft);
}
Array extended(const char* who, const Array& x, std::int64_t n, Boundary boundary) {
  if (boundary == Boundary::none || n == 0) return x;
  if ((boundary == Boundary::odd || boundary == Boundary::even) && n > x.shape(-1) - 1)
    raise<ValueError>(who, "half a segment is " + std::to_string(n) + " for " + type_text(x),
                      "It fits into the signal that is mirrored.");
  PadWidths widths(static_cast<std::size_t>(x.ndim()), {0, 0});
  widths.back() = {n, n};
  if (boundary == Boundary::zeros) return pad(x, widths);
  if (boundary == Boundary::constant) return pad(x, widths, PadMode::edge);
  return pad(x, widths, PadOptions{.mode = PadMode::reflect, .odd = boundary == Boundary::odd});
}

struct Transform {
  Array frequencies, times, values;  // values: ..., segments, frequencies
};
struct How {
  double fs;
  Detrending detrend;
  bool onesided;
  Scaling scaling;
  Boundary boundary;
  bool padded, of_power;
};
Transform transform(const char* who, Array x, Array y, const Segments& segments, const How& how) {
  const bool two = y.has_value();
  Plan plan = plan_of(who, segments, x.shape(-1), x.dtype());
  if (two && x.shape(-1) != y.shape(-1)) {
    const std::int64_t n = std::max(x.shape(-1), y.shape(-1));
    x = zeros_behind(x, n - x.shape(-1));
    y = zeros_behind(y, n - y.shape(-1));
  }
  auto prepared = [&](const Array& in) {
    Array out = extended(who, in, plan.size / 2, how.boundary);
    if (!how.padded) return out;
    const std::int64_t step = plan.step(), over = (out.shape(-1) - plan.size) % step;
    return zeros_behind(out, (over == 0 ? 0 : step - over) % plan.size);
  };
  x = prepared(x);
  const bool onesided = how.onesided && !iscomplexobj(x) && !(two && iscomplexobj(y)) && !iscomplexobj(plan.window);
  Array values = spectra_of(x, plan, how.detrend, onesided);
  const Array &w = plan.window, squares = sum(w * w);
  Array scale = how.scaling == Scaling::density ? 1 / (how.fs * squares) : 1 / square(sum(w));
  if (!how.of_power) {
    scale = sqrt(scale);
  } else {
    values = two ? conj(values) * spectra_of(prepared(y), plan, how.detrend, onesided)
                 : square(tutti::real(values)) + square(tutti::imag(values));
  }
  values = values * scale;
  if (onesided && how.of_power) {  // each frequency stands for two, but the first, and the last of an even number
    const std::int64_t n = values.shape(-1), last = plan.nfft % 2 ? n : n - 1;
    const Array k = arange(n);
    values = values * where((k > 0) & (k < last), 2, 1).astype(real_dtype(values));
  }
  const DType dtype = real_dtype(values);
  const std::int64_t count = (x.shape(-1) - plan.size) / plan.step() + 1;
  const double first = static_cast<double>(plan.size) / 2;
  Array times = (arange(count).astype(dtype) * static_cast<double>(plan.step()) + first) / how.fs;
  if (how.boundary != Boundary::none) times = times - first / how.fs;
  return {onesided ? fft::rfftfreq(plan.nfft, 1 / how.fs, dtype) : fft::fftfreq(plan.nfft, 1 / how.fs, dtype), times,
          values};
}
void check_rate(const char* who, double fs) {
  if (!(fs > 0)) raise<ValueError>(who, "fs is " + std::to_string(fs), "Give the samples per unit of time.");
}
void check_signal(const char* who, const Array& x) {
  if (x.ndim() == 0 || x.size() == 0)
    raise<ShapeError>(who, "the signal is " + type_text(x), "Give one or more samples.");
}

// The bias of a median of n squares of normal numbers, as an estimate of their mean.
double median_bias(std::int64_t n) {
  double bias = 1;
  for (std::int64_t i = 2; i < n; i += 2) bias += 1. / static_cast<double>(i + 1) - 1. / static_cast<double>(i);
  return bias;
}
Array averaged(const Array& x, Averaging average) {  // over the dim of segments, the last but one
  if (average == Averaging::mean) return mean(x, -2);
  const double bias = median_bias(x.shape(-2));
  if (!iscomplexobj(x)) return median(x, -2) / bias;
  return lax::complex(median(tutti::real(x), -2), median(tutti::imag(x), -2)) / bias;
}
Segments segments_in(const SpectrumOptions& o) { return {o.window, o.nperseg, o.noverlap, o.nfft}; }
Spectrum density(const char* who, const Array& x, const Array& y, const SpectrumOptions& o) {
  check_rate(who, o.fs);
  const Transform t = transform(who, x, y, segments_in(o),
                                {o.fs, o.detrend, o.return_onesided, o.scaling, Boundary::none, false, true});
  return {t.frequencies, averaged(t.values, o.average)};
}

// Segments [..., count, size], each `step` behind the one before it, added up: [..., (count - 1) step + size]. In parts
// of `step` numbers they are moved, not scattered.
Array overlapped(const Array& x, std::int64_t step) {
  const std::int64_t count = x.shape(-2), size = x.shape(-1), parts = (size + step - 1) / step;
  const Array padded = zeros_behind(x, parts * step - size);
  Shape lead(std::vector<std::int64_t>(x.shape().begin(), x.shape().end() - 2)), whole = lead;
  lead.push_back((count + parts - 1) * step);
  Array out;
  std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
  for (std::int64_t k = 0; k < parts; ++k) {
    config[config.size() - 2] = {k, parts - 1 - k};
    const Array part = lax::pad(last_dim(padded, k * step, (k + 1) * step), zeros(Shape{}, x.dtype()), config);
    out = out.has_value() ? out + part : part;
  }
  return last_dim(reshape(out, lead), 0, (count - 1) * step + size);
}

}  // namespace

Stft stft(const In& in, const StftOptions& o) {
  CallScope scope(in.loc);
  check_rate("stft", o.fs);
  check_signal("stft", in.array);
  const int axis = static_cast<int>(place("stft", in.array, o.axis));
  std::optional<Dim> size = o.nperseg;
  if (!size && !o.window.values().has_value()) size = 256;
  const Transform t =
      transform("stft", moveaxis(inexact_of(in.array), axis, -1), Array(), {o.window, size, o.noverlap, o.nfft},
                {o.fs, o.detrend, o.return_onesided, Scaling::spectrum, o.boundary, o.padded, false});
  return {t.frequencies, t.times, moveaxis(swapaxes(t.values, -1, -2), -2, axis)};
}

Spectrum csd(const In& a, const In& b, const SpectrumOptions& o) {
  CallScope scope(a.loc);
  check_signal("csd", a.array);
  check_signal("csd", b.array);
  if (a.array.ndim() != b.array.ndim())
    raise<ShapeError>("csd", "the signals are " + type_text(a.array) + " and " + type_text(b.array),
                      "They have the same number of dims.");
  const int axis = static_cast<int>(place("csd", a.array, o.axis));
  const DType dtype = inexact(promote_types(a.array.dtype(), b.array.dtype()));
  const Array x = moveaxis(a.array.astype(dtype), axis, -1), y = moveaxis(b.array.astype(dtype), axis, -1);
  const Spectrum s = density("csd", x, y, o);
  return {s.frequencies, moveaxis(s.values, -1, axis)};
}

Spectrum welch(const In& in, const SpectrumOptions& o) {
  CallScope scope(in.loc);
  check_signal("welch", in.array);
  const int axis = static_cast<int>(place("welch", in.array, o.axis));
  const Spectrum s = density("welch", moveaxis(inexact_of(in.array), axis, -1), Array(), o);
  return {s.frequencies, moveaxis(s.values, -1, axis)};
}

Signal istft(const In& in, const IstftOptions& o) {
  CallScope scope(in.loc);
  check_rate("istft", o.fs);
  if (in.array.ndim() < 2)
    raise<ShapeError>("istft", "the transform is " + type_text(in.array),
                      "It has a dim of frequencies and of segments.");
  const int time = static_cast<int>(place("istft", in.array, o.time_axis)),
            freq = static_cast<int>(place("istft", in.array, o.freq_axis));
  if (time == freq) raise<ValueError>("istft", "time_axis and freq_axis are one", "Name two dims.");
  check_positive("istft", "nperseg", o.nperseg, 1);
  check_positive("istft", "noverlap", o.noverlap, 0);
  std::vector<int> order;
  for (int d = 0; d < in.array.ndim(); ++d)
    if (d != time && d != freq) order.push_back(d);
  order.push_back(time);
  order.push_back(freq);
  const Array z = transpose(in.array, order).astype(complex_dtype(inexact(in.array.dtype())));
  const std::int64_t bins = z.shape(-1), usual = o.input_onesided ? 2 * (bins - 1) : bins;
  Plan plan;
  plan.size = o.nperseg ? o.nperseg->value : usual;
  std::optional<Dim> nfft = o.nfft;
  if (!nfft) nfft = o.input_onesided && plan.size == usual + 1 ? usual + 1 : usual;
  complete("istft", {o.window, {}, o.noverlap, nfft}, plan);
  Array parts = o.input_onesided ? fft::irfft(z, plan.nfft) : fft::ifft(z, plan.nfft);
  parts = last_dim(parts, 0, plan.size);
  const Array window = o.window.values().has_value() ? checked_window("istft", o.window.values(), plan.size)
                                                     : get_window(o.window.name(), plan.size, true, real_dtype(parts));
  const std::int64_t count = parts.shape(-2);
  Array x = overlapped(parts * (window * sum(window)), plan.step());
  Array norm = overlapped(broadcast_to(square(window), {count, plan.size}), plan.step());
  if (o.boundary) {
    const std::int64_t n = plan.size / 2, end = x.shape(-1) - n;
    if (end < n) raise<ValueError>("istft", "the signal is shorter than its boundary", "Give boundary = false.");
    x = last_dim(x, n, end);
    norm = last_dim(norm, n, end);
  }
  x = x / where(norm > 1e-10, norm, 1).astype(x.dtype());
  const Array times = arange(x.shape(-1)).astype(real_dtype(x)) / o.fs;
  int to = time;
  if (freq < time) --to;
  return {times, x.ndim() > 1 ? moveaxis(x, -1, to) : x};
}

}  // namespace tutti::signal

// SPDX-License-Identifier: Apache-2.0
