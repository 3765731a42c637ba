#include "special/points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <istream>
#include <limits>
#include <sstream>

#include "tutti/tutti.hpp"

namespace tutti::sweep {
namespace {

std::vector<double> column(std::istream& in, std::size_t points) {
  std::vector<double> x(points);
  in.read(reinterpret_cast<char*>(x.data()), static_cast<std::streamsize>(points * sizeof(double)));
  if (!in) throw ValueError("recorded values: the file is cut short");
  return x;
}

// The distance of neighbouring numbers at x.
template <class T> long double unit(double x) {
  constexpr long double least = std::numeric_limits<T>::denorm_min();
  if (x == 0 || !std::isfinite(x)) return least;
  const int digits = std::numeric_limits<T>::digits;
  const int e = std::max(std::ilogb(x), std::numeric_limits<T>::min_exponent - 1);
  return std::ldexp(1.0L, e - digits + 1);
}
// Infinite ones as the power of two behind the largest number.
template <class T> long double finite(double x) {
  const long double edge = std::ldexp(1.0L, std::numeric_limits<T>::max_exponent);
  return std::abs(static_cast<long double>(x)) >= edge ? std::copysign(edge, static_cast<long double>(x)) : x;
}

template <class T> double units(double got, double want, double sensitivity) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : INFINITY;
  if (std::isinf(got) && std::isinf(want) && got == want) return 0;
  constexpr double least = std::numeric_limits<T>::min();
  if (std::abs(got) < least && std::abs(want) < least) return 0;  // such results may be 0
  const long double error = std::abs(finite<T>(got) - finite<T>(want));
  const long double of_arguments = std::isfinite(sensitivity) ? std::numeric_limits<T>::epsilon() / 2 * sensitivity : 0;
  const double at = std::isinf(want) ? static_cast<double>(std::numeric_limits<T>::max()) : want;
  return static_cast<double>(std::max(0.0L, error - of_arguments) / unit<T>(at));
}

}  // namespace

std::optional<Block> read_block(std::istream& in) {
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  Block b;
  std::size_t count = 0, points = 0;
  std::istringstream words(line);
  if (!(words >> b.name >> b.precision >> count >> points)) throw ValueError("recorded values: no line of a block");
  for (std::size_t k = 0; k < count; ++k) b.arguments.push_back(column(in, points));
  b.value = column(in, points);
  b.sensitivity = column(in, points);
  return b;
}

void read_judged(const std::filesystem::path& path, Block& block) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line) && !in.eof()) {
    std::istringstream words(line);
    std::size_t point = 0;
    std::string value, sensitivity;
    words >> point >> value >> sensitivity;
    if (value == "unknown") continue;
    block.scipy[point] = block.value.at(point);
    block.value[point] = std::strtod(value.c_str(), nullptr);
    block.sensitivity[point] = std::strtod(sensitivity.c_str(), nullptr);
  }
}

std::vector<double> Block::at(std::size_t point) const {
  std::vector<double> x;
  for (const std::vector<double>& column : arguments) x.push_back(column[point]);
  return x;
}

double units(int precision, double got, double want, double sensitivity) {
  return precision == 32 ? units<float>(got, want, sensitivity) : units<double>(got, want, sensitivity);
}

Deviation compare(const Function& f, const Block& block) {
  const bool single = block.precision == 32;
  std::vector<Array> arguments;
  for (const std::vector<double>& x : block.arguments) arguments.push_back(array(x).astype(single ? float32 : float64));
  Deviation d;
  d.got = jit(f.f)(arguments).astype(float64).to_vector<double>();
  d.regions.resize(f.exceptions.size() + 1);
  double beyond = 0;
  for (std::size_t i = 0; i < d.got.size(); ++i) {
    const double error = units(block.precision, d.got[i], block.value[i], block.sensitivity[i]);
    const Bound bound = f.bound(block.at(i).data(), single);
    Deviation::Region& region = d.regions[bound.exception];
    if (error > region.most || region.points == 0) region = {region.points, i, error};
    ++region.points;
    if (error <= bound.units) continue;
    d.outside.push_back(i);
    if (error < beyond) continue;
    beyond = error;
    d.worst = i;
  }
  return d;
}

std::string described(const Block& b, std::size_t point, double got) {
  std::string text = b.name + "(";
  for (std::size_t k = 0; k < b.arguments.size(); ++k)
    text += (k ? ", " : "") + fmt::format("{}", b.arguments[k][point]);
  return text + fmt::format(") = {}, not {}", got, b.value[point]);
}

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
