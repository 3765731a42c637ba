// custom_vmap: with the right rule it is the function in every composition, with another one the rule shows; what the
// rule is told is what jax.custom_batching.custom_vmap tells its rule.
#include "tutti/transform/custom_vmap.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Mapped = std::array<bool, 2>;

Array scaled_sine(const Array& x, const Array& y) { return sin(x) * y; }
// Elementwise, so that only the place of the batch has to be seen to.
Array of_batch(Mapped mapped, const Array& x, const Array& y) {
  auto with_batch = [](const Array& a, const Array& like) {
    Shape shape = a.shape();
    while (static_cast<int>(shape.size()) < like.ndim()) shape.insert(1, 1);
    return a.reshape(shape);
  };
  if (mapped[0] && mapped[1]) return scaled_sine(with_batch(x, y), with_batch(y, x));
  return scaled_sine(mapped[0] ? with_batch(x, expand_dims(y, 0)) : x,
                     mapped[1] ? with_batch(y, expand_dims(x, 0)) : y);
}
const auto right = custom_vmap(scaled_sine, [](std::int64_t, Mapped mapped, const Array& x, const Array& y) {
  return std::pair{of_batch(mapped, x, y), true};
});
const auto plus_one = custom_vmap(scaled_sine, [](std::int64_t, Mapped mapped, const Array& x, const Array& y) {
  return std::pair{of_batch(mapped, x, y) + 1, true};
});
const auto one_by_one = sequential_vmap(scaled_sine);

void close(const Array& got, const Array& want) {
  EXPECT_EQ(got.shape().str(), want.shape().str());
  EXPECT_TRUE(allclose(got, want, 1e-5, 1e-6)) << got << "\n" << want;
}

// Everything that a function of two arrays is put through.
template <class F> std::vector<Array> in_all_modes(const F& f) {
  const Array x = arange(4.0) / 3 - 0.4, y = arange(4.0) * 0.3 + 0.2, s = array(0.7f), t = array(-0.3f);
  auto along = [=](const Array& a) { return jvp(f, std::tuple{a, t}, std::tuple{s, t}).second; };
  auto both = vmap(f), first = vmap(f, {.in_axes = {0, none}});
  auto table = vmap(vmap(f, {.in_axes = {none, 0}}), {.in_axes = {0, none}});
  return {f(s, t),
          jit(f)(x, y),
          both(x, y),
          first(x, t),
          vmap(f, {.in_axes = {none, 0}})(s, y),
          table(x, y),
          vmap(table, {.in_axes = {0, none}})(stack({x, 2 * x}), y),
          jit(table)(x, y),
          vmap(jit(f))(x, y),
          vmap(along)(x),
          jvp(first, std::tuple{x, t}, std::tuple{y, s}).second,
          vmap(grad(f))(x, y),
          grad([=](const Array& a) { return sum(both(a, y)); })(x),
          jit(grad([=](const Array& a) { return sum(table(a, y) * table(y, a)); }))(x),
          vmap([=](const Array& a) {
            return lax::fori_loop(
                0, 3, [=](auto, const Array& c) { return f(c, t); }, a);
          })(x),
          vmap([=](const Array& a) { return grad([=](const Array& b) { return f(b, t) * f(a, b); })(a); })(x)};
}

TEST(CustomVmap, TheRightRuleIsTheFunctionInEveryComposition) {
  const std::vector<Array> want = in_all_modes(scaled_sine), got = in_all_modes(right), slow = in_all_modes(one_by_one);
  for (std::size_t k = 0; k < want.size(); ++k) {
    SCOPED_TRACE(k);
    close(got[k], want[k]);
    close(slow[k], want[k]);
  }
}

