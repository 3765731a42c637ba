// Sums (and other reductions) over rows, a place for each column.
#pragma once

#include <vector>

#include "backend/cpu/abreast.hpp"

namespace tutti::cpu {

class ColumnSums : protected Abreast {
 public:
  using Abreast::Abreast;

 protected:
  /// Writes what a point gives, and adds it to what the rows before have added up at its column.
  void finish(const std::vector<Value>& values, Value column, Value mask);
  /// As many whole groups of rows as there are: all rows of one at a column, then at the next, so that sums are read
  /// and written once for all of them. The number of the first row that is left.
  Value reduce_groups();
  /// All rows at some columns, then at the next: sums stay in registers. For few columns; what is summed must
  /// `adds_in_own_type`. The second: at the first vector alone.
  void reduce_columns();
  void reduce_vector(Value mask);
  /// Whether all is added up in the type that it has in memory.
  bool adds_in_own_type() const;

 private:
  void reduce_group(Value first);
  void reduce_column(Value column, Value mask);
  // By access; nullptr where it is no reduction.
  std::vector<Value> sums_so_far(Value column, Value mask);
  void add(std::vector<Value>& sums, const std::vector<Value>& values);
  void store_sums(const std::vector<Value>& sums, Value column, Value mask);
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
