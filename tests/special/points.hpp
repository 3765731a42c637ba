// Recorded values of the special functions, and how far ours are from them.
#pragma once

#include <iosfwd>
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
};
/// The next block of a file; none at its end. Throws ValueError where the file is cut short.
std::optional<Block> read_block(std::istream& in);

struct Deviation {
  double most = 0;                   // units in the last place
  std::size_t at = 0;                // the point that has it
  double got = 0;                    // there
  std::vector<std::size_t> outside;  // points beyond the bound
};
Deviation compare(const Function& f, const Block& block);
/// `name(arguments) = got, not value`.
std::string described(const Block& block, std::size_t point, double got);

}  // namespace tutti::sweep
