#include "timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace bench {
namespace {
// jax_side.py has the same numbers.
constexpr double batch_seconds = 0.05;
constexpr int batches_a_round = 3;

double number_from(const std::string& command) {
  double value = 0;
  std::FILE* out = popen(command.c_str(), "r");
  const bool read = out && std::fscanf(out, "%lf", &value) == 1;
  if (!out || pclose(out) != 0 || !read) throw std::runtime_error("failed: " + command);
  return value;
}
}  // namespace

double first_run(const Case& c, const Setup& s) {
  Batch run = c.make(s);
  jit([](const Array& x) { return cos(x); })(ones({4})).block_until_ready();
  auto start = std::chrono::steady_clock::now();
  run(1);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Timed::Timed(const Case& c, const Setup& s) : once_(c.once) {
  if (c.alone) {
    alone_ = fmt::format("\"{}\" --alone {} --devices {}", std::filesystem::read_symlink("/proc/self/exe").string(),
                         c.name, s.devices);
    return;
  }
  run_ = c.make(s);
  run_(1);
  if (once_) return;
  run_(1);
  // Longer and longer batches: the first runs after compilation are slower than later ones.
  for (double seconds = batch(1); seconds < batch_seconds; seconds = batch(per_batch_)) {
    double grow = std::clamp(1.2 * batch_seconds / std::max(seconds, 1e-9), 1.5, 20.0);
    per_batch_ = static_cast<std::int64_t>(std::ceil(static_cast<double>(per_batch_) * grow));
  }
}

double Timed::batch(std::int64_t n) {
  auto start = std::chrono::steady_clock::now();
  run_(n);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Timed::round() {
  if (!alone_.empty()) return number_from(alone_);
  std::vector<double> each;
  for (int i = 0; i < (once_ ? 1 : batches_a_round); ++i)
    each.push_back(1e3 * batch(per_batch_) / static_cast<double>(per_batch_));
  return median(std::move(each));
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
