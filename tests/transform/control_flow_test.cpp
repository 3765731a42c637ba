// scan, fori_loop, while_loop and cond against the same computation written out, in all transformations.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

void near(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(allclose(a, b, 1e-5, 1e-6).item<bool>()) << a << "\n" << b;
}
auto running(const Array& xs) {
  return lax::scan([](const Array& c, const Array& x) { return std::pair{c + x, c + x}; }, 0., xs);
}

TEST(ControlFlow, ScanIsTheRunningSum) {
  Array xs = sin(arange(12.f)).reshape(4, 3);
  auto by_row = [](const Array& v) {
    return lax::scan([](const Array& c, const Array& x) { return std::pair{c + x, c + x}; }, zeros({3}), v);
  };
  near(by_row(xs).second, cumsum(xs, 0));
  near(by_row(xs).first, xs.sum(0));
  near(jit([&](const Array& v) { return by_row(v).second; })(xs), cumsum(xs, 0));
  near(vmap([](const Array& v) { return running(v).second; })(xs), cumsum(xs, 1));
  auto loss = [&](const Array& v) { return sum(square(by_row(v).second)); };
  auto reference = [](const Array& v) { return sum(square(cumsum(v, 0))); };
  near(grad(loss)(xs), grad(reference)(xs));
  near(jit(grad(loss))(xs), grad(reference)(xs));
}

TEST(ControlFlow, ScanEdges) {
  auto [total, ys] = running(zeros({0}));
  EXPECT_EQ(ys.shape(), Shape({0}));
  near(total, zeros({}));
  near(lax::scan(
           [](const Array& c, const Array& x) {
             return std::pair{c + x, c};
           },
           0., arange(4.f), {.reverse = true})
           .second,
       array({6.f, 5.f, 3.f, 0.f}));
  near(lax::scan(
           [](const Array& c, none_t) {
             return std::pair{c * 2, c};
           },
           1., none, {.length = 3})
           .second,
       array({1.f, 2.f, 4.f}));
  EXPECT_THROW(lax::scan(
                   [](const Array& c, const Array& x) {
                     return std::pair{stack({c, x}), x};
                   },
                   0., arange(3.f)),
               TypeError);
  EXPECT_THROW(running(Array(1.f)), ShapeError);
}

TEST(ControlFlow, LoopsAndBranches) {
  auto power = [](const Array& x) {
    return lax::fori_loop(
        0, 3, [&](const Array&, const Array& c) { return c * x; }, 1.);
  };
  near(power(array(2.f)), array(8.f));
  near(jit(grad(power))(array(2.f)), array(12.f));
  near(lax::while_loop([](const Array& c) { return c < 100; }, [](const Array& c) { return c * 3; }, array(1.f)),
       array(243.f));
  auto branch = [](const Array& x) {
    return lax::cond(
        x > 0, [](const Array& v) { return v * 2; }, [](const Array& v) { return sin(v); }, x);
  };
  for (float x : {-1.f, 1.f}) {
    near(branch(array(x)), array(x > 0 ? 2 * x : std::sin(x)));
    near(jit(branch)(array(x)), branch(array(x)));
    near(jit(grad(branch))(array(x)), array(x > 0 ? 2.f : std::cos(x)));
  }
  // A known condition runs one side: the infinite slope of the other one stays away.
  auto kink = [](const Array& x) {
    return lax::cond(
        x > 0, [](const Array& v) { return sqrt(v); }, [](const Array& v) { return v * 2; }, x);
  };
  near(grad(kink)(array(0.f)), array(2.f));
  near(vmap(branch)(array({-1.f, 1.f})), array({std::sin(-1.f), 2.f}));
  EXPECT_THROW(jit([](const Array& x) {
                 return lax::cond(
                     x > 0, [](const Array& v) { return v; },
                     [](const Array& v) {
                       return stack({v, v});
                     },
                     x);
               })(array(1.f)),
               TypeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
