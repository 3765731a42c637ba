// PCG64 (128-bit linear congruential state, XSL-RR output), seeded by NumPy's SeedSequence; normals by a ziggurat of
// 256 layers.
#include "tutti/random/host_random.hpp"

#include <array>
#include <cmath>

#include "tutti/base/call_scope.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::data {
namespace {

__extension__ using Word128 = unsigned __int128;

Word128 wide(std::uint64_t high, std::uint64_t low) { return static_cast<Word128>(high) << 64 | low; }
const Word128 multiplier = wide(0x2360ed051fc65da4u, 0x4385df649fccf645u);

// Spreads the words of a seed over a pool of four, and draws from it.
std::array<std::uint64_t, 4> seed_words(std::uint64_t seed) {
  std::uint32_t constant = 0x43b0d7e5u;
  auto hashed = [&](std::uint32_t value) {
    value ^= constant;
    constant *= 0x931e8875u;
    value *= constant;
    return value ^ value >> 16;
  };
  std::array<std::uint32_t, 4> pool{};
  const std::uint32_t entropy[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (std::size_t i = 0; i < 4; ++i) pool[i] = hashed(i < 2 ? entropy[i] : 0);
  for (std::size_t from = 0; from < 4; ++from)
    for (std::size_t to = 0; to < 4; ++to) {
      if (from == to) continue;
      std::uint32_t mixed = 0xca01f9ddu * pool[to] - 0x4973f715u * hashed(pool[from]);
      pool[to] = mixed ^ mixed >> 16;
    }
  std::array<std::uint64_t, 4> out{};
  constant = 0x8b51f9ddu;
  for (std::size_t i = 0; i < 8; ++i) {
    std::uint32_t value = pool[i % 4] ^ constant;
    constant *= 0x58f38dedu;
    value *= constant;
    value ^= value >> 16;
    out[i / 2] |= static_cast<std::uint64_t>(value) << (i % 2 ? 32 : 0);
  }
  return out;
}

// Layers of equal area under exp(-x*x/2). Layer i > 0 is as wide as width[i]; layer 0 holds the tail beyond `start`.
struct Layers {
  static constexpr int n = 256;
  static constexpr double start = 3.6541528853610087963519472518, area = 0.0049286732339746519,
                          unit = 4503599627370496.;  // 2^52
  std::array<std::uint64_t, n> inside{};             // below: surely under the curve
  std::array<double, n> width{}, height{};
  Layers() {
    auto curve = [](double x) { return std::exp(-0.5 * x * x); };
    double x = start, above = start, base = area / curve(start);
    inside[0] = static_cast<std::uint64_t>(start / base * unit);
    width[0] = base / unit;
    width[n - 1] = start / unit;
    height[0] = 1;
    height[n - 1] = curve(start);
    for (int i = n - 2; i >= 1; --i) {
      x = std::sqrt(-2 * std::log(area / x + curve(x)));
      inside[i + 1] = static_cast<std::uint64_t>(x / above * unit);
      above = x;
      height[i] = curve(x);
      width[i] = x / unit;
    }
  }
};

template <class Draw> Array drawn(const char* function, const Shape& shape, Draw draw) {
  for (std::int64_t d : shape)
    if (d < 0)
      raise<ShapeError>(function, "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
  std::vector<double> values(static_cast<std::size_t>(shape.num_elements()));
  for (double& v : values) v = draw();
  if (x64_enabled()) return array(std::move(values), shape);
  return array(std::vector<float>(values.begin(), values.end()), shape);
}

}  // namespace

HostRandom::HostRandom(std::uint64_t seed) {
  std::array<std::uint64_t, 4> words = seed_words(seed);
  Word128 increment = wide(words[2], words[3]) << 1 | 1,
          state = increment + wide(words[0], words[1]);  // one step from 0, then the seed
  increment_[0] = static_cast<std::uint64_t>(increment >> 64);
  increment_[1] = static_cast<std::uint64_t>(increment);
  state_[0] = static_cast<std::uint64_t>(state >> 64);
  state_[1] = static_cast<std::uint64_t>(state);
  bits();
}

std::uint64_t HostRandom::bits() {
  Word128 state = wide(state_[0], state_[1]) * multiplier + wide(increment_[0], increment_[1]);
  state_[0] = static_cast<std::uint64_t>(state >> 64);
  state_[1] = static_cast<std::uint64_t>(state);
  std::uint64_t folded = state_[0] ^ state_[1];
  auto turn = static_cast<unsigned>(state_[0] >> 58);
  return folded >> turn | folded << (-turn & 63u);
}

double HostRandom::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double HostRandom::normal() {
  static const Layers layers;
  for (;;) {
    std::uint64_t word = bits();
    auto i = static_cast<std::size_t>(word & 0xff);
    std::uint64_t magnitude = word >> 9 & 0xfffffffffffffu;
    double x = static_cast<double>(magnitude) * layers.width[i];
    if (word >> 8 & 1) x = -x;
    if (magnitude < layers.inside[i]) return x;
    if (i > 0) {
      if ((layers.height[i - 1] - layers.height[i]) * uniform() + layers.height[i] < std::exp(-0.5 * x * x)) return x;
      continue;
    }
    for (;;) {
      double beyond = -std::log1p(-uniform()) / Layers::start, y = -std::log1p(-uniform());
      if (y + y > beyond * beyond) return magnitude >> 8 & 1 ? -(Layers::start + beyond) : Layers::start + beyond;
    }
  }
}

std::uint64_t HostRandom::below(std::uint64_t n) {
  if (n == 0) raise<ValueError>("HostRandom::below", "there is no integer below 0", "Give n of 1 or more.");
  std::uint64_t most = UINT64_MAX - UINT64_MAX % n, word;
  do word = bits();
  while (word >= most);
  return word % n;
}

Array HostRandom::uniform(const Shape& shape, double low, double high) {
  return drawn("HostRandom::uniform", shape, [&] { return low + (high - low) * uniform(); });
}
Array HostRandom::normal(const Shape& shape, double mean, double deviation) {
  return drawn("HostRandom::normal", shape, [&] { return mean + deviation * normal(); });
}

std::vector<std::int64_t> HostRandom::permutation(std::int64_t n) {
  if (n < 0)
    raise<ValueError>("HostRandom::permutation", std::to_string(n) + " numbers in another order",
                      "Give n of 0 or more.");
  std::vector<std::int64_t> out(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) out[i] = i;
  for (std::int64_t i = n - 1; i > 0; --i) std::swap(out[i], out[below(static_cast<std::uint64_t>(i) + 1)]);
  return out;
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
