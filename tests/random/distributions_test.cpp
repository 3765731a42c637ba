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

TEST(Distributions, ThoseByRejectionDrawJaxsNumbers) {
  const Array key = random::key(7), a = array({.1f, .5f, 1.f, 2.5f, 30.f});
  expect_near(random::gamma(key, a), {9.30183663e-20f, 0.302113384f, 0.252777845f, 4.32272387f, 25.1784782f});
  expect_near(random::loggamma(key, array({.001f, .1f, .5f, 3.f})),
              {-4387.24268f, -4.0271101f, -5.7953639f, 1.61006045f});
  expect_near(random::gamma(key, 2.f, Shape{2, 3}),
              {2.07241893f, 0.863659859f, 0.936903954f, 3.62110734f, 0.777327776f, 1.08943236f});
  expect_near(random::beta(key, array({.2f, 2.f}), 3.f), {2.40406516e-05f, 0.344098508f});
  expect_near(random::chisquare(key, array({1.f, 4.f, 10.f})), {0.000467359525f, 1.72731984f, 6.70471382f});
  expect_near(random::f(key, array({2.f, 5.f}), 7.f), {0.210127071f, 1.12603486f});
  expect_near(random::t(key, 3.f, Shape{4}), {2.31518197f, 0.149948746f, -0.500236511f, -0.776066959f});
  expect_near(random::dirichlet(key, array({.3f, 1.f, 5.f}), Shape{2}),
              {1.6009642e-07f, 0.0610364377f, 0.938963413f, 0.322070688f, 0.0317120031f, 0.646217287f});
  expect_near(random::generalized_normal(key, 1.5, {4}), {-0.113148823f, -0.786064863f, 0.0586738139f, 0.316876888f});
  expect_near(random::ball(key, 3, 2, {2}),
              {-0.363884151f, 0.394585401f, 0.119758196f, -0.487261683f, 0.133228794f, -0.144618139f});
  auto one = [](const Array& k) { return random::gamma(k, 2.f); };
  const std::vector<float> many{0.838150084f, 0.627262414f, 2.2520597f, 0.801118672f};
  expect_near(vmap(one)(random::split_array(key, {4})), many);
  expect_near(jit(vmap(one))(random::split_array(key, {4})), many);
  EXPECT_EQ(random::gamma(key, zeros({0, 2})).shape(), Shape({0, 2}));
  EXPECT_THROW(random::gamma(key, a, Shape{3}), ShapeError);
  EXPECT_THROW(random::dirichlet(key, array(1.f)), ValueError);
}

TEST(Distributions, GammaHasDerivativesByItsParameter) {
  const Array key = random::key(7), a = array({.1f, .5f, 1.f, 2.5f, 30.f});
  expect_near(grad([&](const Array& a) { return sum(random::gamma(key, a)); })(a),
              {4.03678664e-17f, 1.0138793f, 0.535521328f, 1.38794148f, 0.920046449f});
  expect_near(grad([&](const Array& a) { return sum(random::loggamma(key, a)); })(array({.001f, .1f, .5f, 3.f})),
              {86760.9766f, 36.7717133f, 11.6900969f, 0.269884914f});
  const auto [y, slope] =
      jvp([&](const Array& a) { return random::beta(key, a, 3.f); }, std::tuple{array(2.f)}, std::tuple{array(1.f)});
  EXPECT_GT(slope.item<float>(), 0);
}

TEST(Distributions, CountsAreJaxs) {
  const Array key = random::key(7);
  const Array k = random::poisson(key, array({0.f, .5f, 3.f, 9.9f, 10.f, 50.f, 1000.f}));
  EXPECT_EQ(k.dtype(), int32);
  expect_near(k, {0, 1, 1, 9, 9, 50, 1030});
  expect_near(random::poisson(key, 4.f, Shape{8}), {4, 1, 1, 4, 2, 8, 7, 4});
  expect_near(random::poisson(key, array({NAN, INFINITY})), {-1, 2147483647.f});
  expect_near(random::binomial(key, array({5.f, 10.f, 100.f, 1000.f, 30.f}), array({.3f, .9f, .5f, .01f, .77f})),
              {2, 8, 52, 9, 25});
  const std::vector<float> odd =
      random::binomial(key, array({-1.f, 5.f, NAN, INFINITY, 4.f}), array({.3f, NAN, .5f, .5f, -.2f}))
          .to_vector<float>();
  for (int i : {0, 1, 2, 4}) EXPECT_TRUE(std::isnan(odd[i])) << i;
  EXPECT_EQ(odd[3], INFINITY);
  expect_near(random::multinomial(key, 20.f, array({.1f, .2f, .3f, .4f})), {2, 5, 5, 8});
  expect_near(random::multinomial(key, array({20.f, 5.f}), array({{.1f, .2f, .3f, .4f}, {0.f, .5f, .5f, 0.f}})),
              {2, 5, 5, 8, 0, 2, 3, 0});
}

TEST(Distributions, MomentsOfManyDraws) {
  const Array key = random::key(3);
  auto near = [](const Array& x, double mean, double variance) {
    EXPECT_NEAR(tutti::mean(x.astype(float32)).item<float>(), mean,
                5 * std::sqrt(variance / static_cast<double>(x.size())));
    EXPECT_NEAR(var(x.astype(float32)).item<float>() / variance, 1, .08);
  };
  const Shape many{20000};
  near(random::gamma(key, .3f, many), .3, .3);
  near(random::gamma(key, 7.f, many), 7, 7);
  near(random::beta(key, 2.f, 3.f, many), .4, .04);
  near(random::poisson(key, 2.5f, many), 2.5, 2.5);
  near(random::poisson(key, 40.f, many), 40, 40);
  near(random::binomial(key, 12.f, .2f, many), 2.4, 1.92);
  near(random::binomial(key, 400.f, .7f, many), 280, 84);
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

// SPDX-License-Identifier: Apache-2.0
