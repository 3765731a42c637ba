// What became of a row of the programs of many trades.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "real/real.hpp"
#include "run.hpp"

namespace bench {

struct RealScore {
  Row row;
  std::string trade;
  double bytes = 0, work = 1, seconds = 0;  // as planned; of planning
  double arguments = 0, peak = 0;           // bytes of a device's memory
  std::int64_t messages = 0;
  std::string collectives;  // `2x permute 8192`
  std::optional<Ran> ran;
  std::string error;  // why it could not be planned or run

  /// Bytes planned, as a multiple of those needed: infinite where none are.
  double ratio() const;
  bool meets() const { return error.empty() && ratio() <= 1.1; }
  bool xla_sends_less() const { return row.bytes.xla && bytes > 1.01 * *row.bytes.xla; }
  bool failed() const { return !error.empty() || (ran && !ran->good()); }
};
constexpr double most_work = 1.05;

/// The mesh of a row, without devices: what plans are for.
Mesh planned_mesh(const Row& row);
/// Plans `row` by the public jit, on such a mesh.
RealScore scored(const Row& row, const std::string& trade, bool verbose);

/// The rows as JSON: a list of objects.
std::string json_text(const std::vector<RealScore>& scores);
/// Bytes and work of all rows, a line each, for `worse_than_recorded`.
std::string record_text(const std::vector<RealScore>& scores);
/// A sentence for every row that sends more or repeats more work than the text says, or that it does not have.
std::vector<std::string> worse_than_recorded(const std::vector<RealScore>& scores, const std::string& text);
/// The names of rows that are better by more than a hundredth.
std::vector<std::string> better_than_recorded(const std::vector<RealScore>& scores, const std::string& text);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
