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

TEST(Distributions, RootsOfTheCovarianceAgreeInDistribution) {
  const Array cov = array({{2.f, .5f}, {.5f, 1.f}});
  for (auto method : {random::CovarianceRoot::cholesky, random::CovarianceRoot::eigh, random::CovarianceRoot::svd}) {
    const Array x = random::multivariate_normal(random::key(1), zeros({2}), cov, Shape{20000}, float32, method);
    EXPECT_TRUE(allclose(matmul(x.T(), x) / 20000, cov, 0, 0.1).item<bool>());
  }
}

}  // namespace
}  // namespace tutti
