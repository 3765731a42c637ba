// Every special function and distribution beside recorded values, in both precisions: `./dev sweep special`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
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
  int shown = 0;
};

// How many points of a file lie outside. Their numbers are written beside it.
std::size_t sweep(const Function& f, const std::filesystem::path& path, const Options& options) {
  std::ifstream in(path, std::ios::binary);
  const std::optional<Block> block = in ? read_block(in) : std::nullopt;
  if (!block) throw ValueError(path.string() + ": no recorded values");
  const Deviation d = compare(f, *block);
  const double bound = block->precision == 32 ? f.units32 : f.units64;
  fmt::print("{:<18} float{} {:>7} points {:>10.4g} units (bound {:g}) {}\n", f.name, block->precision,
             block->value.size(), d.most, bound,
             d.outside.empty() ? "" : fmt::format("{} outside, {}", d.outside.size(), described(*block, d.at, d.got)));
  for (std::size_t i = 0, step = d.outside.size() / std::max(options.shown, 1) + 1; i < d.outside.size(); i += step) {
    if (options.shown == 0) break;
    Block one = *block;
    for (std::vector<double>& x : one.arguments) x = {x[d.outside[i]]};
    one.value = {one.value[d.outside[i]]};
    one.sensitivity = {one.sensitivity[d.outside[i]]};
    const Deviation here = compare(f, one);
    fmt::print("    {:.4g} units: {}\n", here.most, described(one, 0, here.got));
  }
  std::fflush(stdout);
  std::filesystem::path outside = path;
  outside += ".outside";
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
  std::size_t swept = 0, outside = 0;
  for (const Function& f : functions()) {
    if (f.name.find(options.filter) == std::string::npos) continue;
    bool within = true;
    for (const char* precision : {".32", ".64"})
      within = sweep(f, std::filesystem::path(options.folder) / (f.name + precision), options) == 0 && within;
    ++swept;
    outside += !within;
  }
  for (const Function& f : functions())
    if (!f.exception.empty()) fmt::print("{}: {}\n", f.name, f.exception);
  fmt::print("{} functions, {} outside their bounds\n", swept, outside);
  return outside > 0;
}

}  // namespace
}  // namespace tutti::sweep

int main(int argc, char** argv) {
  tutti::sweep::Options options;
  CLI::App app("Special functions beside recorded values.");
  app.add_option("folder", options.folder, "what tools/record_special.py wrote")->required();
  app.add_option("--filter", options.filter, "functions whose names contain this");
  app.add_option("--show", options.shown, "print about so many of a function's points outside");
  CLI11_PARSE(app, argc, argv);
  try {
    return tutti::sweep::run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
