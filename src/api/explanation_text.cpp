// A report as text: a table of collectives, then totals.
#include <algorithm>
#include <cstdio>
#include <ostream>

#include "api/explanation_groups.hpp"
#include "base/units.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

using detail::CollectiveGroup;

constexpr std::size_t rows_of_a_screen = 5;

std::string pad_to(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string times(double factor) {
  char out[32];
  std::snprintf(out, sizeof out, "%.2f", factor);
  return out;
}

// Columns: a header, and a cell for each row.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)), widths_(header_.size()) {
    widen(header_);
  }
  void add(std::vector<std::string> row) {
    widen(row);
    rows_.push_back(std::move(row));
  }
  std::string header() const { return line(header_); }
  std::string row(std::size_t i) const { return line(rows_[i]); }

 private:
  void widen(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
  }
  // A column without a header is there when it has something to say.
  std::string line(const std::vector<std::string>& cells) const {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (widths_[i] > 0) out += "  " + pad_to(cells[i], i + 1 < cells.size() ? widths_[i] : 0);
    return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  }
  std::vector<std::string> header_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

std::string remedy_text(const Explanation& e, const CollectiveGroup& g, bool checked) {
  if (!checked) return "      advice   " + e.collectives[g.first].advice + "\n";
  const std::vector<Remedy> known = e.remedies(g.first);
  if (known.empty()) return "      remedy   none among the placements of arguments\n";
  std::string out;
  for (const Remedy& r : known) out += "      remedy   " + r.str() + "\n";
  return out;
}

std::string collectives_text(const Explanation& e, bool layers, std::size_t most, int remedies) {
  const std::vector<CollectiveGroup> groups = detail::groups_of(e, layers);
  if (groups.empty()) return "  none\n";
  const std::size_t shown = std::min(most, groups.size());
  const bool loops =
      std::any_of(e.collectives.begin(), e.collectives.end(), [](const auto& c) { return c.times != 1; });
  Table table({"kind", "axis", "bytes", "count", "messages", "time", loops ? "steps" : "", "line"});
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveGroup& g = groups[i];
    const Explanation::Collective& c = e.collectives[g.first];
    table.add({c.kind, detail::axes_text(c), bytes_text(g.bytes), std::to_string(g.count), std::to_string(g.messages),
               seconds_text(g.seconds), c.times == 1 ? "" : "x " + std::to_string(c.times), c.loc.str()});
  }
  std::string out = table.header();
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveGroup& g = groups[i];
    const Explanation::Collective& c = e.collectives[g.first];
    out += table.row(i);
    if (!c.where.empty()) out += "      within   " + c.where + "\n";
    out += "      because  " + c.why + "\n";
    out += remedy_text(e, g, e.queries && static_cast<int>(i) < remedies);
  }
  if (shown == groups.size()) return out;
  double bytes = 0;
  for (std::size_t i = shown; i < groups.size(); ++i) bytes += groups[i].total_bytes;
  return out + "  and " + std::to_string(groups.size() - shown) + " rows more, " + bytes_text(bytes) + ": " +
         detail::kinds_text(e, groups, shown) + "; all() lists them\n";
}

std::string totals_text(const Explanation& e) {
  std::int64_t collectives = 0;
  for (const Explanation::Collective& c : e.collectives) collectives += c.times;
  auto row = [](const char* name, const std::string& text) { return "  " + pad_to(name, 9) + text + "\n"; };
  std::string out = "\n";
  out += row("planned", bytes_text(e.planned_bytes) + ", " + std::to_string(e.planned_messages) + " messages, " +
                            std::to_string(collectives) + " collectives");
  out += row("sent", bytes_text(e.sent_bytes) + ", " + std::to_string(e.sent_messages) + " messages");
  out += row("time", seconds_text(e.step_seconds) + " a step: " + seconds_text(e.compute_seconds) + " computing, " +
                         seconds_text(e.collective_seconds) + " sending");
  out += row("work", flops_text(e.flops) + ", in all " + times(e.flop_inflation) + " times that of one device alone");
  if (e.memory.peak > 0)
    out +=
        row("memory", bytes_text(e.memory.peak) + ": " + bytes_text(e.memory.arguments) + " arguments, " +
                          bytes_text(e.memory.outputs) + " results, " + bytes_text(e.memory.temporaries) + " between");
  return out;
}

