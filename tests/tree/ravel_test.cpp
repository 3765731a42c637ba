// ravel_pytree (users-3, 9), as jax.flatten_util.ravel_pytree.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

TEST(RavelPytree, ThereAndBack) {
  const std::map<std::string, Array> tree{{"b", arange(2.f)}, {"a", arange(6.f).reshape(2, 3)}, {"c", array(9.f)}};
  const auto [flat, unravel] = ravel_pytree(tree);
  EXPECT_EQ(flat.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5, 0, 1, 9}));
  const auto back = unravel(flat * 2);
  EXPECT_EQ(back.at("a").shape(), Shape({2, 3}));
  EXPECT_EQ(back.at("c").shape(), Shape{});
  EXPECT_EQ(float(back.at("c")), 18);
  // Of one dtype: the pieces have that of the vector.
  EXPECT_EQ(unravel(flat.astype(bfloat16)).at("b").dtype(), bfloat16);
}

TEST(RavelPytree, OfSeveralDtypes) {
  const std::pair tree{array({1, 2}), array({.5f})};
  const auto [flat, unravel] = ravel_pytree(tree);
  EXPECT_EQ(flat.dtype(), float32);
  EXPECT_EQ(unravel(flat).first.dtype(), int32);
  EXPECT_EQ(unravel(flat).first.to_vector<int>(), (std::vector<int>{1, 2}));
  EXPECT_NE(testing::error_of<TypeError>([&] { unravel(flat.astype(bfloat16)); }).find("ravel_test.cpp"),
            std::string::npos);
  EXPECT_THROW(unravel(zeros(4)), ShapeError);
  EXPECT_THROW(unravel(zeros(3, 1)), ShapeError);
}

TEST(RavelPytree, NothingAndTransformations) {
  const auto [flat, unravel] = ravel_pytree(std::vector<Array>{});
  EXPECT_EQ(flat.shape(), Shape({0}));
  EXPECT_EQ(flat.dtype(), float32);
  EXPECT_TRUE(unravel(flat).empty());
  const std::pair tree{ones({2, 2}), arange(3.f)};
  const auto [vector, back] = ravel_pytree(tree);
  auto loss = [&, back = back](const Array& v) {
    const auto [m, w] = back(v);
    return square(m).sum() + (w * w * w).sum();
  };
  EXPECT_EQ(jit(grad(loss))(vector).to_vector<float>(), (std::vector<float>{2, 2, 2, 2, 0, 3, 12}));
  EXPECT_EQ(hessian(loss)(vector).shape(), Shape({7, 7}));
  const Array rows = vmap([](const std::pair<Array, Array>& t) { return ravel_pytree(t).first; })(
      std::pair{ones({4, 2}), zeros({4, 3})});
  EXPECT_EQ(rows.shape(), Shape({4, 5}));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
