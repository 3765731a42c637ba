// Hand-written C++ beside the cases: what the machine can do, for `./dev bench --by-hand`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "case.hpp"

namespace bench {

/// Runs work(i) for i < threads() at once, one of them here; the others wait awake for a while after it.
void on_all_threads(const std::function<void(int)>& work);
int threads();
/// Which of n things thread i does: from `first` to one before `last`.
struct Range {
  std::int64_t first, last;
};
Range share(std::int64_t n, int i);

/// Memory in large pages, zeroed.
template <class T> using Block = std::shared_ptr<T[]>;
std::shared_ptr<void> large_pages(std::size_t bytes);
template <class T> Block<T> block(std::int64_t n) {
  auto memory = large_pages(static_cast<std::size_t>(n) * sizeof(T));
  return {memory, static_cast<T*>(memory.get())};
}
/// The same of an array's elements.
template <class T> Block<T> block(const Array& x) {
  const std::vector<T> values = x.to_vector<T>();
  Block<T> out = block<T>(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), out.get());
  return out;
}
/// Throws when a hand-written program computes something else than tutti: so much apart, relative to the largest.
void check_same(const std::string& name, std::span<const float> got, const Array& want, double most);

/// Case `name` by hand: `once(k)` runs it, with a result in the k-th of two places, so that the last one stays.
Case by_hand(std::string name, std::function<std::function<void(int)>(const Setup&)> make);

/// Under the names of the cases that they stand beside; none where the processor lacks AVX-512.
std::vector<Case> memory_by_hand();
std::vector<Case> random_by_hand();
std::vector<Case> statistics_by_hand();
std::vector<Case> rows_by_hand();
std::vector<Case> simulation_by_hand();
std::vector<Case> loops_by_hand();
std::vector<Case> libraries_by_hand();
std::vector<Case> transforms_by_hand();
std::vector<Case> all_by_hand();

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
