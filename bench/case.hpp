// Benchmark cases: a name, and how to make the thing that is timed on some number of devices.
#pragma once

#include <tutti/tutti.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace bench {
using namespace tutti;

/// What a case is built on: `mesh` has axes x and y, 4x2 for 8 devices and 1x1 for one.
struct Setup {
  Mesh mesh;
  int devices = 8;
  NamedSharding at(PartitionSpec spec) const { return NamedSharding(mesh, std::move(spec)); }
  /// Standard normal float32 of that shape, laid out as `spec`.
  Array normal(const Shape& shape, PartitionSpec spec) const {
    return device_put(random::normal(random::key(0), shape), at(std::move(spec)));
  }
};

/// Of 8 devices or one.
inline Setup setup_of(int devices) {
  return devices == 8 ? Setup{make_mesh({4, 2}, {"x", "y"}), 8} : Setup{make_mesh({1, 1}, {"x", "y"}), 1};
}

/// Where the results of batches are looked at, by whoever wants to; else nullptr.
inline void (*look_at_results)(const std::vector<Array>& leaves) = nullptr;

/// Runs n times, waits for the last result.
using Batch = std::function<void(std::int64_t n)>;

/// Batch of a step that returns a tree. The last result is kept until the next one is there, as in a Python loop.
template <class F> Batch repeat(F step) {
  return [step = std::move(step)](std::int64_t n) mutable {
    if (n <= 0) return;
    auto result = step();
    for (std::int64_t i = 1; i < n; ++i) result = step();
    block_until_ready(result);
    if (look_at_results) look_at_results(tree::leaves(result));
  };
}

struct Case {
  std::string name;
  std::function<Batch(const Setup&)> make;
  bool once = false;     // expensive and not to be averaged over a batch: compilation, start-up
  bool alone = false;    // timed in a process of its own, once: compilation, whose kernels this process would remember
  bool by_name = false;  // too slow to run unless --filter asks for it
};

/// Too slow to run unless it is asked for.
inline Case by_name(Case c) {
  c.by_name = true;
  return c;
}

/// jit(f) of what the others make: `compiled("sort_1m", sort, rows({1 << 20}))`.
template <class F, class... Make> Case compiled(std::string name, F f, Make... make) {
  return {std::move(name), [=](const Setup& s) {
            return repeat([g = jit(f), arguments = std::tuple{make(s)...}] { return std::apply(g, arguments); });
          }};
}
/// Standard normal, rows split over all devices.
inline auto rows(Shape shape) {
  return [=](const Setup& s) { return s.normal(shape, P(axes("x", "y"))); };
}
/// The same, whole on every device.
inline auto whole(Shape shape) {
  return [=](const Setup& s) { return s.normal(shape, P()); };
}

/// Symmetric and positive definite, whole on every device.
inline auto spd(std::int64_t n) {
  return [=](const Setup& s) {
    const Array a = random::normal(random::key(0), {n, n});
    return device_put(matmul(a, a.T()) / static_cast<double>(n) + eye(n), s.at(P()));
  };
}

/// One list per file of cases; in the order of printing.
std::vector<Case> tiny_cases();
std::vector<Case> mlp_cases();
std::vector<Case> array_cases();
std::vector<Case> mapped_cases();
std::vector<Case> loop_cases();
std::vector<Case> solver_cases();
std::vector<Case> linalg_cases();
std::vector<Case> wide_cases();
std::vector<Case> special_cases();
std::vector<Case> convolution_cases();
std::vector<Case> statistics_cases();
std::vector<Case> movement_cases();
std::vector<Case> scipy_cases();
std::vector<Case> signal_cases();
std::vector<Case> index_cases();
std::vector<Case> running_cases();
std::vector<Case> gpt_cases();
std::vector<Case> data_cases();
std::vector<Case> compile_cases();
std::vector<Case> compile_gpt_cases();
std::vector<Case> file_cases();
std::vector<Case> all_cases();

/// JAX with 8 devices / tutti with 8 devices that a case is to reach; 0 when there is no such number.
double must_of(std::string_view name);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
