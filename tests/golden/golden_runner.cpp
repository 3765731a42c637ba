// golden_runner FILE...: runs every case of golden files (JSON) and prints per file `N passed, D different, 0 failed`.
// "different": a row of differences.md names the case (or the kind of difference that its handler found) and says why.
// Such a case is run as well, by a check of what tutti does instead: it has failed when tutti does anything else, also
// when it agrees with JAX after all. A case that no handler knows has failed. Exit code 1 when something failed, 2 on
// bad input.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "golden/golden.hpp"
#include "options/command_line.hpp"

namespace golden {
namespace {

struct Schema {
  std::vector<std::string> lists;                // all top-level lists of such a file
  std::multimap<std::string, Handler> handlers;  // by list; one that throws Unknown leaves the case to the next
  struct Check {
    std::string list, name;
    Handler run;
  };
  std::vector<Check> deviations;
};
std::vector<Schema>& schemas() {
  static std::vector<Schema> all;
  return all;
}
Schema& schema_with(const std::vector<std::string>& lists) {
  for (Schema& s : schemas())
    if (s.lists == lists) return s;
  return schemas().emplace_back(Schema{lists, {}, {}});
}
bool fits(const std::string& glob, const std::string& name) {
  return glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

struct Difference {
  std::string file, name, reason;
};

// Lines of the table: | file | glob of case names | reason |
std::vector<Difference> read_differences(const std::filesystem::path& path) {
  std::vector<Difference> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '|') continue;
    std::vector<std::string> cells;
    std::string cell;
    for (char c : line.substr(1)) {
      if (c != '|') {
        cell += c;
        continue;
      }
      std::size_t a = cell.find_first_not_of(" `"), b = cell.find_last_not_of(" `");
      cells.push_back(a == std::string::npos ? "" : cell.substr(a, b - a + 1));
      cell.clear();
    }
    if (cells.size() >= 3 && cells[0] != "file" && cells[0].find("--") == std::string::npos)
      out.push_back({cells[0], cells[1], cells[2]});
  }
  return out;
}

struct Tally {
  int passed = 0, different = 0, failed = 0;
};

const Schema* schema_of(const json& file) {
  const Schema* best = nullptr;
  for (const Schema& s : schemas()) {
    bool all =
        std::all_of(s.lists.begin(), s.lists.end(), [&](const std::string& list) { return file.contains(list); });
    if (all && (!best || s.lists.size() > best->lists.size())) best = &s;
  }
  return best;
}

void run_case(const std::vector<Handler>& handlers, const std::string& list, const json& test) {
  std::string unknown;
  for (const Handler& handler : handlers) {
    try {
      return handler(test);
    } catch (const Unknown& e) {
      unknown += (unknown.empty() ? "" : "; ") + std::string(e.what());
    }
  }
  throw Unknown(unknown.empty() ? "no handler for list `" + list + "`" : unknown);
}

const Handler* deviation_of(const Schema& schema, const std::string& list, const std::string& name) {
  for (const Schema::Check& c : schema.deviations)
    if (c.list == list && fits(c.name, name)) return &c.run;
  return nullptr;
}

// What JAX said of its CPU's devices, said of those of this platform.
std::string of_this_platform(std::string text) {
  if (config::platform() != "simulated") return text;
  text = std::regex_replace(text, std::regex("CpuDevice\\("), "SimDevice(");
  text = std::regex_replace(text, std::regex("CPU\\b"), "SIM");
  return std::regex_replace(text, std::regex("C(\xe2\x80\xa6|\\\\u2026)"), "S$1");
}

Tally run_file(const std::string& path, const std::vector<Difference>& differences, const std::string& only,
               bool verbose) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  json file = json::parse(of_this_platform({std::istreambuf_iterator<char>(in), {}}));
  std::string base = std::filesystem::path(path).filename().string();
  const Schema* schema = schema_of(file);
  Tally tally;
  for (const auto& [list, cases] : file.items()) {
    if (!cases.is_array()) continue;
    std::vector<Handler> handlers;
    if (schema)
      for (auto [at, end] = schema->handlers.equal_range(list); at != end; ++at) handlers.push_back(at->second);
    for (const json& test : cases) {
      std::string name = test.is_object() ? test.value("name", list) : list;
      if (!only.empty() && fnmatch(only.c_str(), name.c_str(), 0) != 0) continue;
      auto row = [&](const std::string& wanted) {
        return std::find_if(differences.begin(), differences.end(),
                            [&](const Difference& d) { return fits(d.file, base) && fits(d.name, wanted); });
      };
      auto known = row(name);
      auto different = [&](const std::string& wanted) {
        auto found = row(wanted);
        if (found == differences.end()) throw Mismatch("differences.md has no row " + wanted);
        ++tally.different;
        if (verbose) fmt::print("  different  {}: {}\n", name, found->reason);
      };
      try {
        const Handler* check = schema ? deviation_of(*schema, list, name) : nullptr;
        if (check) {
          (*check)(test);
          different(name);
          continue;
        }
        try {
          run_case(handlers, list, test);
        } catch (const Different& e) {
          std::string kind = e.what();
          different(kind.empty() ? name : "(" + kind + ")");
          continue;
        }
        if (known != differences.end())
          throw Mismatch("it agrees, or nothing checks it, but differences.md says: " + known->reason);
        ++tally.passed;
      } catch (const std::exception& e) {
        ++tally.failed;
        fmt::print(tutti::process_index() == 0 ? stdout : stderr, "  failed     {}: {}\n", name, e.what());
      }
    }
  }
  return tally;
}

}  // namespace

Registration::Registration(std::vector<std::string> lists, std::string list, Handler handler) {
  schema_with(lists).handlers.emplace(std::move(list), std::move(handler));
}
Deviations::Deviations(std::vector<std::string> lists, std::string list,
                       std::vector<std::pair<std::string, Handler>> checks) {
  Schema& schema = schema_with(lists);
  for (auto& [name, check] : checks) schema.deviations.push_back({list, name, std::move(check)});
}

}  // namespace golden

int main(int argc, char** argv) {
  tutti::distributed::initialize();
  CommandLine line("Compares tutti with golden files");
  std::vector<std::string> files;
  std::string only, differences = (std::filesystem::path(__FILE__).parent_path() / "differences.md").string();
  bool verbose = false;
  line.add("files", files, "golden files (JSON)").required();
  line.add("--only", only, "glob of case names");
  line.add("--differences", differences, "table of deliberate differences");
  line.flag("-v,--verbose", verbose, "name the different cases too");
  if (const auto code = line.parse_or_exit_code(argc, argv)) return *code;
  int failed = 0;
  try {
    std::vector<golden::Difference> known = golden::read_differences(differences);
    for (const std::string& path : files) {
      golden::Tally t = golden::run_file(path, known, only, verbose);
      fmt::print("{}: {} passed, {} different, {} failed\n", std::filesystem::path(path).filename().string(), t.passed,
                 t.different, t.failed);
      failed += t.failed;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "golden_runner: {}\n", e.what());
    return 2;
  }
  return failed ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
