// Rows named by several numbers are named by one (users-3, 6 and its siblings): values against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kPlaces = 300;

struct Named {
  Shape x;
  DType index;
};

// Indices, also negative ones and ones out of range.
std::vector<std::int64_t> numbers(std::int64_t extent, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> any(-extent - 2, extent + 1);
  std::vector<std::int64_t> out(kPlaces);
  for (std::int64_t& i : out) i = any(random);
  return out;
}

// The row that (i, j) names; nothing where it is left out.
std::optional<std::int64_t> row_of(std::int64_t i, std::int64_t j, const Shape& x, bool clips) {
  auto moved = [&](std::int64_t k, std::int64_t extent) { return k < 0 ? k + extent : k; };
  const std::int64_t a = moved(i, x[0]), b = moved(j, x[1]), p = std::clamp<std::int64_t>(a, 0, x[0] - 1),
                     q = std::clamp<std::int64_t>(b, 0, x[1] - 1);
  if (!clips && (a != p || b != q)) return std::nullopt;
  return p * x[1] + q;
}

}  // namespace

TEST(FlatPlaces, AreThoseOfPlainLoops) {
  enable_x64(true);
  std::mt19937 random(5);
  for (const Named& n : {Named{{17, 23}, int32}, {{40, 9, 6}, int64}, {{5, 7, 20}, int8}, {{130, 200}, int64}})
    for (AtMode mode : {AtMode::fill, AtMode::clip}) {
      const std::int64_t row = n.x.num_elements() / (n.x[0] * n.x[1]);
      const std::vector<std::int64_t> i = numbers(n.x[0], random), j = numbers(n.x[1], random);
      const Array x = random::randint(random::key(0), n.x, 1, 1000).astype(float32);
      const Shape updates = n.x.ndim() > 2 ? Shape{kPlaces, n.x[2]} : Shape{kPlaces};
      const Array u = random::randint(random::key(1), updates, 1, 1000).astype(float32);
      const Array at_i = array(i).astype(n.index), at_j = array(j).astype(n.index);
      const auto read =
          jit([=](const Array& x, const Array& i, const Array& j) { return x.at(i, j).get(mode, 7.f); })(x, at_i, at_j)
              .to_vector<float>();
      const auto added = jit([=](const Array& x, const Array& i, const Array& j, const Array& u) {
                           return x.at(i, j).add(u, mode);
                         })(x, at_i, at_j, u)
                             .to_vector<float>();
      const auto put = jit([=](const Array& x, const Array& i, const Array& j, const Array& u) {
                         return x.at(i, j).set(u, mode);
                       })(x, at_i, at_j, u)
                           .to_vector<float>();
      const std::vector<float> from = x.to_vector<float>(), more = u.to_vector<float>();
      std::vector<float> want_added = from, want_put = from, want_read;
      for (std::size_t k = 0; k < kPlaces; ++k) {
        const auto place = row_of(i[k], j[k], n.x, mode == AtMode::clip);
        for (std::int64_t e = 0; e < row; ++e) {
          const float v = more[k * static_cast<std::size_t>(row) + static_cast<std::size_t>(e)];
          want_read.push_back(place ? from[static_cast<std::size_t>(*place * row + e)] : 7.f);
          if (!place) continue;
          want_added[static_cast<std::size_t>(*place * row + e)] += v;
          want_put[static_cast<std::size_t>(*place * row + e)] = v;
        }
      }
      EXPECT_EQ(read, want_read) << n.x.str();
      EXPECT_EQ(added, want_added) << n.x.str();
      EXPECT_EQ(put, want_put) << n.x.str();
    }
  enable_x64(false);
}

TEST(FlatPlaces, AlongAnAxisAndItsGradient) {
  std::mt19937 random(6);
  const std::int64_t rows = 37, columns = 29, taken = 41;
  std::uniform_int_distribution<std::int32_t> any(0, columns - 1);
  std::vector<std::int32_t> at(static_cast<std::size_t>(rows * taken));
  for (std::int32_t& k : at) k = any(random);
  const Array x = random::randint(random::key(0), {rows, columns}, 1, 100).astype(float32);
  const Array indices = array(at).reshape(rows, taken);
  auto f = [](const Array& x, const Array& i) { return take_along_axis(x, i, 1); };
  const auto got = jit(f)(x, indices).to_vector<float>();
  const auto gradient = jit([&](const Array& x, const Array& i) {
                          return grad([&](const Array& x) { return sum(square(f(x, i))); })(x);
                        })(x, indices)
                            .to_vector<float>();
  const std::vector<float> from = x.to_vector<float>();
  std::vector<float> want, want_gradient(from.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const std::size_t place = k / taken * columns + static_cast<std::size_t>(at[k]);
    want.push_back(from[place]);
    want_gradient[place] += 2 * from[place];
  }
  EXPECT_EQ(got, want);
  EXPECT_EQ(gradient, want_gradient);
}

TEST(FlatPlaces, OneIndexIsLeft) {
  const Array x = ones({64, 32}), i = arange(1000) % 64, j = arange(1000) % 32;
  const std::string plan =
      jit([](const Array& x, const Array& i, const Array& j) { return x(i, j); }).lower(x, i, j).compile().plan();
  EXPECT_NE(plan.find("call gather"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("int32[1000,2]"), std::string::npos) << plan;  // pairs of numbers
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
