// Distributions: values are SciPy's.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/special/distributions.hpp"
#include "tutti/tutti.hpp"

namespace tutti::stats {
namespace {

using F = std::vector<float>;
void expect_near(const Array& x, const F& want) {
  EXPECT_EQ(x.dtype(), float32);
  const F got = x.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(want[i]))
      EXPECT_NEAR(got[i], want[i], 2e-6f * std::max(1e-3f, std::abs(want[i])) + 1e-7f) << i;
    else
      EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) << i;
  }
}
const float inf = INFINITY;

TEST(Distributions, OfNumbersOnTheLine) {
  const Array x = array({-1.f, .5f, 3.f}), q = array({.2f, .9f});
  expect_near(laplace::logpdf(x, .2f, 2.f), {-1.9862944f, -1.5362944f, -2.7862944f});
  expect_near(laplace::cdf(x, .2f, 2.f), {.27440582f, .56964601f, .87670152f});
  expect_near(logistic::logpdf(x, .2f, 2.f), {-2.1681231f, -2.0850613f, -2.533982f});
  expect_near(logistic::cdf(x, .2f, 2.f), {.35434369f, .53742985f, .80218389f});
  expect_near(logistic::sf(x, .2f, 2.f), {.64565631f, .46257015f, .19781611f});
  expect_near(logistic::ppf(q, .2f, 2.f), {-2.5725887f, 4.5944492f});
  expect_near(logistic::isf(1 - q, .2f, 2.f), {-2.5725887f, 4.5944492f});
  expect_near(cauchy::logpdf(x, .2f, 2.f), {-2.1453618f, -1.8601277f, -2.9230663f});
  expect_near(cauchy::cdf(array({-1e6f, .5f, 3.f}), .2f, 2.f), {6.3661965e-07f, .54739314f, .80256846f});
  expect_near(cauchy::sf(array({-.5f, 1e6f}), 0.f, 1.f), {.64758362f, 3.1830989e-07f});
  expect_near(cauchy::ppf(q, .2f, 2.f), {-2.5527638f, 6.3553671f});
  expect_near(t::logpdf(x, 2.5f, .2f, 2.f), {-1.9452158f, -1.7254663f, -2.7227883f});
  expect_near(norm::sf(x, .2f, 2.f), {.72574688f, .44038231f, .080756659f});
  expect_near(norm::logsf(array({40.f})), {-804.60844f});
  expect_near(norm::isf(q, .2f, 2.f), {1.8832425f, -2.3631031f});
  expect_near(vmap(grad([](const Array& v) { return laplace::logpdf(v, .2f, 2.f); }))(x), {.5f, -.5f, -.5f});
}

TEST(Distributions, OfPositiveNumbers) {
  const Array x = array({.5f, 3.f, -1.f});
  expect_near(expon::logpdf(x, .1f, 2.f), {-.89314718f, -2.1431472f, -inf});
  expect_near(expon::cdf(x, .1f, 2.f), {.18126925f, .76542971f, 0});
  expect_near(expon::sf(x, .1f, 2.f), {.81873075f, .23457029f, 1});
  expect_near(expon::ppf(array({.2f, .9f, 2.f}), .1f, 2.f), {.5462871f, 4.7051702f, NAN});
  expect_near(gamma::logpdf(x, 2.5f, .2f, 2.f), {-3.97351f, -1.8731217f, -inf});
  expect_near(gamma::cdf(x, 2.5f, .2f, 2.f), {.0023569137f, .26921351f, 0});
  expect_near(gamma::sf(x, 2.5f, .2f, 2.f), {.99764309f, .73078649f, 1});
  expect_near(chi2::logpdf(x, 2.5f, .2f, 2.f), {-2.0105893f, -2.0771913f, -inf});
  expect_near(chi2::cdf(x, 2.5f, .2f, 2.f), {.033234779f, .39030414f, 0});
  expect_near(gamma::pdf(arange(3), 1), {1, .36787944f, .13533528f});
  const Array g = vmap(grad([](const Array& v) { return gamma::logpdf(v, 2.5f, .2f, 2.f); }))(x);
  expect_near(g, {4.5f, 0.035714286f, 0});
}

TEST(Distributions, OfAnInterval) {
  const Array x = array({-1.f, .5f, 3.f}), p = array({.1f, .75f, 2.f});
  expect_near(uniform::pdf(x, .2f, 2.f), {0, .5f, 0});
  expect_near(uniform::cdf(x, .2f, 2.f), {0, .15f, 1});
  expect_near(uniform::ppf(p, .2f, 2.f), {.4f, 1.7f, NAN});
  expect_near(beta::logpdf(p, 2.5f, .5f), {-3.565098f, .097723439f, -inf});
  expect_near(beta::cdf(p, 2.5f, .5f), {.0011144375f, .25317f, 1});
  expect_near(beta::sf(p, 2.5f, .5f), {.99888556f, .74683f, 0});
  expect_near(beta::logcdf(p, 2.5f, .5f), {-6.7994042f, -1.3736941f, 0});
  expect_near(beta::logpdf(p, -1.f, .5f), {NAN, NAN, NAN});
}

TEST(Distributions, OfWholeNumbers) {
  const Array k = array({0.f, 3.f, 1.5f, -1.f});
  expect_near(poisson::logpmf(k, 2.5f), {-2.5f, -1.5428873f, -inf, -inf});
  expect_near(poisson::cdf(k, 2.5f), {.082084999f, .75757613f, .28729749f, 0});
  expect_near(binom::logpmf(k, 5, .3f), {-1.7833747f, -2.0226832f, -inf, -inf});
  expect_near(geom::logpmf(array({1.f, 3.f, 0.f}), .3f), {-1.2039728f, -1.9173227f, -inf});
  expect_near(bernoulli::logpmf(array({0, 1, 2}), .3f), {-.35667494f, -1.2039728f, -inf});
  expect_near(bernoulli::cdf(array({-1.f, 0.f, .5f, 1.f, NAN}), .3f), {0, .7f, .7f, 1, NAN});
  expect_near(bernoulli::ppf(array({0.f, .6f, .8f, 2.f}), .3f), {0, 0, 1, NAN});
}

}  // namespace
}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
