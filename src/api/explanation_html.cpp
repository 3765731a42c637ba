// A report as one HTML file: totals, and a bar for every row of collectives. It loads nothing and runs nothing.
#include <algorithm>

#include "api/explanation_groups.hpp"
#include "base/units.hpp"

namespace tutti {
namespace {

using detail::CollectiveGroup;

constexpr int bar_width = 260, bar_height = 14;

constexpr const char* style = R"(
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #1c2733; }
h1 { font-size: 1.25em; } table { border-collapse: collapse; }
th, td { text-align: left; padding: 3px 12px 3px 0; vertical-align: top; }
th { border-bottom: 1px solid #b8c2cc; } td.n { text-align: right; white-space: nowrap; }
tr.words td { color: #566575; padding-bottom: 10px; max-width: 64em; } code { font-size: 0.95em; }
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

const char* colour_of(const std::string& kind) {
  if (kind == "all_gather") return "#d1495b";
  if (kind == "all_reduce") return "#2e7eb8";
  if (kind == "reduce_scatter") return "#3a9d6e";
  if (kind == "all_to_all") return "#c98b2b";
  return "#7a6bb0";
}

// The whole width stands for `most`; the text beside it is part of the picture, so that it can be taken out of the
// page.
std::string bar(double value, double most, const char* colour, const std::string& text) {
  const int width = most > 0 ? std::max(1, static_cast<int>(bar_width * value / most)) : 1;
  return "<svg width=\"" + std::to_string(bar_width + 90) + "\" height=\"" + std::to_string(bar_height + 4) +
         "\" role=\"img\"><rect y=\"2\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(bar_height) + "\" fill=\"" + colour + "\"/><text x=\"" + std::to_string(width + 6) +
         "\" y=\"13\" font-size=\"12\">" + escaped(text) + "</text></svg>";
}

std::string row(const Explanation& e, const CollectiveGroup& g, double most) {
  const Explanation::Collective& c = e.collectives[g.first];
  auto cell = [](const std::string& text, const char* kind = "") {
    return "<td" + std::string(kind) + ">" + text + "</td>";
  };
  const char* number = " class=\"n\"";
  std::string words = c.where.empty() ? "" : "within " + escaped(c.where) + "<br>";
  words += "because " + escaped(c.why) + "<br>advice: " + escaped(c.advice);
  return "<tr>" + cell(c.kind) + cell(escaped(detail::axes_text(c))) +
         cell(bar(g.total_bytes, most, colour_of(c.kind), bytes_text(g.total_bytes))) +
         cell(std::to_string(g.count), number) + cell(std::to_string(c.times), number) +
         cell(seconds_text(g.total_seconds), number) + cell("<code>" + escaped(c.loc.str()) + "</code>") +
         "</tr>\n<tr class=\"words\"><td></td><td colspan=\"6\">" + words + "</td></tr>\n";
}

std::string totals(const Explanation& e) {
  std::string out = "<table>\n";
  auto line = [&](const char* name, const std::string& text) {
    out += "<tr><th>" + std::string(name) + "</th><td>" + escaped(text) + "</td></tr>\n";
  };
  line("planned", bytes_text(e.planned_bytes) + " and " + std::to_string(e.planned_messages) + " messages a device");
  line("sent", bytes_text(e.sent_bytes) + " and " + std::to_string(e.sent_messages) + " messages by the last run");
  line("work", flops_text(e.flops) + " a device, in all " + std::to_string(e.flop_inflation) +
                   " times that of one device alone");
  out += "</table>\n<p>Time of a step: " + escaped(seconds_text(e.step_seconds)) + "</p>\n";
  const double longest = std::max(e.compute_seconds, e.collective_seconds);
  out += "<p>" + bar(e.compute_seconds, longest, "#56616c", "computing " + seconds_text(e.compute_seconds)) + "<br>" +
         bar(e.collective_seconds, longest, "#2e7eb8", "sending " + seconds_text(e.collective_seconds)) + "</p>\n";
  out += "<p>Memory of a device: " + escaped(bytes_text(e.memory.peak)) + "</p>\n<p>";
  const double most = std::max({e.memory.arguments, e.memory.outputs, e.memory.temporaries});
  for (const auto& [name, bytes] : {std::pair{"arguments ", e.memory.arguments},
                                    {"results ", e.memory.outputs},
                                    {"between ", e.memory.temporaries}})
    out += bar(bytes, most, "#8a97a3", name + bytes_text(bytes)) + "<br>";
  return out + "</p>\n";
}

}  // namespace

std::string Explanation::html() const {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Collectives</title><style>" +
      std::string(style) + "</style></head>\n<body>\n<h1>Collectives on " +
      escaped(mesh.empty() ? "one device" : mesh) + "</h1>\n" + totals(*this);
  const std::vector<CollectiveGroup> groups = detail::groups_of(*this, true);
  if (!groups.empty()) {
    out +=
        "<table>\n<tr><th>kind</th><th>axis</th><th>bytes received by each device</th><th>count</th><th>steps</th>"
        "<th>time</th><th>line</th></tr>\n";
    for (const CollectiveGroup& g : groups) out += row(*this, g, groups[0].total_bytes);
    out += "</table>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
