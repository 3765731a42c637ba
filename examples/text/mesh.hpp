// The devices of a training run, as they are written on the command line.
#pragma once

#include <fmt/format.h>

#include <sstream>
#include <string>

#include <tutti/tutti.hpp>

#include "corpus.hpp"

namespace text {
using namespace tutti;

/// "data=4,model=2" or "4x2".
inline Mesh parse_mesh(const std::string& written) {
  std::int64_t data = -1, model = -1;
  auto number = [&](const std::string& s) {
    if (s.empty() || s.size() > 6 || s.find_first_not_of("0123456789") != std::string::npos)
      throw UsageError("--mesh " + written + ": \"" + s + "\" is not a size");
    std::int64_t n = std::stoll(s);
    if (n == 0) throw UsageError("--mesh " + written + ": an axis has size zero");
    return n;
  };
  constexpr std::int64_t most = 1024;  // simulated devices
  if (auto cross = written.find('x'); written.find('=') == std::string::npos && cross != std::string::npos) {
    data = number(written.substr(0, cross));
    model = number(written.substr(cross + 1));
  } else {
    std::string rest = written + ",";
    for (std::size_t comma; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1)) {
      std::string part = rest.substr(0, comma), name = part.substr(0, part.find('='));
      if (name != "data" && name != "model")
        throw UsageError("--mesh " + written + ": unknown axis \"" + name + "\"; the axes are data and model");
      if (part.find('=') == std::string::npos)
        throw UsageError("--mesh " + written + ": the size of " + name + " is missing");
      std::int64_t& size = name == "data" ? data : model;
      if (size >= 0) throw UsageError("--mesh " + written + ": the axis " + name + " is given twice");
      size = number(part.substr(part.find('=') + 1));
    }
  }
  if (data < 0) data = 1;
  if (model < 0) model = 1;
  if (data * model > most)
    throw UsageError(fmt::format("--mesh {}: {} devices; at most {} can be simulated", written, data * model, most));
  return make_mesh({data, model}, {"data", "model"});
}

/// Two lines: how many devices there are, and how they lie.
inline std::string devices_text(const Mesh& mesh) {
  std::ostringstream out;
  out << "devices   " << mesh.size() << " of " << devices().size() << ": " << mesh.device_list().front() << " ... "
      << mesh.device_list().back() << "\nmesh      " << mesh << "\n";
  return out.str();
}

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
