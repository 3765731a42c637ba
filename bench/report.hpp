// What was measured of each case, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// Milliseconds per round; an empty list was not measured. Round i of all lists was taken at about the same time.
struct Row {
  std::string name;
  std::vector<double> ours, ours_one, jax, jax_one, hand;
  std::string error;
  double must = 0;
};

/// `1.234 ms`, `56.7 us`: four digits and a unit.
std::string time_text(double ms);
/// Who is timed beside tutti on 8 devices: tutti on one, JAX, hand-written C++.
struct Columns {
  bool one = false, jax = false, hand = false;
};
void print_header(const Columns& columns);
void print_row(const Row& row, const Columns& columns);
/// The geometric means, and how many cases reach their numbers.
void print_summary(const std::vector<Row>& rows, const Columns& columns);
std::string json_text(const std::vector<Row>& rows, int devices);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
