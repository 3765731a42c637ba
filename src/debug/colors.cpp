#include "debug/colors.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "tutti/base/call_scope.hpp"

namespace tutti::debug {
namespace {

// The colour map tab20b.
constexpr std::array<unsigned, 20> palette = {0x393b79, 0x5254a3, 0x6b6ecf, 0x9c9ede, 0x637939, 0x8ca252, 0xb5cf6b,
                                              0xcedb9c, 0x8c6d31, 0xbd9e39, 0xe7ba52, 0xe7cb94, 0x843c39, 0xad494a,
                                              0xd6616b, 0xe7969c, 0x7b4173, 0xa55194, 0xce6dbd, 0xde9ed6};

Rgb tab20b(double v) {
  unsigned c = palette[static_cast<std::size_t>(std::min(static_cast<int>(v * 20), 19))];
  return {static_cast<int>(c >> 16), static_cast<int>(c >> 8 & 255), static_cast<int>(c & 255)};
}

int coprime_from(int step, int count) {
  while (count > 1 && std::gcd(step, count) != 1) ++step;
  return step;
}

// Evenly spaced places of the map, in steps of about half of it. Where JAX's steps would come back before all are used
// (2 tiles, 6, 10), so that tiles had one colour, the next step that does not.
std::vector<Rgb> walk(int tiles, const std::function<Rgb(double)>& map) {
  std::vector<Rgb> out;
  int step = coprime_from(tiles / 2 + (tiles % 2 == 0), tiles);
  for (int i = 0, index = 0; i < tiles; ++i, index = (index + step) % tiles)
    out.push_back(map(index == 0 ? 0.0 : index == tiles - 1 ? 1.0 : index * (1.0 / (tiles - 1))));
  return out;
}

// More tiles than the map has colours: a grid of n * n * n points in the colour cube, so that any two are at least
// 1/(n-1) of its edge apart, taken in steps that lead far away.
std::vector<Rgb> lattice(int tiles) {
  int n = 3;
  while (n * n * n < tiles) ++n;
  const int count = n * n * n, step = coprime_from(static_cast<int>(0.382 * count), count);
  auto level = [n](int i) { return 40 + 200 * i / (n - 1); };
  std::vector<Rgb> out;
  for (int i = 0, at = 0; i < tiles; ++i, at = static_cast<int>((std::int64_t{at} + step) % count))
    out.push_back({level(at / (n * n)), level(at / n % n), level(at % n)});
  return out;
}

}  // namespace

bool dark_text(const Rgb& c) { return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b > 186; }

std::string hex(const Rgb& c) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "#";
  for (int v : {c.r, c.g, c.b}) out += {digits[v / 16], digits[v % 16]};
  return out;
}

std::vector<Rgb> ColorMap::colors(int tiles) const {
  std::vector<Rgb> out;
  if (empty())
    raise<ValueError>("ColorMap::colors", "the colour map is empty", "Give it a list of colours or a function.");
  if (function_) out = walk(tiles, function_);
  for (int i = static_cast<int>(out.size()); i < tiles; ++i)
    out.push_back(listed_[static_cast<std::size_t>(i) % listed_.size()]);
  for (Rgb& c : out)
    for (int* v : {&c.r, &c.g, &c.b}) *v = std::clamp(*v, 0, 255);
  return out;
}

std::vector<Rgb> tile_colors(int tiles, const ColorMap& map) {
  if (!map.empty()) return map.colors(tiles);
  return tiles <= static_cast<int>(palette.size()) ? walk(tiles, tab20b) : lattice(tiles);
}

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
