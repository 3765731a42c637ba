#include "tutti/debug/report.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <typeinfo>

namespace tutti {
namespace {

// Three significant digits and a unit; from a minute on in its parts.
std::string duration_text(double t) {
  char buffer[64];
  if (t >= 60) {
    std::string out;
    auto left = static_cast<long>(t);
    for (auto [name, size] : {std::pair{"d", 86400L}, {"h", 3600L}, {"min", 60L}, {"s", 1L}}) {
      if (left / size > 0) out += (out.empty() ? "" : " ") + std::to_string(left / size) + name;
      left %= size;
    }
    return out;
  }
  const char* const units[] = {"s", "ms", "µs", "ns"};
  int order = t > 0 ? std::clamp(-static_cast<int>(std::floor(std::floor(std::log10(t)) / 3)), 0, 3) : 3;
  std::snprintf(buffer, sizeof buffer, "%.3g %s", t * std::pow(1000., order), units[order]);
  return buffer;
}
// 1,234,567.
std::string grouped(int n) {
  std::string out = std::to_string(n);
  for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(out.size()) - 3; i > (n < 0 ? 1 : 0); i -= 3)
    out.insert(static_cast<std::size_t>(i), ",");
  return out;
}
std::string counted(int n, const char* what) { return grouped(n) + " " + what + (n == 1 ? "" : "s"); }

}  // namespace

double Timing::mean() const {
  double sum = 0;
  for (double s : seconds) sum += s;
  return seconds.empty() ? 0 : sum / static_cast<double>(seconds.size());
}
double Timing::deviation() const {
  double m = mean(), sum = 0;
  for (double s : seconds) sum += (s - m) * (s - m);
  return seconds.empty() ? 0 : std::sqrt(sum / static_cast<double>(seconds.size()));
}
double Timing::best() const { return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end()); }
double Timing::worst() const { return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end()); }

std::string Timing::str() const {
  std::string out;
  if (best() > 0 && worst() > 4 * best() && worst() > 1e-6) {
    char buffer[160];
    std::snprintf(buffer, sizeof buffer,
                  "The slowest run took %.2f times as long as the fastest: it may have compiled, or filled a cache.\n",
                  worst() / best());
    out = buffer;
  }
  return out + duration_text(mean()) + " ± " + duration_text(deviation()) + " per loop (mean ± std. dev. of " +
         std::to_string(seconds.size()) + (seconds.size() == 1 ? " run" : " runs") + ", " + counted(loops, "loop") +
         " each)";
}
std::ostream& operator<<(std::ostream& out, const Timing& t) { return out << t.str(); }

namespace detail {

void print_error(std::string name, const std::exception& error, std::ostream& out) {
  if (name.empty()) {
    int status = 0;
    const char* mangled = typeid(error).name();
    char* readable = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    name = readable ? readable : mangled;
    std::free(readable);
  }
  if (name.starts_with("tutti::")) name.erase(0, 7);
  // Line by line: what happened, where, and what to do.
  std::istringstream lines("\x1b[31m" + name + "\x1b[0m: " + error.what());
  for (std::string line; std::getline(lines, line);) {
    std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::istringstream wrapped(wrap(line.substr(indent), std::max(70 - static_cast<int>(indent), 20)));
    for (std::string part; std::getline(wrapped, part);) out << std::string(indent, ' ') << part << "\n";
  }
}

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
