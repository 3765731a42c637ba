#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "partition/explain.hpp"
#include "plan.hpp"
#include "run.hpp"

namespace bench {
namespace {

struct Score {
  std::string number;
  double ratio = 0;  // ours to the optimum
  bool met = false, worse_than_xla = false, failed = false, proven = false;
  double planning = 0;
};

// A row is met within one percent of the bytes, and of the FLOPs.
constexpr double slack = 1.01;

double ratio_of(double bytes, double optimum) {
  return bytes == optimum ? 1 : optimum > 0 ? bytes / optimum : INFINITY;
}

std::string verdict(const Score& s, const Plan& plan) {
  std::string out = s.met ? "optimum" : s.ratio <= slack ? "too much work" : "above";
  if (s.worse_than_xla) out += ", WORSE THAN XLA";
  return plan.inflation > slack && !s.met && s.ratio > slack ? out + ", too much work" : out;
}

Score print_row(const Row& row, const TableOptions& o) {
  Score s{row.number};
  try {
    const Plan plan = plan_of(row);
    const Figures& f = row.bytes;
    const double optimum = o.sub_axes ? f.sub_axes.value_or(f.optimum) : f.optimum;
    s.ratio = ratio_of(plan.bytes, optimum);
    s.met = plan.bytes <= slack * optimum && plan.inflation <= slack;
    s.worse_than_xla = f.xla && f.xla_work <= slack && plan.bytes > slack * *f.xla;
    s.planning = plan.planning;
    fmt::print("{:<4} {:<46} {:>13} {:>11} {:>13} {:>11} {:>8.3f} {:>6.3f}  {:<12}  {}\n", row.number, row.title,
               grouped(f.optimum), f.sub_axes ? grouped(*f.sub_axes) : "", grouped(plan.bytes),
               f.xla ? grouped(*f.xla) : "", s.ratio, plan.inflation, verdict(s, plan), plan.collectives);
    if (o.verbose)
      fmt::print("{} equations, recorded in {:.1f} ms, planned in {:.1f} ms\n{}\n", plan.eqns, 1e3 * plan.recording,
                 1e3 * plan.planning, explain(plan.local).all());
    if (o.prove) {
      const Proof proof = proof_of(row);
      const double gap = proof.cost - proof.bound;
      s.proven = gap <= 1e-6 * proof.cost + 1;  // of less than a byte
      fmt::print("     costs {:.1f}, no plan less than {:.1f}: gap {:.1f}\n", proof.cost, proof.bound, gap);
    }
    if (o.run) {
      const Ran ran = run_both_ways(row);
      s.failed = !ran.good();
      fmt::print("     {}: differs by {:.1e}, sent {} of {} planned, {:.1f} s\n", s.failed ? "RAN WRONG" : "ran",
                 ran.difference, grouped(ran.sent), grouped(ran.planned), ran.seconds);
    }
  } catch (const std::exception& e) {
    s.failed = true;
    s.ratio = INFINITY;
    fmt::print("{:<4} {:<46} FAILED: {}\n", row.number, row.title, e.what());
  }
  std::fflush(stdout);
  return s;
}

std::vector<Score> print_rows(const char* title, std::vector<Row> rows, const TableOptions& o) {
  if (!o.filter.empty()) {
    const std::regex wanted(o.filter);
    std::erase_if(rows, [&](const Row& r) { return !std::regex_search(r.number + " " + r.title, wanted); });
  }
  std::vector<Score> out;
  if (rows.empty()) return out;
  fmt::print("\n{:<51} {:>13} {:>11} {:>13} {:>11} {:>8} {:>6}  {:<12}  {}\n", title, "optimum", "sub-axes", "ours",
             "XLA", "ratio", "FLOPs", "verdict", "collectives");
  for (const Row& r : rows) out.push_back(print_row(r, o));
  return out;
}

auto count_met(const std::vector<Score>& all) {
  return std::count_if(all.begin(), all.end(), [](auto& s) { return s.met; });
}

void print_summary(const std::vector<Score>& main, const std::vector<Score>& xla, const std::vector<Score>& further,
                   bool proved) {
  double logs = 0, worst = 0, planning = 0;
  int finite = 0;
  for (const Score& s : main) {
    planning += s.planning;
    worst = std::max(worst, s.ratio);
    if (!std::isfinite(s.ratio) || s.ratio <= 0) continue;
    logs += std::log(s.ratio);
    ++finite;
  }
  std::string worse, failed;
  std::vector<Score> all = main;
  all.insert(all.end(), xla.begin(), xla.end());
  all.insert(all.end(), further.begin(), further.end());
  for (const Score& s : all) {
    if (s.worse_than_xla) worse += " " + s.number;
    if (s.failed) failed += " " + s.number;
  }
  fmt::print("\nat the optimum: {} of {}, geometric mean {:.3f}, worst {:.3f}\n", count_met(main), main.size(),
             finite ? std::exp(logs / finite) : 1, worst);
  fmt::print("spellings: {} of {}\nfurther spellings: {} of {}\n", count_met(main) + count_met(xla),
             main.size() + xla.size(), count_met(further), further.size());
  if (proved) {
    const auto proven = std::count_if(main.begin(), main.end(), [](const Score& s) { return s.proven; });
    fmt::print("gap 0: {} of {}\n", proven, main.size());
  }
  fmt::print("worse than XLA:{}\n", worse.empty() ? " none" : worse);
  fmt::print("planning of all {}: {:.1f} ms\n", main.size(), 1e3 * planning);
  if (!failed.empty()) fmt::print("failed:{}\n", failed);
}

}  // namespace

int print_table(const TableOptions& o) {
  const std::vector<Score> main = print_rows("program", rows(), o);
  const std::vector<Score> xla = print_rows("spelling, measured with XLA", xla_spellings(), o);
  const std::vector<Score> further = print_rows("further spelling", further_spellings(), o);
  if (main.empty() && xla.empty() && further.empty()) throw std::runtime_error("no row matches " + o.filter);
  print_summary(main, xla, further, o.prove);
  auto failed = [](const Score& s) { return s.failed; };
  return std::any_of(main.begin(), main.end(), failed) || std::any_of(xla.begin(), xla.end(), failed) ||
         std::any_of(further.begin(), further.end(), failed);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
