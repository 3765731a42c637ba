// What may differ from device to device where types do not say it: pmap asks for results that come back once.
#include <gtest/gtest.h>

#include "tutti/lax/collectives.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/pmap.hpp"
#include "tutti/transform/remat.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

// `step` of what is the same on all devices and of what is not, whose result is to be the same.
template <class F> Array once(F step) {
  return pmap(step, {.axis_name = "i", .in_axes = {none, 0}, .out_axes = none})(array(1.f), arange(4.f));
}
float value(const Array& x) { return x.item<float>(); }

TEST(Variance, LoopsKeepWhatIsEqual) {
  EXPECT_EQ(value(once([](const Array& w, const Array& x) {
              return lax::fori_loop(
                  0, 3, [&](const Array&, const Array& c) { return c + lax::pmean(c * x, "i"); }, w);
            })),
            15.625f);
  EXPECT_EQ(value(once([](const Array& w, const Array& x) {
              auto more = [](const Array& c) { return c < 20; };
              return lax::while_loop(
                  more, [&](const Array& c) { return c + lax::psum(x, "i"); }, w);
            })),
            25.f);
  // One carry differs, the other does not.
  EXPECT_EQ(value(once([](const Array& w, const Array& x) {
              auto step = [](const Array&, const Pair& c) { return Pair{c.first * 2, c.second + c.first}; };
              return lax::fori_loop(0, 3, step, Pair{w, x}).first;
            })),
            8.f);
}

TEST(Variance, BranchesAndCallsToo) {
  EXPECT_EQ(value(once([](const Array& w, const Array& x) {
              auto yes = [](const Array& w, const Array& x) { return w + lax::psum(x, "i"); };
              auto no = [](const Array& w, const Array&) { return w; };
              return lax::cond(w > 0, yes, no, w, x);
            })),
            7.f);
  EXPECT_EQ(value(once(jit([](const Array& w, const Array& x) { return w + lax::psum(x, "i"); }))), 7.f);
  EXPECT_EQ(value(once([](const Array& w, const Array& x) {
              auto loss = remat([&](const Array& w) { return w * w * lax::pmean(x, "i"); });
              return lax::pmean(grad(loss)(w), "i");
            })),
            3.f);
}

TEST(Variance, WhatMayDifferIsRefused) {
  // From the second step on.
  EXPECT_THROW(once([](const Array& w, const Array& x) {
                 auto step = [&](const Array&, const Pair& c) { return Pair{c.second, x}; };
                 return lax::fori_loop(0, 3, step, Pair{w, w}).first;
               }),
               ValueError);
  // In how many steps there are.
  EXPECT_THROW(once([](const Array& w, const Array& x) {
                 auto more = [](const Pair& c) { return c.second < 9; };
                 auto step = [](const Pair& c) { return Pair{c.first + 1, c.second + 1}; };
                 return lax::while_loop(more, step, Pair{w, x}).first;
               }),
               ValueError);
  // In which branch is taken.
  EXPECT_THROW(once([](const Array& w, const Array& x) {
                 auto yes = [](const Array& w) { return w; };
                 auto no = [](const Array& w) { return -w; };
                 return lax::cond(x > 1, yes, no, w);
               }),
               ValueError);
  EXPECT_THROW(once(jit([](const Array& w, const Array& x) { return w + x; })), ValueError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
