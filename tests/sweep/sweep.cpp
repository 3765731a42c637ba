// Every special function and distribution beside recorded values, in both precisions: `./dev sweep special`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "special/functions.hpp"
#include "special/points.hpp"
#include "tutti/tutti.hpp"

namespace tutti::sweep {
namespace {

struct Options {
  std::string folder, filter;
  std::size_t shown = 0;
};

std::filesystem::path beside(std::filesystem::path path, const char* extension) { return path += extension; }

// The largest error of SciPy's where mpmath's values stand.
std::string of_scipy(const Block& block) {
  double most = 0;
  std::size_t differ = 0;
  for (const auto& [point, value] : block.scipy) {
    const double error = units(block.precision, value, block.value[point], block.sensitivity[point]);
    differ += error > 0.5;
    most = std::max(most, error);
  }
  return differ ? fmt::format("  SciPy: {:.4g} at {} points", most, differ) : "";
}

void show(const Function& f, const Block& block, const Deviation& d, std::size_t point) {
  const double error = units(block.precision, d.got[point], block.value[point], block.sensitivity[point]);
  const auto old = block.scipy.find(point);
  fmt::print("    {:.4g} units (bound {:g}): {}{}\n", error,
             f.bound(block.at(point).data(), block.precision == 32).units, described(block, point, d.got[point]),
             old == block.scipy.end() ? "" : fmt::format(" (mpmath's; SciPy's is {})", old->second));
}

// How many points of a file lie outside. Their numbers are written beside it.
std::size_t sweep(const Function& f, const std::filesystem::path& path, const Options& options) {
  std::ifstream in(path, std::ios::binary);
  std::optional<Block> block = in ? read_block(in) : std::nullopt;
  if (!block) throw ValueError(path.string() + ": no recorded values");
  read_judged(beside(path, ".judged"), *block);
  const Deviation d = compare(f, *block);
  const bool single = block->precision == 32;
  const Deviation::Region& all = d.regions.back();
  fmt::print("{:<18} float{} {:>6} points {:>9.4g} units (bound {:g}){}{}\n", f.name, block->precision, all.points,
             all.most, single ? f.units32 : f.units64, of_scipy(*block),
             d.outside.empty() ? "" : fmt::format("  OUTSIDE: {}", d.outside.size()));
  for (std::size_t k = 0; k < f.exceptions.size(); ++k)
    fmt::print("    except {:>6} points {:>9.4g} units (bound {:g}): {}\n", d.regions[k].points, d.regions[k].most,
               single ? f.exceptions[k].units32 : f.exceptions[k].units64, f.exceptions[k].reason);
  if (!d.outside.empty()) show(f, *block, d, d.worst);
  for (std::size_t i = 0; options.shown && i < d.outside.size(); i += d.outside.size() / options.shown + 1)
    show(f, *block, d, d.outside[i]);
  std::fflush(stdout);
  const std::filesystem::path outside = beside(path, ".outside");
  if (d.outside.empty()) {
    std::filesystem::remove(outside);
  } else {
    std::ofstream out(outside);
    for (std::size_t i : d.outside) out << i << "\n";
  }
  return d.outside.size();
}

int run(const Options& options) {
  enable_x64(true);
  const std::regex filter(options.filter);
  std::size_t swept = 0, outside = 0;
  for (const Function& f : functions()) {
    if (!std::regex_search(f.name, filter)) continue;
    bool within = true;
    for (const char* precision : {".32", ".64"})
      within = sweep(f, std::filesystem::path(options.folder) / (f.name + precision), options) == 0 && within;
    ++swept;
    outside += !within;
  }
  fmt::print("{} functions, {} outside their bounds\n", swept, outside);
  return outside > 0;
}

}  // namespace
}  // namespace tutti::sweep

int main(int argc, char** argv) {
  tutti::sweep::Options options;
  CLI::App app("Special functions beside recorded values.");
  app.add_option("folder", options.folder, "what tools/record_special.py wrote")->required();
  app.add_option("--filter", options.filter, "functions whose names have a match of this");
  app.add_option("--show", options.shown, "print about so many of a function's points outside");
  CLI11_PARSE(app, argc, argv);
  try {
    return tutti::sweep::run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
