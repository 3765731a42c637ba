// What a picture says, for tests that read one.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tutti/mesh/sharding.hpp"

namespace tutti::testing {

// The text without escape codes, each replaced by `by`.
inline std::string unescaped(const std::string& text, const std::string& by = "") {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\033') {
      out += text[i];
      continue;
    }
    i = text.find('m', i);
    out += by;
  }
  return out;
}

// The numbers that it shows: device ids.
inline std::set<std::string> numbers_in(const std::string& text) {
  std::set<std::string> out;
  std::string now;
  for (char c : text + " ") {
    if (c >= '0' && c <= '9')
      now += c;
    else if (!now.empty()) {
      out.insert(now);
      now.clear();
    }
  }
  return out;
}

// The labels that stand in one line, sorted: `CPU 0,4`. Cells end at borders and, in colour, where the escape code
// changes.
inline std::vector<std::string> labels_in(const std::string& text) {
  static const std::regex label("[A-Z]+ [0-9]+(,[0-9]+)*( empty)?");
  std::string shown;  // digits in bold cyan are a part of their label; other codes begin a cell or a part of one
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = text[i] == '\033' ? text.find('m', i) + 1 : i + 1;
    std::string code = text.substr(i, end - i);
    if (code == "\033[1;36m") {
      end = text.find("\033[0m", end);
      code = text.substr(i + 7, end - i - 7);
      end += 4;
    }
    if (code[0] != '\033') shown += code;
    i = end;
  }
  std::vector<std::string> out;
  for (std::sregex_iterator at(shown.begin(), shown.end(), label), none; at != none; ++at) {
    auto after = static_cast<std::size_t>(at->position() + at->length()),
         before = static_cast<std::size_t>(at->position());
    auto next_to = [&](std::size_t i) {
      return i < shown.size() && std::isgraph(static_cast<unsigned char>(shown[i]));
    };  // borders are not ASCII
    out.push_back(at->str() + (next_to(before - 1) || next_to(after) ? "?" : ""));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Those that a picture has to have, sorted.
inline std::vector<std::string> labels_of(const Sharding& s, const Shape& shape) {
  struct Less {
    bool operator()(const ShardIndex& a, const ShardIndex& b) const {
      auto less = [](const IndexRange& x, const IndexRange& y) {
        return std::pair(x.start, x.stop) < std::pair(y.start, y.stop);
      };
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), less);
    }
  };
  std::map<ShardIndex, std::set<int>, Less> blocks;
  for (const auto& [device, index] : s.devices_indices_map(shape)) blocks[index].insert(device.id());
  std::vector<std::string> out;
  for (const auto& [index, ids] : blocks) {
    std::string text = s.device_list()[0].platform() == "simulated" ? "SIM" : "CPU";
    for (int id : ids) text += (id == *ids.begin() ? " " : ",") + std::to_string(id);
    if (std::any_of(index.begin(), index.end(), [](const IndexRange& r) { return r.start == r.stop; }))
      text += " empty";
    out.push_back(text);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Columns of the widest line that draws; lines that say something, such as `columns 0 to 3:`, do not count.
inline std::size_t widest_line(const std::string& text) {
  std::size_t best = 0;
  std::istringstream in(unescaped(text));
  for (std::string line; std::getline(in, line);)
    if (!std::regex_search(line, std::regex(":|empty array")))
      best = std::max<std::size_t>(best, std::count_if(line.begin(), line.end(), [](char c) {
                                     return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                                   }));
  return best;
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