// Values of JAX for the same function and rule.
TEST(CustomVmap, TheRuleIsWhatCounts) {
  const Array x = arange(3.0), two = array(2.f);
  close(plus_one(x, two), sin(x) * 2);
  close(vmap(plus_one, {.in_axes = {0, none}})(x, two), array({1.f, 2.682942f, 2.818595f}));
  auto [y, dy] = jvp(vmap(plus_one, {.in_axes = {0, none}}), std::tuple{x, two}, std::tuple{x, array(1.f)});
  close(y, array({1.f, 2.682942f, 2.818595f}));
  close(dy, array({0.f, 1.9220755f, -0.75529f}));
  auto inner = [=](const Array& a) {
    return jvp([=](const Array& b) { return plus_one(b, two); }, std::tuple{a}, std::tuple{array(1.f)});
  };
  auto [z, dz] = vmap(inner)(x);
  close(z, array({1.f, 2.682942f, 2.818595f}));
  close(dz, array({2.f, 1.0806046f, -0.8322937f}));
  close(vmap(vmap(plus_one, {.in_axes = {0, none}}), {.in_axes = {none, 0}})(x, x),
        array({1.f, 1.f, 1.f, 1.f, 1.841471f, 1.9092975f, 1.f, 2.682942f, 2.818595f}).reshape(3, 3));
}

TEST(CustomVmap, IsToldWhatIsMapped) {
  std::vector<std::string> calls;
  auto f = custom_vmap(
      [](const Array& x, const std::pair<Array, Array>& p) {
        return std::pair{x * p.first, p.second};
      },
      [&](std::int64_t size, Mapped mapped, const Array& x, const std::pair<Array, Array>& p) {
        calls.push_back(std::to_string(size) + (mapped[0] ? " x" : "") + (mapped[1] ? " p" : "") + " " +
                        x.shape().str() + p.first.shape().str() + p.second.shape().str());
        return std::pair{std::pair{x * p.first, p.second}, std::vector<bool>{true, mapped[1]}};
      });
  const Array x = arange(3.0), c = array(4.f);
  auto [xs, second] = vmap([=](const Array& a) { return f(a, {c, c}); })(x);
  close(xs, 4 * x);
  close(second, array({4.f, 4.f, 4.f}));
  vmap([=](const Array& a) { return f(c, {a, c}); })(x);
  f(x, {c, c});
  vmap([=](const Array& a) { return a + f(c, {c, c}).first; })(x);
  EXPECT_EQ(calls, (std::vector<std::string>{"3 x (3,)()()", "3 p ()(3,)(3,)"}));
}

TEST(CustomVmap, Errors) {
  const Array x = arange(3.0);
  auto message = [&](auto&& f) -> std::string {
    try {
      vmap(f)(x);
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto sine = [](const Array& a) { return sin(a); };
  has(message(custom_vmap(sine,
                          [](std::int64_t, std::array<bool, 1>, const Array& a) {
                            return std::pair{sum(a), true};
                          })),
      "float32[3]");
  has(message(custom_vmap(sine,
                          [](std::int64_t, std::array<bool, 1>, const Array& a) {
                            return std::pair{a, false};
                          })),
      "not mapped");
  has(message(custom_vmap(sine,
                          [](std::int64_t, std::array<bool, 1>, const Array& a) {
                            return std::pair{a.astype(int32), true};
                          })),
      "astype(float32)");
  const Array weights = arange(3.0) + 1;
  has(message(custom_vmap(sine,
                          [=](std::int64_t, std::array<bool, 1>, const Array& a) {
                            return std::pair{a * weights, true};
                          })),
      "captured");
  has(message([](const Array& a) {
        return custom_vmap([=](const Array& b) { return a * b; },
                           [](std::int64_t, std::array<bool, 1>, const Array& b) {
                             return std::pair{b, true};
                           })(array(2.f));
      }),
      "captured");
  std::function<Array(const Array&)> self;
  self = custom_vmap(sine, [&](std::int64_t, std::array<bool, 1>, const Array& a) {
    return std::pair{vmap([&](const Array& b) { return self(b); })(a), true};
  });
  has(message([&](const Array& a) { return self(a); }), "64 deep");
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
