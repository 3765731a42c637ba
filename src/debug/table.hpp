// A text table of padded labels: the layout rules of the table that JAX's pictures are drawn with.
#pragma once

#include <string>
#include <vector>

namespace tutti::debug {

struct Cell {
  std::string text;
  int top = 0, right = 0, bottom = 0, left = 0;  // padding
  std::string style;                             // escape code of the whole cell; empty: none
};

struct Table {
  std::vector<std::vector<Cell>> rows;
  bool borders = true;
  bool highlight = false;  // numbers in bold cyan, for terminals
  int max_width = 80;
  std::vector<int> fixed{};  // widths of the columns; empty: as the cells ask for

  /// Widths of the columns without borders: what the cells ask for, evened out where the table is too wide.
  std::vector<int> widths() const;
  /// Whether every text stands in one line, and apart from its neighbours'.
  bool whole_labels() const;
  std::string str() const;
};

/// Columns that a text takes.
int columns_of(const std::string& text);
/// `text` in lines of at most `width` columns, broken at spaces; a longer word is a line of its own.
std::vector<std::string> wrapped(const std::string& text, int width);

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
