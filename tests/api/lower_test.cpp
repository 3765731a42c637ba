// jit(f).lower of shapes in place of arrays.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

TEST(Lower, ShapesStandForArrays) {
  auto known = jit([](const Array& x, const Array& w) { return sin(matmul(x, w)); });
  auto generic = jit([](const auto& x, const auto& w) { return sin(matmul(x, w)); });
  const Array x = arange(6.0f).reshape(2, 3), w = ones({3, 4});
  auto check = [&](auto& f) {
    auto lowered = f.lower(ShapeDtypeStruct({2, 3}), ShapeDtypeStruct({3, 4}));
    EXPECT_NE(lowered.text().find("float32[2,4] = sin"), std::string::npos) << lowered.text();
    EXPECT_FALSE(lowered.explain().str().empty());
    auto compiled = lowered.compile();
    EXPECT_EQ(compiled.memory_analysis().argument_bytes, 4u * (6 + 12));
    EXPECT_GE(compiled.cost_analysis().flops, 2.0 * 2 * 3 * 4);
    EXPECT_TRUE(bool(array_equal(compiled(x, w), f(x, w))));
    EXPECT_EQ(f.cache_size(), 1u);  // the call found what was lowered
    EXPECT_THROW(compiled(w, x), TypeError);
  };
  check(known);
  check(generic);
}

TEST(Lower, ShapesStandInTrees) {
  struct Params {
    Array w, b;
    int times;
  };
  auto f = jit([](const Params& p, const Array& x) { return (matmul(x, p.w) + p.b) * p.times; });
  const Params shapes{ShapeDtypeStruct({3, 4}), ShapeDtypeStruct({4}), 2};
  auto compiled = f.lower(shapes, ShapeDtypeStruct({2, 3}, float32)).compile();
  const Array y = compiled(Params{ones({3, 4}), zeros({4}), 2}, ones({2, 3}));
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(8, 6));
}

TEST(Lower, CallsNeedArrays) {
  auto f = jit([](const Array& x) { return x + 1; });
  EXPECT_THROW(f(ShapeDtypeStruct({2})), TracerError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
