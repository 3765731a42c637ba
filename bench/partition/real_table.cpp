#include "real_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "plan.hpp"
#include "real/by_hand.hpp"
#include "real_score.hpp"

namespace bench {
namespace {

std::string ratio_text(double ratio) {
  return std::isinf(ratio) ? "inf" : ratio < 100 ? fmt::format("{:.3f}", ratio) : grouped(ratio);
}
std::string mesh_text(const MeshAxes& mesh) {
  std::string out;
  for (std::int64_t n : mesh.sizes) out += fmt::format("{}{}", out.empty() ? "" : "x", n);
  return out;
}

void print_head(const char* trade) {
  fmt::print("\n{:<20} {:<66} {:<5} {:>11} {:>11} {:>9} {:>9} {:>11} {:>8} {:<5} {}\n", trade, "spelling", "mesh",
             "ideal", "tutti", "ratio", "work", "XLA", "ms", "cause", "collectives");
}
void print_row(const RealScore& s) {
  const Row& r = s.row;
  if (!s.error.empty()) {
    fmt::print("{:<20} {:<66} FAILED: {}\n", r.number, r.title, s.error);
    return;
  }
  fmt::print("{:<20} {:<66} {:<5} {:>11} {:>11} {:>9} {:>9.3f} {:>11} {:>8.1f} {:<5} {}\n", r.number, r.title,
             mesh_text(r.mesh), grouped(r.bytes.optimum), grouped(s.bytes), ratio_text(s.ratio()), s.work,
             r.bytes.xla ? grouped(*r.bytes.xla) : "", 1e3 * s.seconds, s.meets() ? "" : r.cause, s.collectives);
  if (s.ran)
    fmt::print("  {}: differs by {:.1e}, sent {} of {} planned, {:.1f} s\n", s.ran->good() ? "ran" : "RAN WRONG",
               s.ran->difference, grouped(s.ran->sent), grouped(s.ran->planned), s.ran->seconds);
}

// Plans `row` and runs `small`; `reference` has its results on one device.
RealScore score_of(Row row, Row small, const Function& reference, const std::string& trade, const RealOptions& o) {
  if (o.free) {
    row.outputs.clear();
    small.outputs.clear();
  }
  try {
    RealScore out = scored(row, trade, o.verbose);
    if (o.run) out.ran = run_on_devices(small, reference);
    return out;
  } catch (const std::exception& e) {
    RealScore out{row, trade};
    out.error = e.what();
    return out;
  }
}

// The rows that are written by hand as well, with that in place of their programs.
std::vector<RealScore> score_by_hand(const RealOptions& o) {
  const std::regex wanted(o.filter.empty() ? ".*" : o.filter);
  std::map<std::string, std::pair<Row, Row>> rows;  // as planned and as run
  for (const real::Trade& trade : real::trades()) {
    const std::vector<Row> planned = trade.rows({}), small = trade.rows(real::Extents::small());
    for (std::size_t i = 0; i < planned.size(); ++i) rows.insert({planned[i].number, {planned[i], small[i]}});
  }
  const std::vector<real::ByHand> planned = real::by_hand({}), small = real::by_hand(real::Extents::small());
  std::vector<RealScore> out;
  print_head("by hand");
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const auto& [row, small_row] = rows.at(planned[i].row);
    if (!std::regex_search(row.number + " " + row.title, wanted)) continue;
    out.push_back(score_of(real::row_by_hand(row, planned[i].block, planned_mesh(row)),
                           real::row_by_hand(small_row, small[i].block, mesh_of(small_row.mesh)), small_row.program,
                           "by hand", o));
    RealScore& s = out.back();
    if (s.error.empty() && std::abs(s.bytes - s.row.bytes.optimum) >= 1)
      s.error = fmt::format("sends {:.0f} bytes, the ideal is {:.0f}", s.bytes, s.row.bytes.optimum);
    print_row(s);
  }
  return out;
}

std::vector<RealScore> score_all(const RealOptions& o) {
  const std::regex wanted(o.filter.empty() ? ".*" : o.filter);
  std::vector<RealScore> out;
  for (const real::Trade& trade : real::trades()) {
    const std::vector<Row> rows = trade.rows({}), small = trade.rows(real::Extents::small(o.uneven ? 1 : 0));
    bool first = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!std::regex_search(fmt::format("{} {} {}", rows[i].number, trade.name, rows[i].title), wanted)) continue;
      if (first) print_head(trade.name);
      first = false;
      out.push_back(score_of(rows[i], small[i], small[i].program, trade.name, o));
      print_row(out.back());
      std::fflush(stdout);
    }
  }
  return out;
}

