#include "real.hpp"

namespace bench::real {

double borders(const Shape& block, const std::vector<std::int64_t>& rows, bool corners, int item_size) {
  std::vector<std::int64_t> extents(block.begin(), block.end());
  double out = 0;
  for (std::size_t d = 0; d < rows.size(); ++d) {
    double received = static_cast<double>(rows[d]) * item_size;
    for (std::size_t e = 0; e < extents.size(); ++e)
      if (e != d) received *= static_cast<double>(extents[e]);
    out += received;
    if (corners) extents[d] += rows[d];
  }
  return out;
}

const std::vector<Trade>& trades() {
  static const std::vector<Trade> all{
      {"stencils", stencils},     {"grids", grids},         {"images", images},
      {"transforms", transforms}, {"sequences", sequences}, {"language", language},
      {"tables", tables},         {"graphs", graphs},       {"particles", particles},
      {"matrices", matrices},     {"movement", movement},   {"flows", flows},
      {"filters", filters},       {"networks", networks},   {"frames", frames},
      {"layers", layers},         {"solvers", solvers},     {"simulations", simulations},
  };
  return all;
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
