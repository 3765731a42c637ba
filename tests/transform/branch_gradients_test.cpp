// Derivatives of a choice are those of the side that is taken, whatever the other side's are.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using F = std::vector<float>;

F as_floats(const Array& x) { return x.to_vector<float>(); }

Array root_or_zero(const Array& x) {
  return lax::cond(
      x > 0, [](const Array& v) { return sqrt(v); }, [](const Array& v) { return 0 * v; }, x);
}

TEST(BranchGradients, OfTheSideNotTakenDoNotCount) {
  const F wanted{0, 0.5f, 0.25f};
  Array xs = array({0.f, 1.f, 4.f});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(grad(root_or_zero)(xs[i]).item<float>(), wanted[i]);
    EXPECT_EQ(jit(grad(root_or_zero))(xs[i]).item<float>(), wanted[i]);
    EXPECT_EQ(jit(jacfwd(root_or_zero))(xs[i]).item<float>(), wanted[i]);
  }
  EXPECT_EQ(as_floats(vmap(grad(root_or_zero))(xs)), wanted);
  EXPECT_EQ(as_floats(grad([](const Array& x) { return sum(vmap(root_or_zero)(x)); })(xs)), wanted);
  EXPECT_EQ(as_floats(jit(vmap(grad(root_or_zero)))(xs)), wanted);
}

TEST(BranchGradients, CapturedArraysAreMaskedToo) {
  auto f = [](const Array& x) {
    return lax::cond(
        x > 0, [&] { return log(x); }, [&] { return 2 * x; });
  };
  EXPECT_EQ(jit(grad(f))(array(0.f)).item<float>(), 2.f);
  EXPECT_EQ(jit(grad(f))(array(4.f)).item<float>(), 0.25f);
  EXPECT_EQ(as_floats(vmap(grad(f))(array({0.f, 4.f}))), (F{2, 0.25f}));
}

TEST(BranchGradients, OfSwitch) {
  auto f = [](const Array& i, const Array& x) {
    auto bad = [](const Array& v) { return v / 0.f * 0.f; };
    auto good = [](const Array& v) { return 2 * v; };
    return lax::switch_(i, std::tuple{bad, good, bad}, x);
  };
  EXPECT_EQ(jit(grad<1>(f))(array(1), array(3.f)).item<float>(), 2.f);
  EXPECT_TRUE(std::isnan(jit(grad<1>(f))(array(2), array(3.f)).item<float>()));
  EXPECT_EQ(as_floats(vmap(grad<1>(f))(array({1, 1}), array({3.f, 4.f}))), (F{2, 2}));
}

TEST(BranchGradients, HigherOrders) {
  auto cube_or_root = [](const Array& x) {
    return lax::cond(
        x >= 1, [](const Array& v) { return sqrt(v - 1); }, [](const Array& v) { return v * v * v; }, x);
  };
  EXPECT_EQ(jit(grad(grad(cube_or_root)))(array(0.5f)).item<float>(), 3.f);
  EXPECT_EQ(as_floats(vmap(grad(grad(cube_or_root)))(array({0.5f, 2.f}))), (F{3, -0.25f}));
}

TEST(BranchGradients, ValuesAndProgramsAreThoseOfBothSides) {
  auto f = [](const Array& x, const Array& w) {
    return lax::cond(
        sum(x) > 0, [&](const Array& v) { return matmul(v, w); }, [](const Array& v) { return -v; }, x);
  };
  Array x = arange(4.f).reshape(2, 2), w = ones({2, 2});
  EXPECT_EQ(as_floats(jit(f)(x, w)), as_floats(f(x, w)));
  EXPECT_EQ(as_floats(jit(f)(-x, w)), as_floats(f(-x, w)));
}

TEST(BranchGradients, WhatIsKnownMayBeLookedAtInside) {
  Array steps = array(3);
  auto f = [&](const Array& x) {
    return lax::cond(
        x > 0,
        [&](const Array& v) {
          Array out = v;
          for (int i = 0; i < steps.item<int>(); ++i) out = out * v;
          return out;
        },
        [](const Array& v) { return v; }, x);
  };
  EXPECT_EQ(as_floats(vmap(f)(array({2.f, -2.f}))), (F{16, -2}));
}

TEST(BranchGradients, SidesMustAgree) {
  struct Tagged {
    Array x;
    int tag;
  };
  auto f = [](const Array& x) {
    return lax::cond(
               x > 0,
               [](const Array& v) {
                 return Tagged{v, 1};
               },
               [](const Array& v) {
                 return Tagged{v, 2};
               },
               x)
        .x;
  };
  EXPECT_THROW(jit(f)(array(1.f)), TypeError);
}

TEST(Loops, AWeakCarryTakesOnlyATypeAboveIt) {
  auto to = [](DType d) {
    return [d](const Array& c, const Array& x) { return std::pair{zeros({}, d) + 0 * c.astype(d), x}; };
  };
  EXPECT_EQ(lax::scan(to(bfloat16), 1.5, arange(3)).first.dtype(), bfloat16);
  EXPECT_THROW(lax::scan(to(int8), 1.5, arange(3)), TypeError);
  EXPECT_THROW(lax::scan(to(int32), 1.5, arange(3)), TypeError);
  Array c = lax::while_loop([](const Array& v) { return v < 5; }, [](const Array& v) { return v + 1.5; }, 1);
  EXPECT_EQ(c.item<float>(), 5.5f);
}

TEST(Loops, AWhileLoopBackwardsSaysWhatToDo) {
  auto f = [](const Array& x) {
    return lax::while_loop([](const Array& v) { return v < 5; }, [](const Array& v) { return v * 2; }, x);
  };
  EXPECT_EQ(jit(f)(array(1.f)).item<float>(), 8.f);
  try {
    grad(f)(array(1.f));
    FAIL();
  } catch (const UnsupportedError& e) {
    EXPECT_NE(std::string(e.what()).find("max_steps"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
