// A loss curve as an SVG picture.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace text {

struct Mark {
  std::string label;
  double value;
};

/// 1, 2 or 5 times a power of ten, the next above `least`.
inline double round_step(double least) {
  double power = std::pow(10, std::floor(std::log10(least)));
  for (double digit : {1., 2., 5.})
    if (digit * power >= least) return digit * power;
  return 10 * power;
}
/// 1500000 as 1.5M, 20000 as 20k.
inline std::string count_text(double n) {
  if (n >= 1e6) return fmt::format("{:g}M", n / 1e6);
  return n >= 1e4 ? fmt::format("{:g}k", n / 1e3) : fmt::format("{:g}", n);
}
/// Heights for the labels of marks: each at its line where there is room, else moved down below the one before.
template <class F> std::vector<double> label_rows(const std::vector<Mark>& marks, const F& height_of, double apart) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return marks[a].value > marks[b].value; });
  std::vector<double> out(marks.size());
  double free = 0;
  for (std::size_t i : order) {
    out[i] = std::max(free, height_of(marks[i].value));
    free = out[i] + apart;
  }
  return out;
}

/// Bits per byte over training examples; `marks` are horizontal lines to compare with.
inline std::string curve_svg(const std::vector<double>& x, const std::vector<double>& y,
                             const std::vector<Mark>& marks) {
  const double width = 760, height = 440, left = 60, right = 190, top = 20, bottom = 50;
  double low = 1, high = 2, last = x.empty() ? 1 : std::max(x.back(), 1.0);
  for (double v : y) {
    high = std::max(high, std::min(v, 8.0));
    low = std::min(low, v);
  }
  for (const Mark& m : marks) {
    low = std::min(low, m.value);
    high = std::max(high, m.value);
  }
  low = std::floor(low * 2) / 2;
  high = std::ceil(high);
  auto px = [&](double v) { return left + v / last * (width - left - right); };
  auto py = [&](double v) { return top + (high - std::clamp(v, low, high)) / (high - low) * (height - top - bottom); };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  for (double v = low; v <= high + 1e-9; v += (high - low) > 3 ? 1 : 0.5)
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.1f}</text>\n",
        left, width - right, py(v), left - 8, py(v) + 4, v);
  for (double v = 0, step = round_step(last / 4); v <= last; v += step)
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", px(v), height - bottom + 18,
                       count_text(v));
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">examples seen</text>\n",
                     (left + width - right) / 2, height - 12);
  out += fmt::format(
      "<text x=\"16\" y=\"{0}\" transform=\"rotate(-90 16 {0})\" text-anchor=\"middle\">bits per byte</text>\n",
      (top + height - bottom) / 2);
  const std::vector<double> rows = label_rows(marks, py, 15);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Mark& m = marks[i];
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#b40\" stroke-dasharray=\"5 4\"/><text "
        "x=\"{3}\" y=\"{4:.1f}\" fill=\"#b40\">{5} {6:.3f}</text>\n",
        left, width - right, py(m.value), width - right + 6, rows[i] + 4, m.label, m.value);
  }
  out += "<polyline fill=\"none\" stroke=\"#036\" stroke-width=\"1.5\" points=\"";
  std::size_t step = std::max<std::size_t>(1, x.size() / 600);
  for (std::size_t i = 0; i < x.size(); i += step) {
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t j = i; j < std::min(i + step, x.size()); ++j) {
      sum += y[j];
      ++n;
    }
    out += fmt::format("{:.1f},{:.1f} ", px(x[i]), py(sum / static_cast<double>(n)));
  }
  return out + "\"/>\n</svg>\n";
}

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
