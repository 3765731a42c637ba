// golden_runner FILE...: runs every case of golden files (JSON) and prints per file `N passed, D different, 0 failed`.
// "different": a row of differences.md names the case (or the kind of difference that its handler found) and says why. Such a case is run as well: one
// that agrees after all has failed, and so has one that breaks inside tutti. Exit code 1 when something failed, 2 on bad input.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "golden/golden.hpp"

namespace golden {
namespace {

struct Schema {
  std::vector<std::string> lists;                 // all top-level lists of such a file
  std::multimap<std::string, Handler> handlers;   // by list; one that throws Unknown leaves the case to the next
};
std::vector<Schema>& schemas() {
  static std::vector<Schema> all;
  return all;
}

struct Difference { std::string file, name, reason; };

// Lines of the table: | file | glob of case names | reason |
std::vector<Difference> read_differences(const std::filesystem::path& path) {
  std::vector<Difference> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '|') continue;
    std::vector<std::string> cells;
    std::string cell;
    for (char c : line.substr(1)) {
      if (c != '|') { cell += c; continue; }
      std::size_t a = cell.find_first_not_of(" `"), b = cell.find_last_not_of(" `");
      cells.push_back(a == std::string::npos ? "" : cell.substr(a, b - a + 1));
      cell.clear();
    }
    if (cells.size() >= 3 && cells[0] != "file" && cells[0].find("--") == std::string::npos) out.push_back({cells[0], cells[1], cells[2]});
  }
  return out;
}

struct Tally { int passed = 0, different = 0, failed = 0; };

const Schema* schema_of(const json& file) {
  const Schema* best = nullptr;
  for (const Schema& s : schemas()) {
    bool fits = true;
    for (const std::string& list : s.lists) fits = fits && file.contains(list);
    if (fits && (!best || s.lists.size() > best->lists.size())) best = &s;
  }
  return best;
}

void run_case(const std::vector<Handler>& handlers, const std::string& list, const json& test) {
  for (std::size_t i = 0; i < handlers.size(); ++i) {
    try {
      return handlers[i](test);
    } catch (const Unknown&) {
      if (i + 1 == handlers.size()) throw;
    }
  }
  throw Unknown("no handler for list `" + list + "`");
}

Tally run_file(const std::string& path, const std::vector<Difference>& differences, const std::string& only, bool verbose) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  json file = json::parse(in);
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
        return std::find_if(differences.begin(), differences.end(), [&](const Difference& d) {
          return fnmatch(d.file.c_str(), base.c_str(), 0) == 0 && (d.name == wanted || fnmatch(d.name.c_str(), wanted.c_str(), 0) == 0);
        });
      };
      auto known = row(name);
      auto different = [&](const std::string& reason) {
        ++tally.different;
        if (verbose) fmt::print("  different  {}: {}\n", name, reason);
      };
      auto failed = [&](const std::string& why) {
        ++tally.failed;
        fmt::print("  failed     {}: {}\n", name, why);
      };
      try {
        run_case(handlers, list, test);
        if (known != differences.end()) failed("it agrees, but differences.md says: " + known->reason);
        else ++tally.passed;
      } catch (const Different& e) {
        auto kind = row("(" + std::string(e.what()) + ")");
        if (kind == differences.end()) failed("differences.md has no row (" + std::string(e.what()) + ")");
        else different(kind->reason);
      } catch (const tutti::InternalError& e) {
        failed(e.what());
      } catch (const std::exception& e) {
        if (known != differences.end()) different(known->reason);
        else failed(e.what());
      }
    }
  }
  return tally;
}

}  // namespace

Registration::Registration(std::vector<std::string> lists, std::string list, Handler handler) {
  for (Schema& s : schemas())
    if (s.lists == lists) {
      s.handlers.emplace(std::move(list), handler);
      return;
    }
  schemas().push_back({std::move(lists), {{std::move(list), handler}}});
}

}  // namespace golden

int main(int argc, char** argv) {
  CLI::App app("Compares tutti with golden files");
  std::vector<std::string> files;
  std::string only, differences = (std::filesystem::path(__FILE__).parent_path() / "differences.md").string();
  bool verbose = false;
  app.add_option("files", files, "golden files (JSON)")->required();
  app.add_option("--only", only, "glob of case names");
  app.add_option("--differences", differences, "table of deliberate differences");
  app.add_flag("-v,--verbose", verbose, "name the different cases too");
  CLI11_PARSE(app, argc, argv);
  int failed = 0;
  try {
    std::vector<golden::Difference> known = golden::read_differences(differences);
    for (const std::string& path : files) {
      golden::Tally t = golden::run_file(path, known, only, verbose);
      fmt::print("{}: {} passed, {} different, {} failed\n", std::filesystem::path(path).filename().string(), t.passed, t.different, t.failed);
      failed += t.failed;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "golden_runner: {}\n", e.what());
    return 2;
  }
  return failed ? 1 : 0;
}
