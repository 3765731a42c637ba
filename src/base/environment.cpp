#include "base/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "base/say.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::environment {

using Kind = EnvironmentVariable::Kind;

const EnvironmentVariable backend{"TUTTI_BACKEND", "`cpu` (default), `reference`",
                                  "what runs programs; `config::backend(name)` changes it"};
const EnvironmentVariable check{"TUTTI_CHECK", "words with commas: `captures`, `passes`, `processes`",
                                "at each call of a jitted function, record it again and report captured values that "
                                "have changed (on in debug builds while the variable is not set); verify the result "
                                "of every pass of the pipeline and what processors with and without 512-bit "
                                "instructions would compile (on in debug builds); that all processes call the "
                                "same programs in the same order and give device_put the same",
                                Kind::words};
const EnvironmentVariable collective_timeout{
    "TUTTI_COLLECTIVE_TIMEOUT", "seconds, default 60",
    "after how long a wait for other processes is reported on stderr, and again "
    "each time it has lasted twice as long; 0: never",
    Kind::real};
const EnvironmentVariable cpu_devices{"TUTTI_CPU_DEVICES", "a number", "how many devices this process has, fixed"};
const EnvironmentVariable cpu_ir{"TUTTI_CPU_IR", "anything", "print the LLVM IR of every kernel to stderr"};
const EnvironmentVariable cpu_isa{"TUTTI_CPU_ISA", "`plain`, `avx2`, `avx512`", "use no more than these instructions"};
const EnvironmentVariable dump{"TUTTI_DUMP", "a folder",
                               "write the result of every pass of the pipeline to a file each"};
const EnvironmentVariable log{"TUTTI_LOG", "words with commas: `passes`, `recompile`, `stages`, `quiet`",
                              "report on stderr: time and sizes of passes; why a jit traces again; the time of each "
                              "stage of each program, when the process ends; no notes",
                              Kind::words};
const EnvironmentVariable job_process{"TUTTI_JOB_PROCESS", "set by tutti",
                                      "that this program was started by a process of a job: it runs alone"};
const EnvironmentVariable mpi_module{"TUTTI_MPI_MODULE", "a file",
                                     "where libtutti_mpi.so is, if neither beside the program or the library, nor in "
                                     "`..` or `../lib` of the program, nor "
                                     "installed"};
const EnvironmentVariable num_threads{
    "TUTTI_NUM_THREADS", "a number",
    "threads that run a program; default: as many as the process has cores (hyper-threads apart, "
    "affinity and quotas of containers respected)",
    Kind::whole, 1};
const EnvironmentVariable passes{"TUTTI_PASSES", "names with commas, each behind a minus",
                                 "leave these passes of the compiler out, of those that `./dev passes` calls "
                                 "optional: `-hoist,-share`; to find one that computes something wrong"};
const EnvironmentVariable pin{"TUTTI_PIN", "`0` (default), `1`",
                              "bind each worker to the processors of one node of the memory (NUMA)", Kind::words};
const EnvironmentVariable spin_us{"TUTTI_SPIN_US", "a number, default 50",
                                  "microseconds that an idle worker waits awake", Kind::whole};
const EnvironmentVariable platform{"TUTTI_PLATFORM", "`cpu` (default), `simulated`",
                                   "whose devices there are; `config::platform(name)` changes it", Kind::words};
const EnvironmentVariable simulated{
    "TUTTI_SIMULATED", "words with commas: `failures=P`, `delays=US`, `seed=N`",
    "what goes wrong on simulated devices, those of Isolation::per_device included: each copy, "
    "allocation and launch fails with probability P, and takes up to US microseconds "
    "longer"};
const EnvironmentVariable wait_limit{"TUTTI_WAIT_LIMIT", "seconds, default 0: none",
                                     "after how long a wait for other processes ends the job, with exit code 124",
                                     Kind::real};

std::span<const EnvironmentVariable* const> all() {
  static constexpr const EnvironmentVariable* table[] = {
      &backend,     &check,   &collective_timeout, &cpu_devices, &cpu_ir, &cpu_isa, &dump,
      &job_process, &log,     &mpi_module,         &num_threads, &passes, &pin,     &platform,
      &simulated,   &spin_us, &wait_limit};
  return table;
}

namespace {

std::vector<std::string_view> words_of(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// How many letters have to be changed, put in or left out.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])}));
  }
  return row.back();
}

void tell_unknown_names() {
  const char* words = std::getenv(log.name);
  if (words && std::string_view(words).find("quiet") != std::string_view::npos) return;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    if (!name.starts_with("TUTTI_")) continue;
    if (std::none_of(all().begin(), all().end(), [&](const auto* v) { return v->name == name; }))
      say(Message::Kind::warning, "tutti: the environment variable " + std::string(name) +
                                      " means nothing; the nearest is " + nearest(name) + "\n");
  }
}

// All that is set, when the first variable is asked for: by then no thread of ours runs, which could not throw.
void look_at_all() {
  static std::atomic<bool> told = false;
  if (!told.exchange(true)) tell_unknown_names();
  for (const EnvironmentVariable* v : all())
    if (const char* text = std::getenv(v->name))
      if (const std::string wrong = problem(*v, text); !wrong.empty())
        raise<ValueError>(v->name, wrong, "Set it to what it may be, or leave it unset.");
}

}  // namespace

std::string problem(const EnvironmentVariable& variable, std::string_view value) {
  if (value.empty() || variable.kind == Kind::any) return "";
  if (variable.kind == Kind::words) {
    const std::vector<std::string_view> parts = words_of(variable.values, '`');  // every second stands between quotes
    for (std::string_view word : words_of(value, ',')) {
      bool known = false;
      std::string list;
      for (std::size_t k = 1; k < parts.size(); k += 2) {
        known = known || parts[k] == word;
        list += (list.empty() ? "" : ", ") + std::string(parts[k]);
      }
      if (!known) return "'" + std::string(word) + "' is not one of its words: " + list;
    }
    return "";
  }
  double number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = variable.kind == Kind::whole;
  constexpr double kMost = 1e9;
  if (failed == std::errc() && end == value.data() + value.size() && number >= static_cast<double>(variable.least) &&
      number <= kMost && !(whole && number != std::floor(number)))
    return "";
  return "'" + std::string(value) + "' is no " + (whole ? "whole number" : "number") + " from " +
         std::to_string(variable.least) + " to a billion";
}

const char* nearest(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EnvironmentVariable* v : all()) names.emplace_back(v->name);
  return nearest(name, names).data();
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> names) {
  return *std::min_element(names.begin(), names.end(),
                           [&](std::string_view a, std::string_view b) { return edits(name, a) < edits(name, b); });
}

std::string value(const EnvironmentVariable& variable) {
  static const bool looked = [] {  // what throws is called again
    look_at_all();
    return true;
  }();
  (void)looked;
  const char* text = std::getenv(variable.name);
  return text ? text : "";
}

double number(const EnvironmentVariable& variable, double otherwise) {
  const std::string text = value(variable);
  if (text.empty()) return otherwise;
  double out = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

bool has_word(const EnvironmentVariable& variable, std::string_view word) {
  std::string text = "," + value(variable) + ",";
  return text.find("," + std::string(word) + ",") != std::string::npos;
}

}  // namespace tutti::environment

// SPDX-License-Identifier: Apache-2.0
