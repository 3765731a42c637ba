// Matrices with a structure: values of JAX 0.10.2, and systems that a dense solve knows.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

void expect_near(const Array& x, const std::vector<float>& want) {
  const std::vector<float> got = x.astype(float32).to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5f * (1 + std::abs(want[i]))) << i;
}

Array dense(const Array& dl, const Array& d, const Array& du) {
  const std::int64_t n = d.shape(0);
  Array a = zeros({n, n}, d.dtype()) + diag(d);
  if (n > 1) a = a + diag(dl(slice(1, none)), -1) + diag(du(slice(0, n - 1)), 1);
  return a;
}

TEST(Structured, TridiagonalSystems) {
  const Array dl = array({0.f, 1.f, 4.f, -1.f}), d = array({.1f, 2.f, 1.f, 3.f}), du = array({2.f, -1.f, .5f, 0.f});
  const Array b = array({{1.f, 2.f}, {0.f, 1.f}, {3.f, -1.f}, {2.f, 2.f}});
  expect_near(lax::linalg::tridiagonal_solve(dl, d, du, b),
              {-0.5882354f, -7.647058f, 0.5294118f, 1.382353f, 0.4705882f, -5.882353f, 0.8235294f, -1.294118f});
  expect_near(grad([&](const Array& d) { return sum(sin(lax::linalg::tridiagonal_solve(dl, d, du, b))); })(d),
              {-26.09708f, -1.413532f, 6.665109f, -0.05973199f});
  EXPECT_THROW(lax::linalg::tridiagonal_solve(dl, d, du, dl), ShapeError);
  EXPECT_THROW(lax::linalg::tridiagonal_solve(dl, d, du.astype(float16), b), TypeError);
}

TEST(Structured, TridiagonalSystemsAgreeWithDenseOnes) {
  for (int n : {1, 2, 7, 60}) {
    auto draw = [&](int k, const Shape& shape) { return random::normal(random::key(k + 10 * n), shape); };
    const Array dl = draw(0, {n}), d = draw(1, {n}), du = draw(2, {n}), b = draw(3, {n, 2});
    const Array x = lax::linalg::tridiagonal_solve(dl, d, du, b), back = matmul(dense(dl, d, du), x);
    EXPECT_LT(max(abs(back - b)).item<float>(), 2e-4f * (1 + max(abs(x)).item<float>())) << n;
    auto many = vmap([&](const Array& d) { return lax::linalg::tridiagonal_solve(dl, d, du, b); });
    expect_near(many(stack({d, d}))(1), x.to_vector<float>());
    expect_near(lax::linalg::tridiagonal_solve(stack({dl, dl}), stack({d, d}), stack({du, du}), stack({b, b}))(1),
                x.to_vector<float>());
  }
}

TEST(Structured, PermutationsAndProducts) {
  EXPECT_EQ(lax::linalg::lu_pivots_to_permutation(array({{2, 2, 3}, {0, 1, 2}}), 5).to_vector<int>(),
            (std::vector{2, 0, 3, 1, 4, 0, 1, 2, 3, 4}));
  const auto f = lax::linalg::lu(random::normal(random::key(1), {3, 6, 4}));
  EXPECT_TRUE(bool(array_equal(lax::linalg::lu_pivots_to_permutation(f.pivots, 6), f.permutation)));
  const Array a = array({1.7640524f, 0.4001572f, 0.978738f, 2.2408931f, 1.867558f, -0.9772779f, 0.95008844f,
                         -0.1513572f, -0.10321885f, 0.41059852f, 0.14404356f, 1.4542735f})
                      .reshape(4, 3);
  expect_near(lax::linalg::householder_product(a, array({1.2f, .5f})),
              {-0.2f, -1.395331f, -1.335923f, -2.689072f, -2.626788f, -2.917982f, -1.140106f, -1.250009f, -0.2806996f,
               -0.4927182f, -0.6449427f, -0.537627f});
  EXPECT_EQ(lax::linalg::householder_product(stack({a, a}), ones({2, 3})).shape(), Shape({2, 4, 3}));
  expect_near(lax::linalg::symmetric_product(a, ones({4, 4}), 2., .5)(0), {8.959869f, 7.987741f, 3.52883f, 4.91062f});
  EXPECT_THROW(lax::linalg::householder_product(a, ones({4})), ShapeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
