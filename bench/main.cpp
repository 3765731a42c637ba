// tutti's benchmarks, alone or beside JAX: `./dev bench`. docs/bench.md describes them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <thread>

#include "bits.hpp"
#include "by_hand.hpp"
#include "jax_process.hpp"
#include "options/command_line.hpp"
#include "prediction.hpp"
#include "process_cases.hpp"
#include "process_report.hpp"
#include "report.hpp"
#include "thread_table.hpp"
#include "timing.hpp"

namespace {
using namespace bench;

struct Options {
  std::string filter, json, python, alone, script = TUTTI_JAX_SIDE, processes_script = TUTTI_JAX_PROCESSES;
  std::string cores;    // to predict for
  std::string threads;  // to run with
  ManyCores machine;
  std::vector<std::string> process_cases;  // what this process of a job is to time
  int rounds = 5, devices = 8, processes = 1;
  double seconds = 1, limit = 0;
  bool list = false, compare = false, hand = false, bits = false, one = true, first_sin = false;
};

// The threads of whoever ran last go to sleep before the other side is timed.
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

struct Sides {
  bool one = false;
  std::unique_ptr<JaxProcess> jax, jax_one;
  std::vector<Case> hand;
};

int restarts(const Sides& s) { return (s.jax ? s.jax->restarts() : 0) + (s.jax_one ? s.jax_one->restarts() : 0); }

void measure(Row& row, const Case& c, const Options& o, Sides& sides) {
  try {
    Timed ours(c, setup_of(o.devices));
    std::optional<Timed> ours_one;
    if (sides.one) ours_one.emplace(c, setup_of(1));
    std::optional<Timed> hand;
    for (const Case& h : sides.hand)
      if (h.name == c.name) hand.emplace(h, setup_of(1));
    std::string error, error_one;  // of JAX on 8 devices, on one: where one fails the other goes on
    auto ask = [&](std::unique_ptr<JaxProcess>& jax, std::vector<double>& to, std::string& why) {
      if (!jax || !why.empty()) return;
      rest();
      if (auto ms = jax->round(c.name, why)) to.push_back(*ms);
    };
    const int before = restarts(sides);
    for (int i = 0; i < o.rounds; ++i) {
      rest();
      row.ours.push_back(ours.round());
      rest();
      if (hand) row.hand.push_back(hand->round());
      ask(sides.jax, row.jax, error);
      rest();
      if (ours_one) row.ours_one.push_back(ours_one->round());
      ask(sides.jax_one, row.jax_one, error_one);
    }
    row.error = error.empty() && !error_one.empty() ? "on one device: " + error_one : error;
    if (const int n = restarts(sides) - before; n > 0 && row.error.empty())
      row.error = fmt::format("JAX died or hung and was started anew {}", n == 1 ? "once" : fmt::format("{} times", n));
  } catch (const std::exception& e) {
    row.error = e.what();
    row.ours.clear();
  }
}

void say_without_jax(const Options& o) {
  fmt::print("{} cannot import jax: only tutti runs here (--python PATH names another Python)\n",
             o.python.empty() ? "python3" : o.python);
}

int run_processes(const Options& o) {
  ProcessOptions p{o.processes, o.rounds, o.seconds, o.filter, o.json, "", o.processes_script};
  if (o.compare) {
    p.python = find_jax(o.python).value_or("");
    if (p.python.empty()) say_without_jax(o);
  }
  return compare_processes(p);
}

// "2,8,16" as numbers; "all": 1, 2, 4 ... and as many as the machine has cores for.
std::vector<int> numbers_of(const std::string& option, const std::string& text) {
  std::vector<int> out;
  if (text == "all") {
    for (int n = 1; n < default_num_threads(); n *= 2) out.push_back(n);
    out.push_back(default_num_threads());
    return out;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    int n = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, n);
    if (error != std::errc() || rest != text.data() + end || n < 1 || n > 4096)
      throw CommandLineError(option + " " + text + ": numbers from 1 to 4096 with commas between them");
    out.push_back(n);
    at = end + 1;
  }
  return out;
}

