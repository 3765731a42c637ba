#include "base/units.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

namespace tutti {
namespace {

std::string formatted(const char* format, double value, const char* unit) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out + std::string(" ") + unit;
}

}  // namespace

std::string bytes_text(double bytes) {
  if (bytes < 1e4) return formatted("%.0f", bytes, "B");
  const char* unit = "KB";
  double value = bytes / 1e3;
  for (const char* next : {"MB", "GB", "TB"}) {
    if (value < 1e4) break;
    value /= 1e3;
    unit = next;
  }
  return formatted("%.1f", value, unit);
}

std::string seconds_text(double seconds) {
  for (const auto& [least, unit] : {std::pair{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}})
    if (seconds >= least) return formatted("%.3g", seconds / least, unit);
  return seconds > 0 ? formatted("%.3g", seconds / 1e-9, "ns") : "0 s";
}

std::string flops_text(double flops) {
  for (const auto& [least, unit] : {std::pair{1e15, "PFLOP"}, {1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}})
    if (flops >= least) return formatted("%.3g", flops / least, unit);
  return formatted("%.0f", flops, "FLOP");
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
