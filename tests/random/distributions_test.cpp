// Distributions made of others: the numbers that JAX 0.10.2 draws from key(7).
#include <gtest/gtest.h>

#include "tutti/random/distributions.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

void expect_near(const Array& x, const std::vector<float>& want) {
  const std::vector<float> got = x.astype(float32).to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-5f * (1 + std::abs(want[i]))) << i;
}

TEST(Distributions, DrawJaxsNumbers) {
  const Array key = random::key(7), cov = array({{2.f, .5f}, {.5f, 1.f}}), mean = array({1.f, 2.f});
  expect_near(random::maxwell(key, {3}), {2.0702868f, 0.7144703f, 1.4999796f});
  expect_near(random::double_sided_maxwell(key, 1., 2., {3}), {-1.477191f, -4.1701055f, 3.7603445f});
  expect_near(random::weibull_min(key, 2., 1.5, {3}), {2.158415f, 4.7617164f, 1.0135159f});
  expect_near(random::pareto(key, 2.5, Shape{3}), {1.5658886f, 4.346923f, 1.1552285f});
  expect_near(random::rayleigh(key, 2., Shape{3}), {1.7762693f, 0.45352685f, 3.0913284f});
  expect_near(random::triangular(key, -1., .5, 3., Shape{3}), {1.194702f, 2.4961834f, 0.3479842f});
  expect_near(random::wald(key, 1.5, Shape{3}), {0.41869986f, 1.783737f, 0.79934227f});
  const Array trials = random::geometric(key, .3, Shape{5});
  EXPECT_EQ(trials.dtype(), int32);
  expect_near(trials, {2, 1, 4, 3, 1});
  expect_near(random::multivariate_normal(key, mean, cov, Shape{2}), {1.6381428f, 3.9868217f, 0.26992714f, 1.6856441f});
  EXPECT_EQ(random::multivariate_normal(key, zeros({3, 1, 2}), broadcast_to(cov, {4, 2, 2})).shape(), Shape({3, 4, 2}));
  EXPECT_EQ(random::pareto(key, array({1.f, 2.f})).shape(), Shape({2}));
  EXPECT_THROW(random::pareto(key, array({1.f, 2.f}), Shape{3}), ShapeError);
  EXPECT_THROW(random::multivariate_normal(key, mean, zeros({3, 3})), ValueError);
}

TEST(Distributions, OrthogonalMatrices) {
  const Array key = random::key(7);
  expect_near(random::orthogonal(key, 2), {0.65811265f, 0.7529195f, -0.7529195f, 0.65811265f});
  expect_near(random::orthogonal(key, 2, {}, float32, 3),
              {0.48973513f, -0.5602856f, 0.66801167f, 0.869762f, 0.3672174f, -0.3296444f});
  const Array many = random::orthogonal(key, 5, {3}, float32, 2);
  EXPECT_TRUE(allclose(matmul(swapaxes(many, -1, -2), many), broadcast_to(eye(2), {3, 2, 2}), 0, 1e-5).item<bool>());
}

TEST(Initializers, OrthogonalAndCutOnes) {
  const Array key = random::key(7);
  namespace init = linen::initializers;
  expect_near(init::orthogonal(2)(key, {3, 2}, float32),
              {0.97947025f, 1.739524f, -1.1205713f, 0.73443478f, 1.3360233f, -0.65928876f});
  expect_near(init::truncated_normal(.5)(key, {3}, float32), {0.21467918f, 0.8374429f, -0.2453572f});
  const Array kernel = init::delta_orthogonal()(key, {3, 3, 2, 4}, float32);
  EXPECT_EQ(kernel.shape(), Shape({3, 3, 2, 4}));
  EXPECT_NEAR(sum(square(kernel)).item<float>(), 2, 1e-5);
  EXPECT_NEAR(sum(square(kernel(1, 1))).item<float>(), 2, 1e-5);
  EXPECT_THROW(init::orthogonal()(key, {3}, float32), ShapeError);
  EXPECT_THROW(init::delta_orthogonal()(key, {3, 4, 2}, float32), ShapeError);
}

TEST(Distributions, RootsOfTheCovarianceAgreeInDistribution) {
  const Array cov = array({{2.f, .5f}, {.5f, 1.f}});
  for (auto method : {random::CovarianceRoot::cholesky, random::CovarianceRoot::eigh, random::CovarianceRoot::svd}) {
    const Array x = random::multivariate_normal(random::key(1), zeros({2}), cov, Shape{20000}, float32, method);
    EXPECT_TRUE(allclose(matmul(x.T(), x) / 20000, cov, 0, 0.1).item<bool>());
  }
}

}  // namespace
}  // namespace tutti
