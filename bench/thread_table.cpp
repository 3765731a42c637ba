#include "thread_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <memory>
#include <thread>
#include <nlohmann/json.hpp>

#include "jax_process.hpp"
#include "report.hpp"
#include "timing.hpp"

namespace bench {
namespace {

using json = nlohmann::json;

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown processor";
}

json machine() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {{"host", host.data()},
          {"processor", processor_name()},
          {"processors", std::thread::hardware_concurrency()},
          {"cores", default_num_threads()}};
}

struct Jax {
  int devices;
  std::unique_ptr<JaxProcess> process;
};

// Milliseconds, the best of some rounds.
double time_with(const Case& c, const ThreadTableOptions& o, int threads) {
  set_num_threads(threads);
  Timed timed(c, setup_of(o.devices));
  double best = timed.round();
  for (int i = 1; i < o.rounds; ++i) best = std::min(best, timed.round());
  return best;
}

// Prints a row; its numbers are added to `row`.
void measure_row(const Case& c, const ThreadTableOptions& o, std::vector<Jax>& jax, json& row) {
  fmt::print("{:<34}", c.name);
  double first = 0, best = 0;
  for (const int n : o.threads) {
    const double ms = time_with(c, o, n);
    row["ms"].push_back(ms);
    if (first == 0) first = ms;
    best = best == 0 ? ms : std::min(best, ms);
    fmt::print(" {:>10}", time_text(ms));
    std::fflush(stdout);
  }
  fmt::print(" {:>8.2f}", first / row["ms"].back().get<double>());
  double least = 0;
  for (Jax& j : jax) {
    std::string error;
    double of_this = 0;
    for (int i = 0; i < o.rounds && error.empty(); ++i)
      if (const auto ms = j.process->round(c.name, error)) of_this = of_this == 0 ? *ms : std::min(of_this, *ms);
    row["jax"].push_back(of_this > 0 ? json(of_this) : json());
    if (of_this > 0) least = least == 0 ? of_this : std::min(least, of_this);
    fmt::print(" {:>10}", of_this > 0 ? time_text(of_this) : "-");
  }
  if (!jax.empty())
    fmt::print(" {:>8}", least > 0 ? fmt::format("{:.2f}", least / row["ms"].back().get<double>()) : "-");
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int print_thread_table(const std::vector<Case>& cases, const ThreadTableOptions& o) {
  const auto start = std::chrono::steady_clock::now();
  json out{{"machine", machine()}, {"threads", o.threads}, {"devices", o.devices}, {"rows", json::array()}};
  const json& m = out["machine"];
  fmt::print("{}, {}: {} processors, {} cores for this process; {} devices, best of {} rounds\n",
             m["host"].get<std::string>(), m["processor"].get<std::string>(), m["processors"].get<int>(),
             m["cores"].get<int>(), o.devices, o.rounds);
  std::vector<Jax> jax;
  if (!o.python.empty())
    for (const int devices : {1, 8}) {
      jax.push_back({devices, std::make_unique<JaxProcess>(o.python, o.script, devices)});
      out["jax_devices"].push_back(devices);
    }
  fmt::print("{:<34}", "case");
  for (const int n : o.threads) fmt::print(" {:>10}", fmt::format("{} thr.", n));
  fmt::print(" {:>8}", "speed-up");
  for (const Jax& j : jax) fmt::print(" {:>10}", fmt::format("JAX, {} d.", j.devices));
  fmt::print("{}\n", jax.empty() ? "" : " JAX/ours");
  int failed = 0, left = 0;
  for (const Case& c : cases) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (o.limit > 0 && seconds > o.limit) {
      ++left;
      continue;
    }
    json row{{"name", c.name}};
    try {
      measure_row(c, o, jax, row);
    } catch (const std::exception& e) {
      fmt::print(" {}\n", e.what());
      row["error"] = e.what();
      ++failed;
    }
    out["rows"].push_back(row);
  }
  set_num_threads(default_num_threads());
  if (left > 0) fmt::print("{} cases were left out: {} s have passed (--limit)\n", left, o.limit);
  if (!o.json.empty()) {
    std::ofstream file(o.json);
    if (!(file << out.dump(1) << '\n')) throw std::runtime_error("cannot write " + o.json);
  }
  return failed > 0 ? 1 : 0;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
