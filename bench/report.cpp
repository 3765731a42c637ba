#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "timing.hpp"

namespace bench {
namespace {

constexpr double kShort = 0.1;   // ms of tutti
constexpr double kOfHand = 0.6;  // what is wanted of most cases

double ratio(const std::vector<double>& above, const std::vector<double>& below) {
  return above.empty() || below.empty() ? 0 : median(above) / median(below);
}

// The least ratio of two times that were taken in the same round.
double worst(const std::vector<double>& above, const std::vector<double>& below) {
  double least = 0;
  for (std::size_t i = 0; i < std::min(above.size(), below.size()); ++i)
    least = i == 0 ? above[i] / below[i] : std::min(least, above[i] / below[i]);
  return least;
}

// JAX with 8 or with one device, whichever is faster, over ours.
double better(const Row& r) {
  const double eight = ratio(r.jax, r.ours), one = ratio(r.jax_one, r.ours);
  return eight > 0 && one > 0 ? std::min(eight, one) : std::max(eight, one);
}

std::string number(double x) {
  if (x == 0) return "-";
  return x < 10 ? fmt::format("{:.2f}", x) : x < 100 ? fmt::format("{:.1f}", x) : fmt::format("{:.0f}", x);
}

std::string time_of(const std::vector<double>& ms) { return ms.empty() ? "-" : time_text(median(ms)); }

void mean_line(const std::vector<Row>& rows, const char* what, const std::function<double(const Row&)>& value) {
  double logs = 0, least = 0;
  int count = 0;
  const Row* where = nullptr;
  for (const Row& r : rows)
    if (double v = value(r); v > 0) {
      logs += std::log(v);
      ++count;
      if (!where || v < least) {
        least = v;
        where = &r;
      }
    }
  if (count > 0)
    fmt::print("geometric mean of {:<22} {:>8} over {} cases, least {} ({})\n", what, number(std::exp(logs / count)),
               count, number(least), where->name);
}

}  // namespace

std::string time_text(double ms) {
  if (ms >= 1000) return fmt::format("{:.4g} s ", ms / 1e3);
  if (ms >= 1) return fmt::format("{:.4g} ms", ms);
  if (ms >= 1e-3) return fmt::format("{:.4g} us", ms * 1e3);
  return fmt::format("{:.4g} ns", ms * 1e6);
}

void print_header(const Columns& c) {
  fmt::print("{:<28}{:>11}", "case", "ours");
  if (c.hand) fmt::print("{:>11}{:>10}", "by hand", "hand/ours");
  if (c.one) fmt::print("{:>11}{:>8}", "on 1", "8/1");
  if (c.jax)
    fmt::print("{:>11}{:>11}{:>9}{:>8}{:>7}{:>7}{:>8}{:>8}", "JAX", "JAX on 1", "JAX/ours", "worst", "must", "met",
               "JAX1/us", "better");
  fmt::print("\n");
}

void print_row(const Row& r, const Columns& c) {
  if (!r.error.empty() && r.ours.empty()) {
    fmt::print("{:<28}{}\n", r.name, r.error);
    return;
  }
  fmt::print("{:<28}{:>11}", r.name, time_of(r.ours));
  if (c.hand) fmt::print("{:>11}{:>10}", time_of(r.hand), number(ratio(r.hand, r.ours)));
  if (c.one) fmt::print("{:>11}{:>8}", time_of(r.ours_one), number(ratio(r.ours, r.ours_one)));
  if (c.jax) {
    double times = ratio(r.jax, r.ours);
    std::string met = r.must > 0 && times > 0 ? fmt::format("{:.0f}%", 100 * times / r.must) : "-";
    fmt::print("{:>11}{:>11}{:>9}{:>8}{:>7}{:>7}{:>8}{:>8}", time_of(r.jax), time_of(r.jax_one), number(times),
               number(worst(r.jax, r.ours)), r.must > 0 ? fmt::format("{:g}", r.must) : "-", met,
               number(ratio(r.jax_one, r.ours)), number(better(r)));
  }
  if (!r.error.empty()) fmt::print("  {}", r.error);
  fmt::print("\n");
  std::fflush(stdout);
}

void print_summary(const std::vector<Row>& rows, const Columns& c) {
  fmt::print("\n");
  int failed = 0;
  for (const Row& r : rows) failed += r.ours.empty();
  if (failed) fmt::print("{} cases failed\n", failed);
  if (c.hand) {
    const auto hand = [](const Row& r) { return ratio(r.hand, r.ours); };
    mean_line(rows, "by hand / ours", hand);
    fmt::print("by hand / ours is at least {} in {} of {} cases\n", kOfHand,
               std::count_if(rows.begin(), rows.end(), [&](const Row& r) { return hand(r) >= kOfHand; }),
               std::count_if(rows.begin(), rows.end(), [&](const Row& r) { return hand(r) > 0; }));
  }
  if (c.one) mean_line(rows, "ours on 8 / on 1", [](const Row& r) { return ratio(r.ours, r.ours_one); });
  if (!c.jax) return;
  int all = 0, most = 0, reached = 0;
  for (const Row& r : rows) {
    double met = r.must > 0 ? ratio(r.jax, r.ours) / r.must : 0;
    all += met > 0;
    most += met >= 0.6;
    reached += met >= 1;
  }
  fmt::print("{} of {} cases reach their \"must\", {} reach 60 % of it\n", reached, all, most);
  mean_line(rows, "JAX on 1 / ours", [](const Row& r) { return ratio(r.jax_one, r.ours); });
  mean_line(rows, "better JAX / ours", better);
  mean_line(rows, "JAX / ours", [](const Row& r) { return ratio(r.jax, r.ours); });
  // Short rows are the price of a call, long ones work: one mean over both says neither.
  auto is_short = [](const Row& r) { return !r.ours.empty() && median(r.ours) < kShort; };
  mean_line(rows, "JAX / ours, < 0.1 ms", [&](const Row& r) { return is_short(r) ? ratio(r.jax, r.ours) : 0; });
  mean_line(rows, "JAX / ours, >= 0.1 ms", [&](const Row& r) { return is_short(r) ? 0 : ratio(r.jax, r.ours); });
}

std::string json_text(const std::vector<Row>& rows, int devices) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Row& r : rows) {
    nlohmann::ordered_json j{{"name", r.name}, {"devices", devices}};
    if (r.must > 0) j["must"] = r.must;
    if (!r.error.empty()) j["error"] = r.error;
    auto put = [&](const char* key, const std::vector<double>& ms) {
      if (!ms.empty())
        j[key] = {{"median_ms", median(ms)}, {"min_ms", *std::min_element(ms.begin(), ms.end())}, {"rounds_ms", ms}};
    };
    put("ours", r.ours);
    put("ours_one_device", r.ours_one);
    put("jax", r.jax);
    put("jax_one_device", r.jax_one);
    put("by_hand", r.hand);
    if (double x = ratio(r.jax, r.ours); x > 0) j["ratio"] = x;
    if (double x = better(r); x > 0) j["better_jax_ratio"] = x;
    out.push_back(std::move(j));
  }
  return out.dump(1) + "\n";
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
