// Random programs on random meshes, isolated and global: `./dev fuzz --seed S --programs N`. A failure is shrunk and
// printed as a test.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <map>

#include "fuzz/shrink.hpp"
#include "options/command_line.hpp"
#include "tutti/debug/debug.hpp"

namespace {

struct Options {
  unsigned seed = 1;
  int programs = 100;
  bool verbose = false, print = false;
  std::string pretend;
  tutti::fuzz::Limits limits;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What devices sent, over all programs: a run in which nothing moved shows nothing.
void print_sent() {
  std::map<std::string, std::int64_t> kinds;
  for (const auto& row : tutti::debug::traffic().rows) kinds[row.kind] += row.count;
  std::string text;
  for (const auto& [kind, count] : kinds) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  fmt::print("sent: {}\n", text.empty() ? "nothing" : text);
}

int fuzz(const Options& o) {
  using namespace tutti::fuzz;
  const auto wrong_with = [&](const Recipe& r) -> std::string {
    if (o.pretend.empty()) return mismatch(r);
    for (const std::string& line : lines_of(r))
      if (line.find(o.pretend) != std::string::npos) return "holds " + o.pretend;
    return "";
  };
  tutti::debug::reset_traffic();
  int made = 0, unfit = 0, wrong = 0, broken = 0;
  // Recipes that say nothing are left out; there are few.
  for (unsigned i = 0; made < o.programs; ++i) {
    const unsigned seed = o.seed * 1000003u + i;
    const Recipe r = make_recipe(seed, o.limits);
    const auto start = std::chrono::steady_clock::now();
    try {
      const std::string what = wrong_with(r);
      ++made;
      if (o.verbose) fmt::print("seed {}: {} steps, {:.3f} s\n", seed, r.steps.size(), seconds_since(start));
      if (o.print) fmt::print("{}\n", as_test(r));
      if (what.empty()) continue;
      ++wrong;
      const Recipe least = shrunk(r, wrong_with);
      fmt::print("seed {}: {}\nshrunk: {}\n{}\n", seed, what, wrong_with(least), as_test(least));
      std::fflush(stdout);
    } catch (const NotExact&) {
      ++unfit;
    } catch (const std::exception& e) {
      ++broken;
      fmt::print("seed {}: no program: {}\n", seed, e.what());
    }
    if (broken > 20) break;
  }
  if (unfit > 0) fmt::print("{} more were left out: their numbers grew too large\n", unfit);
  print_sent();
  fmt::print("{} programs, {} mismatches\n", made, wrong);
  return wrong > 0 || broken > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CommandLine line("Runs random programs on isolated devices and as they are written, and compares.");
  line.add("--seed", o.seed, "other programs for another number").with_default();
  line.add("--programs", o.programs, "how many").between(1, 1 << 30).with_default();
  line.add("--ops", o.limits.ops, "operations of the longest").between(1, 1000).with_default();
  line.add("--axes", o.limits.axes, "axes of a mesh at most").between(1, 3).with_default();
  line.flag("--print", o.print, "print every program as a test");
  line.add("--pretend", o.pretend, "call those wrong that hold this text, and run nothing: shows how they shrink");
  line.flag("--verbose", o.verbose, "a line for each program");
  try {
    if (line.parse(argc, argv)) return 0;
    return fuzz(o);
  } catch (const CommandLineError& e) {
    std::cerr << "fuzz: " << e.what() << "\n";
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
