#include "tutti/report.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>

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
std::string counted(int n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

// A word that has a hyphen between letters may be broken behind it.
std::vector<std::string> pieces_of(const std::string& word) {
  auto letter = [&](std::size_t i) { return i < word.size() && (std::isalpha(static_cast<unsigned char>(word[i])) || word[i] == '_'); };
  auto wordlike = [&](std::size_t i) { return i < word.size() && (std::isalnum(static_cast<unsigned char>(word[i])) || word[i] == '_'); };
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < word.size(); ++i) {
    out.back() += word[i];
    if (word[i] == '-' && i >= 2 && letter(i - 1) && wordlike(i - 2) && wordlike(i + 1) && letter(i + 2)) out.emplace_back();
  }
  return out;
}

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
    std::snprintf(buffer, sizeof buffer, "The slowest run took %.2f times as long as the fastest: it may have compiled, or filled a cache.\n", worst() / best());
    out = buffer;
  }
  return out + duration_text(mean()) + " ± " + duration_text(deviation()) + " per loop (mean ± std. dev. of " + counted(static_cast<int>(seconds.size()), "run") + ", " +
         counted(loops, "loop") + " each)";
}
std::ostream& operator<<(std::ostream& out, const Timing& t) { return out << t.str(); }

std::string wrap(const std::string& text, int width) {
  std::string out, line;
  bool blank = false;   // whether a blank stands before the next piece
  auto limit = static_cast<std::size_t>(width);
  auto add = [&](std::string piece) {
    if (!line.empty() && line.size() + blank + piece.size() > limit) {
      out += line + "\n";
      line.clear();
    }
    if (line.empty()) blank = false;
    while (line.empty() && piece.size() > limit) {
      out += piece.substr(0, limit) + "\n";
      piece.erase(0, limit);
    }
    line += (blank ? " " : "") + piece;
    blank = false;
  };
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !std::isspace(static_cast<unsigned char>(text[i]))) {
      word += text[i];
      continue;
    }
    if (word.empty()) continue;
    for (const std::string& piece : pieces_of(word)) add(piece);
    word.clear();
    blank = true;
  }
  return out + line;
}

namespace detail {

void print_error(const std::type_info& type, const char* what, std::ostream& out) {
  int status = 0;
  char* readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = readable ? readable : type.name();
  std::free(readable);
  if (std::size_t colon = name.rfind("::"); colon != std::string::npos) name.erase(0, colon + 2);
  // Line by line: what happened, where, and what to do.
  std::istringstream lines("\x1b[31m" + name + "\x1b[0m: " + what);
  for (std::string line; std::getline(lines, line);) {
    std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::istringstream wrapped(wrap(line, 70 - static_cast<int>(indent)));
    for (std::string part; std::getline(wrapped, part);) out << std::string(indent, ' ') << part << "\n";
  }
}

}  // namespace detail
}  // namespace tutti