// A few lines: of a long list, those that are not reused.
std::string donated_text(const Explanation& e, std::size_t most) {
  if (e.donated.empty()) return "";
  auto is_reused = [](const Explanation::Donated& d) { return d.output >= 0; };
  const auto reused = static_cast<std::size_t>(std::count_if(e.donated.begin(), e.donated.end(), is_reused));
  const bool whole = e.donated.size() <= most;
  std::string out = "\nDonated: all of it is deleted by the call\n\n";
  if (!whole)
    out += "  " + std::to_string(reused) + " of " + std::to_string(e.donated.size()) +
           " arguments: an output takes the memory; all() lists them\n";
  std::size_t left = whole ? most : std::min(most, e.donated.size() - reused);
  for (const Explanation::Donated& d : e.donated) {
    if (is_reused(d) && whole)
      out += "  " + d.argument + ": output " + std::to_string(d.output) + " takes its memory\n";
    if (!is_reused(d) && left > 0) {
      out += "  " + d.argument + ": not reused: " + d.reason + "\n";
      --left;
    }
  }
  return out;
}

std::string report_text(const Explanation& e, bool layers, std::size_t most, int remedies) {
  if (e.mesh.empty()) return "One device: nothing is split, nothing is sent.\n";
  return "Collectives on " + e.mesh + ", bytes, messages and time of each device\n\n" +
         collectives_text(e, layers, most, remedies) + totals_text(e);
}

}  // namespace

std::string Remedy::str() const {
  return "place " + pattern + " as " + spec + ": then " + bytes_text(bytes) + " in all, " + seconds_text(seconds) +
         " a step, " + times(flop_inflation) + " times the work, " + bytes_text(peak_bytes) + " of memory";
}

std::vector<Remedy> Explanation::remedies(std::size_t index) const {
  if (index >= collectives.size())
    raise<IndexError>(
        "Explanation::remedies",
        "there is no collective " + std::to_string(index) + " among " + std::to_string(collectives.size()),
        "Give a place in .collectives.");
  return queries ? queries->remedies(*this, index) : std::vector<Remedy>();
}

std::string Explanation::why(std::string_view value) const {
  if (!queries)
    raise<ValueError>("Explanation::why", "this report was made without its program",
                      "Ask one of jit(f).explain(...) or jit(f).plan(...), on a mesh.");
  return queries->why(value);
}

std::string Explanation::str(int remedies) const {
  const int checked = remedies >= 0 || !queries ? remedies : queries->quick();
  return report_text(*this, true, rows_of_a_screen, checked) + donated_text(*this, rows_of_a_screen);
}
std::string Explanation::all() const {
  return report_text(*this, false, collectives.size(), 0) + donated_text(*this, donated.size());
}
std::ostream& operator<<(std::ostream& out, const Explanation& e) { return out << e.str(); }

std::string explain_diff(const Explanation& before, const Explanation& after) {
  struct Sides {
    std::string kind, axes, line;
    double bytes[2] = {0, 0};
    std::int64_t count[2] = {0, 0};
  };
  std::vector<Sides> rows;
  auto add = [&](const Explanation& e, int side) {
    for (const Explanation::Collective& c : e.collectives) {
      const std::string axes = detail::axes_text(c), line = c.loc.str();
      auto same = [&](const Sides& r) { return r.kind == c.kind && r.axes == axes && r.line == line; };
      auto at = std::find_if(rows.begin(), rows.end(), same);
      if (at == rows.end()) at = rows.insert(rows.end(), {c.kind, axes, line});
      at->bytes[side] += c.total_bytes();
      at->count[side] += c.times;
    }
  };
  add(before, 0);
  add(after, 1);
  std::erase_if(rows, [](const Sides& r) { return r.bytes[0] == r.bytes[1] && r.count[0] == r.count[1]; });
  auto change = [](const Sides& r) { return std::abs(r.bytes[1] - r.bytes[0]); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Sides& a, const Sides& b) { return change(a) > change(b); });
  Table table({"", "kind", "axis", "before", "after", "line"});
  auto side = [](const Sides& r, int s) {
    return r.count[s] == 0 ? "-" : bytes_text(r.bytes[s]) + " x" + std::to_string(r.count[s]);
  };
  for (const Sides& r : rows)
    table.add({r.count[0] == 0   ? "new"
               : r.count[1] == 0 ? "gone"
                                 : "other",
               r.kind, r.axes, side(r, 0), side(r, 1), r.line});
  std::string out;
  if (rows.empty()) out += "  the same collectives\n";
  if (!rows.empty()) out += table.header();
  for (std::size_t i = 0; i < rows.size(); ++i) out += table.row(i);
  auto total = [&](const char* name, const std::string& from, const std::string& to) {
    out += "  " + pad_to(name, 9) + from + (from == to ? "" : " -> " + to) + "\n";
  };
  out += "\n";
  total("planned", bytes_text(before.planned_bytes), bytes_text(after.planned_bytes));
  total("messages", std::to_string(before.planned_messages), std::to_string(after.planned_messages));
  total("time", seconds_text(before.step_seconds), seconds_text(after.step_seconds));
  total("work", times(before.flop_inflation), times(after.flop_inflation));
  total("memory", bytes_text(before.memory.peak), bytes_text(after.memory.peak));
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
