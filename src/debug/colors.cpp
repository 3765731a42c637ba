#include "debug/colors.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::debug {
namespace {

// The colour map tab20b.
constexpr std::array<unsigned, 20> palette = {
    0x393b79, 0x5254a3, 0x6b6ecf, 0x9c9ede, 0x637939, 0x8ca252, 0xb5cf6b, 0xcedb9c, 0x8c6d31, 0xbd9e39,
    0xe7ba52, 0xe7cb94, 0x843c39, 0xad494a, 0xd6616b, 0xe7969c, 0x7b4173, 0xa55194, 0xce6dbd, 0xde9ed6};

Rgb rgb(unsigned v) { return {static_cast<int>(v >> 16), static_cast<int>(v >> 8 & 255), static_cast<int>(v & 255)}; }

}  // namespace

std::string Rgb::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "#";
  for (int v : {r, g, b}) out += {digits[v / 16], digits[v % 16]};
  return out;
}

std::vector<Rgb> tile_colors(int tiles) {
  std::vector<Rgb> out;
  // Steps of about half the map; where JAX's would come back before all are used (2 tiles, 6, 10), so that tiles had one colour, the next that does not.
  int step = tiles / 2 + (tiles % 2 == 0);
  while (tiles > 1 && std::gcd(step, tiles) != 1) ++step;
  for (int i = 0, index = 0; i < tiles; ++i, index = (index + step) % tiles) {
    double v = tiles > 1 ? static_cast<double>(index) / (tiles - 1) : 0.0;
    out.push_back(rgb(palette[static_cast<std::size_t>(std::min(static_cast<int>(v * 20), 19))]));
  }
  return out;
}

}  // namespace tutti::debug
