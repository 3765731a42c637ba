#include "partition/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace tutti {
namespace {

std::string pad_to(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string axes_text(const Cause& c) {
  std::string out;
  for (const std::string& a : c.axes) out += (out.empty() ? "" : ",") + a;
  return out + " (" + std::to_string(c.group) + ")";
}

std::string steps_text(const Cause& c) { return c.times == 1 ? "" : "x " + std::to_string(c.times); }

}  // namespace

std::string bytes_text(double bytes) {
  char out[32];
  if (bytes < 1e4)
    std::snprintf(out, sizeof out, "%.0f B", bytes);
  else if (bytes < 1e7)
    std::snprintf(out, sizeof out, "%.1f KB", bytes / 1e3);
  else if (bytes < 1e10)
    std::snprintf(out, sizeof out, "%.1f MB", bytes / 1e6);
  else
    std::snprintf(out, sizeof out, "%.1f GB", bytes / 1e9);
  return out;
}

std::string explain(const LocalProgram& p, const Sent& sent) {
  struct Line {
    Cause cause;
    int count = 1;
    double bytes() const { return cause.bytes * static_cast<double>(cause.times); }
  };
  std::vector<Line> lines;
  for (const Cause& c : p.causes) {
    auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& l) {
      return l.cause.kind == c.kind && l.cause.axes == c.axes && l.cause.loc == c.loc && l.cause.why == c.why &&
             l.cause.times == c.times && l.cause.where == c.where;
    });
    if (same == lines.end()) {
      lines.push_back({c});
    } else {
      same->count += 1;
      same->cause.bytes += c.bytes;
      same->cause.messages += c.messages;
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.bytes() > b.bytes(); });

  std::string out = "Collectives on " + p.mesh.str() + ", bytes and messages received by each device\n\n";
  if (lines.empty()) out += "  none\n";
  std::size_t kind = 4, axes = 4, bytes = 5, steps = 0, where = 4;
  std::int64_t collectives = 0;
  for (const Line& l : lines) {
    kind = std::max(kind, l.cause.kind.size());
    axes = std::max(axes, axes_text(l.cause).size());
    bytes = std::max(bytes, bytes_text(l.cause.bytes).size());
    where = std::max(where, l.cause.loc.str().size());
    if (l.cause.times != 1) steps = std::max({steps, steps_text(l.cause).size(), std::size_t{5}});
    collectives += l.count * l.cause.times;
  }
  const std::string gap = steps > 0 ? "  " : "";
  if (!lines.empty())
    out += "  " + pad_to("kind", kind) + "  " + pad_to("axis", axes) + "  " + pad_to("bytes", bytes) +
           "  count  messages  " + pad_to(steps > 0 ? "steps" : "", steps) + gap + pad_to("line", where) + "\n";
  for (const Line& l : lines) {
    const Cause& c = l.cause;
    out += "  " + pad_to(c.kind, kind) + "  " + pad_to(axes_text(c), axes) + "  " + pad_to(bytes_text(c.bytes), bytes) +
           "  " + pad_to(std::to_string(l.count), 5) + "  " + pad_to(std::to_string(c.messages), 8) + "  " +
           pad_to(steps_text(c), steps) + gap + pad_to(c.loc.str(), where) + "\n";
    if (!c.where.empty()) out += "      within   " + c.where + "\n";
    out += "      because  " + c.why + "\n";
    out += "      remedy   " + c.remedy + "\n";
  }
  char totals[200];
  std::snprintf(
      totals, sizeof totals, "\n  planned  %s, %lld messages, %lld collectives\n  sent     %s, %lld messages\n",
      bytes_text(total_bytes(p)).c_str(), static_cast<long long>(total_messages(p)),
      static_cast<long long>(collectives), bytes_text(sent.bytes).c_str(), static_cast<long long>(sent.messages));
  return out + totals;
}

}  // namespace tutti
