#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bench {
namespace {
// jax_side.py has the same numbers.
constexpr double batch_seconds = 0.05;
constexpr int batches_a_round = 3;
}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Timed::Timed(const Case& c, const Setup& s) : run_(c.make(s)), once_(c.once) {
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
  std::vector<double> each;
  for (int i = 0; i < (once_ ? 1 : batches_a_round); ++i) each.push_back(1e3 * batch(per_batch_) / static_cast<double>(per_batch_));
  return median(std::move(each));
}

}  // namespace bench