int run(const Options& o) {
  std::vector<Case> cases = all_cases();
  if (!o.filter.empty()) {
    std::regex wanted(o.filter);
    std::erase_if(cases, [&](const Case& c) { return !std::regex_search(c.name, wanted); });
    if (cases.empty()) throw CommandLineError("--filter: no case matches " + o.filter + "; --list shows them");
  } else if (!o.list) {
    std::erase_if(cases, [](const Case& c) { return c.by_name; });
  }
  if (o.list) {
    for (const Case& c : cases) fmt::print("{}\n", c.name);
    return 0;
  }
  if (!o.cores.empty()) {
    PredictionOptions p{o.machine, o.devices, o.rounds, o.json};
    p.machine.cores = numbers_of("--cores", o.cores);
    return predict(cases, p);
  }
  if (o.bits)
    return compare_bits(cases, o.threads.empty() ? std::vector{1, 2, 3, 7, 16} : numbers_of("--threads", o.threads),
                        o.devices);
  if (!o.threads.empty()) {
    ThreadTableOptions t{numbers_of("--threads", o.threads), o.devices, o.rounds, o.limit, o.json, "", o.script};
    if (o.compare) {
      t.python = find_jax(o.python).value_or("");
      if (t.python.empty()) say_without_jax(o);
    }
    return print_thread_table(cases, t);
  }
  Sides sides;
  sides.one = o.one && o.devices != 1;
  if (o.compare) {
    if (auto python = find_jax(o.python)) {
      sides.jax = std::make_unique<JaxProcess>(*python, o.script, o.devices);
      if (sides.one) sides.jax_one = std::make_unique<JaxProcess>(*python, o.script, 1);
    } else {
      say_without_jax(o);
    }
  }
  if (o.hand) sides.hand = all_by_hand();
  const Columns columns{.one = sides.one, .jax = sides.jax != nullptr, .hand = !sides.hand.empty()};
  fmt::print("medians of {} rounds, {} devices, backend {}\n", o.rounds, o.devices, config::backend());
  print_header(columns);
  std::vector<Row> rows;
  for (const Case& c : cases) {
    Row& row = rows.emplace_back();
    row.name = c.name;
    row.must = o.devices == 8 ? must_of(c.name) : 0;
    measure(row, c, o, sides);
    print_row(row, columns);
  }
  print_summary(rows, columns);
  if (!o.json.empty()) {
    std::ofstream out(o.json);
    if (!(out << json_text(rows, o.devices))) throw std::runtime_error("cannot write " + o.json);
  }
  for (const Row& r : rows)
    if (r.ours.empty()) return 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CommandLine line("Times tutti, alone or beside JAX.");
  line.flag("--list", o.list, "print the names of the cases");
  line.add("--filter", o.filter,
           "only cases whose name this regular expression finds; those of files_ (1 GiB to the disk and back) "
           "run only so");
  line.add("--rounds", o.rounds, "how often each side is timed").between(1, 1000).with_default();
  line.add("--devices", o.devices, "8 (a 4x2 mesh) or 1").one_of({"1", "8"}).with_default();
  line.flag("!--no-one", o.one, "leave out the columns of one device");
  line.add("--json", o.json, "also write all rounds to this file");
  line.flag("--compare-jax", o.compare, "time JAX as well, in turn with tutti");
  line.flag("--by-hand", o.hand, "time hand-written C++ for AVX-512 as well, for the cases that have it");
  line.add("--cores", o.cores,
           "predict the time with so many cores (2,8,16,64) from each task's time on one thread; measured beside it "
           "where this machine has them");
  line.add("--bandwidth", o.machine.bandwidth, "with --cores: GB/s of that machine's memory");
  line.add("--threads", o.threads,
           "a column for each of these numbers of threads (1,2,4 or all: up to as many as there are cores), and their "
           "speed-up");
  line.add("--limit", o.limit, "with --threads: seconds after which no further case begins");
  line.flag("--bits", o.bits, "compare the results with 1, 2, 3, 7 and 16 threads (or --threads), byte by byte");
  line.add("--python", o.python, "a Python with jax (default: python3)");
  line.add("--processes", o.processes, "cases of that many processes with a thread each, started by mpirun")
      .one_of({"1", "2", "4", "8"});
  line.add("--seconds", o.seconds, "with --processes: how long a case is timed in a round").with_default();
  line.add("--process-cases", o.process_cases, "time these as one process of a job").hidden();
  line.add("--jax-side", o.script, "the script that runs there").hidden();
  line.add("--alone", o.alone, "time the first run of one case").hidden();
  line.flag("--first-sin", o.first_sin, "what startup_first_sin runs").hidden();
  try {
    if (line.parse(argc, argv)) return 0;
    if (o.first_sin) {
      set_cpu_devices(8);
      fmt::print("{}\n", sin(ones({4})).sum().item<float>());
      return 0;
    }
    if (!o.alone.empty()) {
      for (const Case& c : all_cases())
        if (c.name == o.alone) fmt::print("{}\n", first_run(c, setup_of(o.devices)));
      return 0;
    }
    if (!o.process_cases.empty()) {
      run_process_cases(o.process_cases, o.seconds);
      return 0;
    }
    return o.processes > 1 ? run_processes(o) : run(o);
  } catch (const CommandLineError& e) {
    std::cerr << "bench: " << e.what() << "\n";
  } catch (const std::regex_error&) {
    std::cerr << "bench: --filter " << o.filter << ": not a regular expression\n";
  } catch (const std::exception& e) {
    std::cerr << "bench: " << e.what() << "\n";
    return 1;
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
