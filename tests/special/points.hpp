// Recorded values of the special functions, and how far ours are from them.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "special/functions.hpp"

namespace tutti::sweep {

/// What tools/record_special.py writes: of each point the arguments, the value, and sum |x_i df / dx_i|.
struct Block {
  std::string name;
  int precision = 0;
  std::vector<std::vector<double>> arguments;
  std::vector<double> value, sensitivity;
  std::map<std::size_t, double> scipy;  // SciPy's values, where others stand

  std::vector<double> at(std::size_t point) const;
};
/// The next block of a file; none at its end. Throws ValueError where the file is cut short.
std::optional<Block> read_block(std::istream& in);

/// Puts mpmath's values, which the file names by point, instead of SciPy's.
void read_judged(const std::filesystem::path& path, Block& block);

/// In units in the last place.
struct Deviation {
  struct Region {
    std::size_t points = 0, at = 0;  // at: the point of the largest error
    double most = 0;
  };
  std::vector<Region> regions;       // of each exception, at last the others
  std::vector<std::size_t> outside;  // points beyond their bounds
  std::vector<double> got;
  std::size_t worst = 0;  // of the points outside
};
Deviation compare(const Function& f, const Block& block);
/// The error of one number.
double units(int precision, double got, double want, double sensitivity);
/// `name(arguments) = got, not value`.
std::string described(const Block& block, std::size_t point, double got);

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
