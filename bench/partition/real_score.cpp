#include "real_score.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>
#include <nlohmann/json.hpp>

#include "tutti/transform/jit.hpp"

namespace bench {
namespace {

struct Recorded {
  double bytes = 0, work = 1;
};
std::map<std::string, Recorded> recorded(const std::string& text) {
  std::map<std::string, Recorded> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    Recorded r;
    if (!(words >> name >> r.bytes >> r.work)) throw std::runtime_error("not `name bytes work`: " + line);
    out[name] = r;
  }
  return out;
}

std::string collectives_of(const Explanation& plan) {
  std::map<std::string, std::pair<std::int64_t, double>> sums;
  for (const Explanation::Collective& c : plan.collectives) {
    sums[c.kind].first += c.times;
    sums[c.kind].second += c.total_bytes();
  }
  std::string out;
  for (const auto& [kind, sum] : sums)
    out += fmt::format("{}{}x {} {:.0f}", out.empty() ? "" : "; ", sum.first, kind, sum.second);
  return out;
}

// A hundredth, for numbers of work are written with three digits.
bool is_more(double now, double then) { return now > 1.01 * then + 1e-3; }

}  // namespace

double RealScore::ratio() const {
  const double ideal = row.bytes.optimum;
  return bytes == ideal ? 1 : ideal > 0 ? bytes / ideal : INFINITY;
}

Mesh planned_mesh(const Row& row) { return abstract_mesh(row.mesh.sizes, Names(row.mesh.names)); }

RealScore scored(const Row& row, const std::string& trade, bool verbose) {
  RealScore out{row, trade};
  const Mesh mesh = planned_mesh(row);
  Arrays args;
  for (const Input& i : row.inputs) args.push_back(ShapeDtypeStruct(i.shape, i.dtype, NamedSharding(mesh, i.spec)));
  const auto start = std::chrono::steady_clock::now();
  const Explanation plan = compiled(row, mesh).plan(args);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.bytes = plan.bytes();
  out.work = plan.flop_inflation;
  out.messages = plan.messages();
  out.arguments = plan.memory.arguments;
  out.peak = plan.memory.peak;
  out.collectives = collectives_of(plan);
  if (verbose) std::cout << plan.all() << "\n";
  return out;
}

std::string json_text(const std::vector<RealScore>& scores) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const RealScore& s : scores) {
    nlohmann::ordered_json j{{"name", s.row.number}, {"trade", s.trade}, {"spelling", s.row.title}};
    j["mesh"] = s.row.mesh.sizes.str();
    j["ideal"] = s.row.bytes.optimum;
    if (s.row.bytes.xla) j["xla"] = *s.row.bytes.xla;
    if (!s.error.empty()) j["error"] = s.error;
    j["bytes"] = s.bytes;
    if (std::isfinite(s.ratio())) j["ratio"] = s.ratio();
    j["work"] = s.work;
    if (!s.meets()) j["cause"] = s.row.cause;
    j["messages"] = s.messages;
    j["planning_ms"] = 1e3 * s.seconds;
    j["argument_bytes"] = s.arguments;
    j["peak_bytes"] = s.peak;
    j["collectives"] = s.collectives;
    if (s.ran)
      j["run"] = {{"difference", s.ran->difference},
                  {"sent", s.ran->sent},
                  {"planned", s.ran->planned},
                  {"good", s.ran->good()}};
    out.push_back(std::move(j));
  }
  return out.dump(1) + "\n";
}

std::string record_text(const std::vector<RealScore>& scores) {
  std::string out =
      "# name bytes work: what plans of these programs receive per device, and how much work is done "
      "twice.\n# ./dev bench partition --programs real --record FILE\n";
  for (const RealScore& s : scores) out += fmt::format("{} {:.0f} {:.3f}\n", s.row.number, s.bytes, s.work);
  return out;
}

std::vector<std::string> worse_than_recorded(const std::vector<RealScore>& scores, const std::string& text) {
  const auto before = recorded(text);
  std::vector<std::string> out;
  for (const RealScore& s : scores) {
    const auto found = before.find(s.row.number);
    if (found == before.end())
      out.push_back(s.row.number + ": not in the file, record it");
    else if (is_more(s.bytes, found->second.bytes))
      out.push_back(fmt::format("{}: {:.0f} bytes, {:.0f} before", s.row.number, s.bytes, found->second.bytes));
    else if (is_more(s.work, found->second.work))
      out.push_back(fmt::format("{}: work {:.3f}, {:.3f} before", s.row.number, s.work, found->second.work));
  }
  return out;
}

std::vector<std::string> better_than_recorded(const std::vector<RealScore>& scores, const std::string& text) {
  const auto before = recorded(text);
  std::vector<std::string> out;
  for (const RealScore& s : scores)
    if (const auto found = before.find(s.row.number); found != before.end())
      if (is_more(found->second.bytes, s.bytes) || is_more(found->second.work, s.work)) out.push_back(s.row.number);
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
