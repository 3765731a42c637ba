// Windows, and signals without their trends. Source: scipy.signal.
#include "scipy/trends.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "tutti/scipy/signal.hpp"

namespace tutti::signal {
namespace {

// Windows that are sums of cosines: (-1)^k a_k cos(2 pi k t).
const std::map<std::string, std::vector<double>>& cosine_windows() {
  static const auto& known = *new std::map<std::string, std::vector<double>>{
      {"boxcar", {1}},
      {"hann", {0.5, 0.5}},
      {"hamming", {0.54, 0.46}},
      {"blackman", {0.42, 0.5, 0.08}},
      {"nuttall", {0.3635819, 0.4891775, 0.1365995, 0.0106411}},
      {"blackmanharris", {0.35875, 0.48829, 0.14128, 0.01168}},
      {"flattop", {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}}};
  return known;
}

}  // namespace

Array without_line(const Array& x) {  // of the last dim
  const std::int64_t n = x.shape(-1);
  const Array t = arange(1, n + 1).astype(real_dtype(x)) / static_cast<double>(n);
  const Array mean_x = mean(x, -1, true);
  if (n == 1) return x - mean_x;
  const Array off = t - mean(t);
  return x - mean_x - off * (sum(x * off, -1, true) / sum(square(off)));
}

Array get_window(const std::string& name, Dim n, bool periodic, DType dtype, Loc loc) {
  CallScope scope(loc, {"", "signal::get_window", 0});
  if (n < 1) raise<ValueError>("get_window", "it has " + std::to_string(n.value) + " numbers", "Give 1 or more.");
  const DType real = inexact(canonical(dtype)).is_complex() ? DType(float32) : inexact(canonical(dtype));
  if (n == 1) return ones({1}, real);
  const std::int64_t last = n.value - (periodic ? 0 : 1);
  std::vector<double> values;
  const auto known = cosine_windows().find(name);
  for (std::int64_t i = 0; i < n.value; ++i) {
    const double at = static_cast<double>(i), t = at / static_cast<double>(last);
    double v = 0;
    if (known != cosine_windows().end()) {
      for (std::size_t k = 0; k < known->second.size(); ++k)
        v += (k % 2 ? -1 : 1) * known->second[k] * std::cos(2 * std::numbers::pi * static_cast<double>(k) * t);
    } else if (name == "bartlett") {
      v = 1 - std::abs(2 * t - 1);
    } else if (name == "cosine") {
      v = std::sin(std::numbers::pi * (at + 0.5) / static_cast<double>(last + 1));
    } else {
      raise<ValueError>("get_window", "there is no window '" + name + "'",
                        "One of: hann hamming blackman bartlett boxcar cosine nuttall blackmanharris flattop.");
    }
    values.push_back(v);
  }
  return array(values).astype(real);
}

Array detrend(const In& in, const DetrendOptions& o) {
  CallScope scope(in.loc);
  const std::size_t axis = place("detrend", in.array, o.axis);
  const Array x = inexact_of(in.array);
  if (o.type == Trend::constant) return x - mean(x, static_cast<int>(axis), true);
  const std::int64_t n = x.shape(static_cast<int>(axis));
  std::vector<std::int64_t> ends = o.bp;
  ends.push_back(0);
  ends.push_back(n);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (ends.front() < 0 || ends.back() > n)
    raise<ValueError>("detrend", "a break point is outside of an extent of " + std::to_string(n), "Give 0 or more.");
  const Array last = moveaxis(x, static_cast<int>(axis), -1);
  std::vector<Array> parts;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) parts.push_back(without_line(last_dim(last, ends[i], ends[i + 1])));
  return parts.empty() ? x : moveaxis(concatenate(parts, -1), -1, static_cast<int>(axis));
}

}  // namespace tutti::signal

// SPDX-License-Identifier: Apache-2.0
