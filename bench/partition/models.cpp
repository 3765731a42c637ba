#include "models.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <regex>

#include "partition/explain.hpp"

namespace bench {
namespace {

// The bytes are those that a hand-made plan, the prototype or a bound reaches (docs/design/022-partition-bench.md).
std::vector<Model> models() {
  std::vector<Model> out{transformer(1, false, 48.7e6, {}, 87.1e6),     transformer(4, false, 106e6, {}, 209.8e6),
                         transformer(12, false, {}, 0.14, {}),          transformer(64, false, {}, {}, {}),
                         transformer(4, true, 106e6, {}, 209.8e6),      transformer(64, true, 1.24e9, 0.5, {}),
                         text_step({{4, 2}, {"data", "model"}}, 3.1e6), text_step({{8, 1}, {"data", "model"}}, 5.6e6)};
  for (Model& m : data_parallel_steps(14680064)) out.push_back(std::move(m));
  out.push_back(mlp_on_four_axes(0.3));
  out.push_back(transformer_block_on_four_axes(0.3));
  return out;
}

std::string wanted(const std::optional<double>& x, bool bytes) {
  return !x ? "" : bytes ? grouped(*x) : fmt::format("{:.1f}", *x);
}

void print_model(const Model& m, bool verbose) {
  const Plan p = plan_of(m.record(), m.inputs, m.outputs);
  const bool good = (!m.bytes || p.bytes <= 1.01 * *m.bytes) && (!m.seconds || p.planning <= *m.seconds);
  fmt::print("{:<52} {:>5} {:>14} {:>14} {:>12} {:>6.3f} {:>8.3f} {:>5}  {:<5}  {}\n", m.name, p.eqns, grouped(p.bytes),
             wanted(m.bytes, true), wanted(m.xla, true), p.inflation, p.planning, wanted(m.seconds, false),
             good ? "met" : "above", p.collectives);
  if (verbose) fmt::print("{}\n", explain(p.local).all());
}

// A row of the table, by a process that does nothing else: an alarm ends a search that goes on too long.
bool print_in_time(const Model& m, const ModelOptions& o) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start another process");
  if (child == 0) {
    alarm(static_cast<unsigned>(o.limit));
    int status = 0;
    try {
      print_model(m, o.verbose);
    } catch (const std::exception& e) {
      fmt::print("{:<52} FAILED: {}\n", m.name, e.what());
      status = 1;
    }
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    fmt::print("{:<52} {}\n", m.name,
               WTERMSIG(status) == SIGALRM ? fmt::format("not planned in {} seconds (--limit)", o.limit)
                                           : fmt::format("DIED by signal {}", WTERMSIG(status)));
  return WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGALRM;
}

}  // namespace

int print_models(const ModelOptions& o) {
  const std::regex filter(o.filter);
  fmt::print("{:<52} {:>5} {:>14} {:>14} {:>12} {:>6} {:>8} {:>5}  {:<5}  {}\n", "model", "eqns", "bytes", "wanted",
             "XLA", "FLOPs", "seconds", "want", "", "collectives");
  bool good = true;
  for (const Model& m : models())
    if (std::regex_search(m.name, filter)) good = print_in_time(m, o) && good;
  return good ? 0 : 1;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
