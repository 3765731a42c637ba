#include "debug/table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

namespace tutti::debug {
namespace {

constexpr const char* ellipsis = "…";

std::string repeat(const char* text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

std::string first_columns(const std::string& text, int n) {
  std::size_t end = 0;
  for (int shown = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && shown++ == n) break;
  return text.substr(0, end);
}

// Width a cell asks for when `limit` columns are there.
int wanted(const Cell& cell, int limit) {
  if (limit < 1) return 0;
  int padding = cell.left + cell.right;
  if (limit - padding < 1) return limit;
  return std::min(limit, columns_of(cell.text) + padding);
}

// Takes `total` off the values with the given weights, none more than its maximum.
std::vector<int> reduced(int total, const std::vector<int>& weights, const std::vector<int>& maxima,
                         const std::vector<int>& values) {
  int sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += maxima[i] ? weights[i] : 0;
  std::vector<int> out = values;
  for (std::size_t i = 0; i < values.size() && sum > 0; ++i) {
    int weight = maxima[i] ? weights[i] : 0;
    if (!weight) continue;
    // nearbyint rounds halves to even, as Python does.
    int part = std::min(maxima[i], static_cast<int>(std::nearbyint(double(weight) * total / sum)));
    out[i] -= part;
    total -= part;
    sum -= weight;
  }
  return out;
}

int sum_of(const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); }

// Brings the widest columns down to the next width, again and again, until the sum fits.
std::vector<int> collapsed(std::vector<int> widths, int limit) {
  int excess = sum_of(widths) - limit;
  while (excess > 0 && sum_of(widths) > 0) {
    int widest = *std::max_element(widths.begin(), widths.end()), second = 0;
    for (int w : widths)
      if (w != widest) second = std::max(second, w);
    if (widest == second) break;
    std::vector<int> weights, maxima(widths.size(), std::min(excess, widest - second));
    for (int w : widths) weights.push_back(w == widest);
    widths = reduced(excess, weights, maxima, widths);
    excess = sum_of(widths) - limit;
  }
  return widths;
}

// A line in at most `width` columns, cut with an ellipsis. Numbers are bold cyan on request, and so is an ellipsis in a
// number's place.
std::string shown(const std::string& line, int width, bool highlight) {
  const bool cut = columns_of(line) > width;
  const std::size_t size = cut ? static_cast<std::size_t>(width) : line.size();
  std::string out;
  bool number = false;
  for (std::size_t i = 0; i < size; ++i) {
    if (bool digit = highlight && std::isdigit(static_cast<unsigned char>(line[i])); digit != number) {
      out += digit ? "\033[1;36m" : "\033[0m";
      number = digit;
    }
    out += cut && i + 1 == size ? ellipsis : std::string(1, line[i]);
  }
  return out + (number ? "\033[0m" : "");
}

// Lines of a cell in a column of `width`; each is printed text with escape codes.
std::vector<std::string> lines_of(const Cell& cell, int width, bool highlight) {
  if (width < 1) return {};
  auto styled = [&](const std::string& text) {
    return cell.style.empty() || text.empty() ? text : cell.style + text + "\033[0m";
  };
  auto blank = [&](int n) { return styled(std::string(static_cast<std::size_t>(std::max(0, n)), ' ')); };
  std::vector<std::string> out(static_cast<std::size_t>(cell.top), blank(width));
  int inner = width - cell.left - cell.right;
  if (inner >= 1) {
    // The lines as one block as wide as the unbroken text, or as there is room; it is centred, and its lines start at
    // one column.
    std::vector<std::string> text = wrapped(cell.text, inner);
    int block = std::min(columns_of(cell.text), inner);
    int before = (inner - block) / 2, after = inner - block - before;
    for (const std::string& line : text) {
      std::string filler(static_cast<std::size_t>(std::max(0, block - columns_of(line))), ' ');
      out.push_back(blank(cell.left) + blank(before) + styled(shown(line, block, highlight) + filler) + blank(after) +
                    blank(cell.right));
    }
  }
  out.insert(out.end(), static_cast<std::size_t>(cell.bottom), blank(width));
  return out;
}

}  // namespace

// Code points, as no wide characters occur here.
int columns_of(const std::string& text) {
  int n = 0;
  for (char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::vector<std::string> wrapped(const std::string& text, int width) {
  std::vector<std::string> lines;
  std::size_t start = 0;  // of the present line
  int used = 0;
  auto end_line = [&](std::size_t end) {
    std::string line = text.substr(start, end - start);
    while (columns_of(line) > width && line.back() == ' ') line.pop_back();
    lines.push_back(line);
    start = end;
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t word_end = text.find(' ', i), next = word_end;
    if (word_end == std::string::npos) word_end = next = text.size();
    while (next < text.size() && text[next] == ' ') ++next;
    int word = static_cast<int>(word_end - i), with_space = static_cast<int>(next - i);
    if (width - used >= word) {
      used += with_space;
    } else {
      if (i > 0 && (word > width || used > 0)) end_line(i);
      used = with_space;
    }
    i = next;
  }
  end_line(text.size());
  return lines;
}

std::vector<int> Table::widths() const {
  if (!fixed.empty() || rows.empty()) return fixed;
  std::size_t count = rows[0].size();
  int limit = max_width - (borders ? static_cast<int>(count) + 1 : 0);
  auto measure = [&](std::size_t column, int available) {
    int width = 0;
    for (const auto& row : rows) width = std::max(width, wanted(row[column], available));
    return width;
  };
  std::vector<int> out;
  for (std::size_t c = 0; c < count; ++c) out.push_back(std::max(1, measure(c, limit)));
  if (sum_of(out) <= limit) return out;
  out = collapsed(out, limit);
  int excess = sum_of(out) - limit;
  if (excess > 0) out = reduced(excess, std::vector<int>(count, 1), out, out);
  for (std::size_t c = 0; c < count; ++c) out[c] = measure(c, out[c]);
  return out;
}

bool Table::whole_labels() const {
  std::vector<int> w = widths();
  for (const auto& row : rows) {
    int blanks = 1;  // between the text before and this column
    for (std::size_t c = 0; c < row.size(); ++c) {
      int spare = w[c] - row[c].left - row[c].right - columns_of(row[c].text);
      if (spare < 0) return false;
      if (!borders && blanks + row[c].left + spare / 2 < 1) return false;
      blanks = row[c].right + spare - spare / 2;
    }
  }
  return true;
}

std::string Table::str() const {
  std::vector<int> w = widths();
  // Where not even the borders fit, what is beyond the width is cut off.
  auto line = [&](const std::string& text) {
    bool cut = fixed.empty() && text.find('\033') == std::string::npos && columns_of(text) > max_width;
    return (cut ? first_columns(text, max_width) : text) + "\n";
  };
  auto rule = [&](const char* left, const char* middle, const char* right) {
    std::string out = left;
    for (std::size_t c = 0; c < w.size(); ++c) out += (c ? middle : "") + repeat("─", w[c]);
    return line(out + right);
  };
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < w.size(); ++c) {
      cells.push_back(lines_of(rows[r][c], w[c], highlight));
      height = std::max(height, cells.back().size());
    }
    if (borders) out += r ? rule("├", "┼", "┤") : rule("┌", "┬", "┐");
    for (std::size_t i = 0; i < height; ++i) {
      std::string text;
      for (std::size_t c = 0; c < w.size(); ++c)
        text += (borders ? "│" : "") +
                (i < cells[c].size() ? cells[c][i] : std::string(static_cast<std::size_t>(w[c]), ' '));
      out += line(text + (borders ? "│" : ""));
    }
  }
  return borders ? out + rule("└", "┴", "┘") : out;
}

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