template <class Which> std::string names_of(const std::vector<RealScore>& all, const Which& which) {
  std::string out;
  for (const RealScore& s : all)
    if (which(s)) out += " " + s.row.number;
  return out.empty() ? " none" : out;
}

void print_summary(const std::vector<RealScore>& all, bool ran) {
  auto count = [&](const auto& which) { return std::count_if(all.begin(), all.end(), which); };
  auto above = [&](double limit) {
    return count([limit](const RealScore& s) { return s.error.empty() && s.ratio() > limit; });
  };
  auto works = [](const RealScore& s) { return s.error.empty() && s.work <= most_work; };
  double seconds = 0;
  for (const RealScore& s : all) seconds += s.seconds;
  fmt::print("\nwithin 1.1 of the ideal: {} of {}; above 2: {}, above 10: {}, above 100: {}\n",
             count([](const RealScore& s) { return s.meets(); }), all.size(), above(2), above(10), above(100));
  fmt::print("work at most {}: {}; that and within 1.1: {}\n", most_work, count(works),
             count([&](const RealScore& s) { return works(s) && s.meets(); }));
  const std::string less = names_of(all, [](const RealScore& s) { return s.error.empty() && s.xla_sends_less(); });
  fmt::print("XLA sends less on {} of {}:{}\n", count([](const RealScore& s) { return s.xla_sends_less(); }),
             count([](const RealScore& s) { return s.row.bytes.xla.has_value(); }), less);
  fmt::print("planning of all: {:.1f} ms\n", 1e3 * seconds);
  if (ran) fmt::print("ran as they should: {}\n", count([](const RealScore& s) { return s.ran && s.ran->good(); }));
  if (count([](const RealScore& s) { return s.failed(); }))
    fmt::print("failed:{}\n", names_of(all, [](const RealScore& s) { return s.failed(); }));
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}
void write(const std::string& path, const std::string& text) {
  if (!(std::ofstream(path) << text << std::flush)) throw std::runtime_error("cannot write " + path);
}

bool is_as_recorded(const std::vector<RealScore>& all, const std::string& path) {
  const std::string text = text_of(path);
  const std::vector<std::string> worse = worse_than_recorded(all, text);
  for (const std::string& line : worse) fmt::print("WORSE THAN RECORDED: {}\n", line);
  const std::vector<std::string> better = better_than_recorded(all, text);
  if (!better.empty()) fmt::print("better than recorded (--record {} keeps it): {}\n", path, fmt::join(better, " "));
  return worse.empty();
}

}  // namespace

int print_real_table(const RealOptions& o) {
  const bool changed = o.free || o.by_hand;
  if (!o.record.empty() && (changed || !o.filter.empty()))
    throw std::runtime_error("--record writes all rows as they are: without --filter, --free and --by-hand");
  if (!o.check.empty() && changed)
    throw std::runtime_error("--check is for rows as they are: without --free, --by-hand");
  const std::vector<RealScore> all = o.by_hand ? score_by_hand(o) : score_all(o);
  if (all.empty()) throw std::runtime_error("no row matches " + o.filter);
  print_summary(all, o.run);
  if (!o.json.empty()) write(o.json, json_text(all));
  bool good = std::none_of(all.begin(), all.end(), [](const RealScore& s) { return s.failed(); });
  if (!o.check.empty()) good &= is_as_recorded(all, o.check);
  if (!o.record.empty()) write(o.record, record_text(all));
  return good ? 0 : 1;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
