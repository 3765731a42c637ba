#include "process_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <nlohmann/json.hpp>

#include "job.hpp"
#include "process_cases.hpp"
#include "report.hpp"
#include "timing.hpp"

namespace bench {
namespace {

constexpr const char* kThreads = "mlp_grad_dp_w2048_b1024";  // also timed in one process with as many threads
constexpr double kThreadsMust = 0.9;

// What all rounds said of one case on one side.
struct Rounds {
  std::vector<double> least, medians;
  double min_ms() const { return least.empty() ? 0 : *std::min_element(least.begin(), least.end()); }
  double median_ms() const { return median(medians); }
};
struct Side {
  Job job;
  std::map<std::string, Rounds> cases{};
  std::map<std::string, std::string> missing{};
  int restarts = 0;

  void run(const std::vector<std::string>& names) {
    if (names.empty()) return;
    const Answers answers = run_job(job, names);
    for (const auto& [name, t] : answers.times) {
      cases[name].least.push_back(t.min_ms);
      cases[name].medians.push_back(t.median_ms);
    }
    for (const auto& [name, why] : answers.missing) missing[name] = why;
    restarts += answers.restarts;
  }
};

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

Job our_job(int processes, int threads, double seconds) {
  Job out{{}, {{"TUTTI_NUM_THREADS", std::to_string(threads)}}};
  if (processes > 1) {
    out.command = {"mpirun", "-n", std::to_string(processes)};
    // All on this machine, more processes than cores where there are fewer; OpenMPI 4, 5 and 6 want to be asked.
    out.environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1";
    out.environment["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe";
    out.environment["PRTE_MCA_mapby"] = ":oversubscribe";
    if (!getenv("OMPI_MCA_btl")) out.environment["OMPI_MCA_btl"] = "self,vader";
    if (geteuid() == 0) {
      out.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
      out.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
    }
  }
  out.command.insert(out.command.end(), {this_program(), "--seconds", fmt::format("{}", seconds), "--process-cases"});
  return out;
}

double over(double above, double below) { return above > 0 && below > 0 ? above / below : 0; }
std::string text_of(double x) { return x <= 0 ? "-" : x < 10 ? fmt::format("{:.2f}", x) : fmt::format("{:.0f}", x); }
std::string text_of_ms(const Rounds& r, bool least) {
  return r.least.empty() ? "-" : time_text(least ? r.min_ms() : r.median_ms());
}

}  // namespace

int compare_processes(const ProcessOptions& o) {
  const std::regex wanted(o.filter);
  std::vector<ProcessCase> cases = process_cases();
  std::erase_if(cases, [&](const ProcessCase& c) {
    return !std::regex_search(c.name, wanted) || (c.by_name && o.filter.empty());
  });
  if (cases.empty()) throw std::runtime_error("no case matches " + o.filter);
  std::vector<std::string> names, theirs;
  for (const ProcessCase& c : cases) {
    names.push_back(c.name);
    if (!c.ours_alone) theirs.push_back(c.name);
  }
  const bool with_threads = std::find(names.begin(), names.end(), kThreads) != names.end();

  Side ours{our_job(o.processes, 1, o.seconds)}, threads{our_job(1, o.processes, o.seconds)}, jax;
  if (!o.python.empty())
    jax.job.command = {
        o.python, o.script, "--processes", std::to_string(o.processes), "--seconds", fmt::format("{}", o.seconds)};
  for (int i = 0; i < o.rounds; ++i) {
    ours.run(names);
    if (with_threads) threads.run({kThreads});
    if (!o.python.empty()) jax.run(theirs);
  }

  fmt::print("{} processes with a thread each, 8 devices; least and median of {} rounds\n", o.processes, o.rounds);
  fmt::print("{:<26}{:>11}{:>11}{:>11}{:>11}{:>9}{:>9}{:>7}{:>7}\n", "case", "ours", "median", "JAX", "median",
             "JAX/ours", "medians", "must", "met");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  int failed = 0, reached = 0, compared = 0;
  for (const ProcessCase& c : cases) {
    const Rounds &a = ours.cases[c.name], &b = jax.cases[c.name];
    const double ratio = over(b.min_ms(), a.min_ms()), medians = over(b.median_ms(), a.median_ms());
    const double must = o.processes == 2 ? c.must : 0;
    failed += a.least.empty();
    compared += ratio > 0 && must > 0;
    reached += ratio >= must && ratio > 0 && must > 0;
    fmt::print("{:<26}{:>11}{:>11}{:>11}{:>11}{:>9}{:>9}{:>7}{:>7}{}{}\n", c.name, text_of_ms(a, true),
               text_of_ms(a, false), text_of_ms(b, true), text_of_ms(b, false), text_of(ratio), text_of(medians),
               must > 0 ? fmt::format("{:g}", must) : "-",
               must > 0 && ratio > 0 ? fmt::format("{:.0f}%", 100 * ratio / must) : "-",
               ours.missing.contains(c.name) ? "  ours " + ours.missing[c.name] : "",
               jax.missing.contains(c.name) ? "  JAX " + jax.missing[c.name] : "");
    rows.push_back({{"name", c.name},
                    {"processes", o.processes},
                    {"ours", {{"min_ms", a.least}, {"median_ms", a.medians}}},
                    {"jax", {{"min_ms", b.least}, {"median_ms", b.medians}}},
                    {"must", must}});
  }
  if (with_threads) {
    const double ratio = over(threads.cases[kThreads].min_ms(), ours.cases[kThreads].min_ms());
    fmt::print("{}: one process with {} threads {} / {} processes with one {} = {:.2f}, must {}\n", kThreads,
               o.processes, text_of_ms(threads.cases[kThreads], true), o.processes,
               text_of_ms(ours.cases[kThreads], true), ratio, kThreadsMust);
  }
  for (const ProcessCase& c : cases)
    if (const double rate = over(ours.cases[c.beside].min_ms(), ours.cases[c.name].min_ms()); rate > 0)
      fmt::print("{} / {} = {:.2f}, must {}\n", c.beside, c.name, rate, c.beside_must);
  if (compared) fmt::print("{} of {} cases reach their \"must\"\n", reached, compared);
  if (ours.restarts + jax.restarts)
    fmt::print("died or hung and were started anew: {} jobs of ours, {} of JAX\n", ours.restarts, jax.restarts);
  if (!o.json.empty()) {
    std::ofstream out(o.json);
    if (!(out << rows.dump(1) << "\n")) throw std::runtime_error("cannot write " + o.json);
  }
  return failed ? 1 : 0;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
