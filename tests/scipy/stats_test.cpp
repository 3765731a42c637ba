// Distributions, ranks and kernel estimates beside SciPy (users-3, 9): values recorded by tools/record_scipy.py.
#include "scipy/check.hpp"
#include "tutti/special/distributions.hpp"
#include "tutti/special/multivariate.hpp"

namespace tutti {
namespace {

using namespace stats;

TEST(Stats, OfNumbers) {  // users-3, 9
  const Array x = recorded("points"), q = recorded("q");
  const struct {
    const char* name;
    float a, b;
  } cuts[] = {{"-1", -1, 2}, {"3", 3, 9}, {"-30", -30, -2.5f}};
  for (const auto& [text, a, b] : cuts) {
    const std::string name = std::string("truncnorm ") + text + " ";
    expect_recorded(name + "logpdf", truncnorm::logpdf(x, a, b, .2f, 2.f));
    expect_recorded(name + "pdf", truncnorm::pdf(x, a, b, .2f, 2.f));
    expect_recorded(name + "logcdf", truncnorm::logcdf(x, a, b, .2f, 2.f));
    expect_recorded(name + "cdf", truncnorm::cdf(x, a, b, .2f, 2.f));
    expect_recorded(name + "logsf", truncnorm::logsf(x, a, b, .2f, 2.f));
    expect_recorded(name + "sf", truncnorm::sf(x, a, b, .2f, 2.f));
  }
  const float kappas[] = {.01f, 2.5f, 200.f}, betas[] = {.5f, 1.f, 3.5f};
  for (int i = 0; i < 3; ++i) {
    expect_recorded("vonmises " + std::to_string(i), vonmises::logpdf(x, kappas[i]), 2e-5);  // of angles up to 30
    const std::string beta = i == 0 ? "0.5" : i == 1 ? "1.0" : "3.5";
    expect_recorded("gennorm " + beta + " 0", gennorm::logpdf(x, betas[i]));
    expect_recorded("gennorm " + beta + " 1", gennorm::cdf(x, betas[i]));
  }
  expect_recorded("wrapcauchy 0", wrapcauchy::logpdf(x, .1f));
  expect_recorded("wrapcauchy 1", wrapcauchy::logpdf(x, .9f));
#define TUTTI_ALL_SIX(space, ...)                                \
  expect_recorded(#space " logpdf", space::logpdf(__VA_ARGS__)); \
  expect_recorded(#space " pdf", space::pdf(__VA_ARGS__));       \
  expect_recorded(#space " logcdf", space::logcdf(__VA_ARGS__)); \
  expect_recorded(#space " cdf", space::cdf(__VA_ARGS__));       \
  expect_recorded(#space " logsf", space::logsf(__VA_ARGS__));   \
  expect_recorded(#space " sf", space::sf(__VA_ARGS__))
  TUTTI_ALL_SIX(pareto, x, 2.5f, .2f, 2.f);
  TUTTI_ALL_SIX(gumbel_r, x, .2f, 2.f);
  TUTTI_ALL_SIX(gumbel_l, x, .2f, 2.f);
#undef TUTTI_ALL_SIX
  expect_recorded("ppf 0", pareto::ppf(q, 2.5f, .2f, 2.f));
  expect_recorded("ppf 1", gumbel_r::ppf(q, .2f, 2.f));
  expect_recorded("ppf 2", gumbel_l::ppf(q, .2f, 2.f));
  expect_recorded("counts 0", nbinom::logpmf(recorded("numbers"), 4.5f, .3f));
  expect_recorded("counts 1", betabinom::logpmf(recorded("numbers"), 12, 2.5f, .7f));
  expect_close(vonmises::pdf(array({1.f}), -1.f), {NAN});
  // Densities are derivatives of distribution functions; outside of the range they are 0, not NaN.
  const Array g = vmap(grad([](const Array& v) { return truncnorm::cdf(v, -1.f, 2.f); }))(array({-3.f, .3f, 4.f}));
  expect_close(g, truncnorm::pdf(array({-3.f, .3f, 4.f}), -1.f, 2.f).to_vector<double>());
}

TEST(Stats, OfSeveralNumbers) {  // users-3, 9
  const Array mean = recorded("mean"), cov = recorded("cov"), v = recorded("v");
  expect_recorded("multivariate_normal 0", multivariate_normal::logpdf(v, mean, cov), 1e-5);
  expect_recorded("multivariate_normal 1", multivariate_normal::logpdf(v, mean, 2.5f), 1e-5);
  expect_recorded("multivariate_normal 2", multivariate_normal::logpdf(v, .5f, 2.5f), 1e-5);
  expect_recorded("multivariate_normal 3", multivariate_normal::logpdf(v, mean, stack({cov, 2 * cov, cov, cov})), 1e-5);
  const Array g = grad([&](const Array& c) { return sum(multivariate_normal::logpdf(v, mean, c)); })(cov);
  EXPECT_TRUE(bool(all(isfinite(g))));
  const Array alpha = recorded("alpha"), p = recorded("p");
  expect_recorded("dirichlet", dirichlet::logpdf(p.T(), alpha));
  expect_recorded("dirichlet", dirichlet::logpdf(p.T()(slice(0, 2)), alpha));
  expect_recorded("multinomial", multinomial::logpmf(array({{2, 2, 3}, {7, 0, 0}, {1, 1, 1}}), 7, p[0]));
  expect_recorded("poisson entropy", poisson::entropy(array({0.f, .1f, 3.f, 30.f, 99.f, 101.f, 5000.f})));
}

TEST(Stats, RanksAndModes) {  // users-3, 9
  const Array ties = recorded("ties");
  for (const std::string method : {"average", "min", "max", "dense", "ordinal"}) {
    expect_recorded("rankdata " + method + " 0", rankdata(ties, method));
    expect_recorded("rankdata " + method + " 1", rankdata(ties, method, 1));
  }
  expect_close(rankdata(array({1.f, NAN, 0.f})), {NAN, NAN, NAN});
  const ModeResult rows = mode(ties, 1), flat = mode(ties, none);
  expect_recorded("mode 0", rows.mode);
  expect_recorded("mode 1", rows.count);
  expect_recorded("mode 2", flat.mode);
  expect_recorded("mode 3", flat.count);
  EXPECT_EQ(mode(ties, 1, true).mode.shape(), (Shape{2, 1}));
  expect_close(mode(array({NAN, NAN, 1.f})).count, {2});
  expect_recorded("sem 0", sem(ties, {.axis = 1}));
  expect_recorded("sem 1", sem(ties, {.axis = {}, .ddof = 0}));
  expect_close(sem(array({1.f, NAN, 3.f}), {.omit_nan = true}), {1});
}

TEST(Stats, KernelDensities) {  // users-3, 9
  const Array data = recorded("data"), at = recorded("at"), w = recorded("w");
  const auto expect_kde = [&](const std::string& name, const gaussian_kde& kde) {
    expect_recorded(name + " 0", kde(at));
    expect_recorded(name + " 1", kde.logpdf(at), 1e-5);
    expect_recorded(name + " 2", kde.integrate_gaussian(array({.2f, .4f}), array({{1.f, .3f}, {.3f, 2.f}})));
    expect_recorded(name + " 3", kde.integrate_kde(gaussian_kde(data(all, slice(0, 7)))));
  };
  const gaussian_kde kde(data);
  expect_kde("kde plain", kde);
  expect_kde("kde weighted", gaussian_kde(data, "silverman", w));
  expect_kde("kde narrow", gaussian_kde(data, .2f));
  expect_recorded("kde one 0", gaussian_kde(data[0])(at[0]));
  expect_recorded("kde one 1", gaussian_kde(data[0]).integrate_box_1d(-.5f, .8f));
  expect_recorded("kde resample", kde.resample(random::key(0), {4}), 1e-4);
  const Array jitted = jit([](const gaussian_kde& k, const Array& x) { return k(x); })(kde, at);
  expect_recorded("kde plain 0", jitted);
  EXPECT_TRUE(bool(all(isfinite(grad([&](const Array& x) { return sum(gaussian_kde(x).logpdf(at)); })(data)))));
}

TEST(Stats, WrongArguments) {  // users-3, 9
  const Array v = ones({2, 3});
  expect_thrown<ShapeError>([&] { multivariate_normal::logpdf(v, ones({2}), eye(2)); },
                            {"multivariate_normal", "float32[2,3]", "float32[2]", "float32[2,2]"});
  expect_thrown<ShapeError>([&] { dirichlet::logpdf(v, ones({4})); }, {"dirichlet", "float32[4]"});
  expect_thrown<TypeError>([&] { multinomial::logpmf(v, 3, ones({3})); }, {"multinomial", "float32[2,3]"});
  expect_thrown<IndexError>([&] { rankdata(v, "min", 2); }, {"rankdata", "float32[2,3]"});
  expect_thrown<ValueError>([&] { rankdata(v, "mean"); }, {"average"});
  expect_thrown<ShapeError>([&] { mode(zeros({0, 2})); }, {"mode", "float32[0,2]"});
  expect_thrown<ShapeError>([&] { gaussian_kde(ones({1})); }, {"gaussian_kde", "float32[1]"});
  expect_thrown<ShapeError>([&] { gaussian_kde(v, "scott", ones({2})); }, {"float32[2]"});
  expect_thrown<ShapeError>([&] { gaussian_kde(recorded("data"))(ones({3, 1})); }, {"float32[3,1]"});
  expect_thrown<ValueError>([&] { gaussian_kde(v, "scot"); }, {"scott silverman"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
