#include "special/functions.hpp"

#include "tutti/lax/complex.hpp"
#include "tutti/special/distributions.hpp"
#include "tutti/tutti.hpp"

namespace tutti::sweep {
namespace {

using Args = std::vector<Array>;
constexpr double few = 4, some = 16;

template <class F> auto of_one(F f) {
  return [f](const Args& x) { return f(x[0]); };
}
template <class F> auto of_two(F f) {
  return [f](const Args& x) { return f(x[0], x[1]); };
}
template <class F> auto of_three(F f) {
  return [f](const Args& x) { return f(x[0], x[1], x[2]); };
}
template <class F> auto of_four(F f) {
  return [f](const Args& x) { return f(x[0], x[1], x[2], x[3]); };
}

Array multigammaln(const Array& x, const Array& d) {
  Array y = full_like(x, NAN);
  for (int k = 1; k <= 5; ++k) y = where((d == k) & (x > 0.5 * (k - 1)), special::multigammaln(x, k), y);
  return y;
}
Array harmonic(const Array& n, const Array& m, const Array& theta, const Array& phi) {
  return special::sph_harm_y(n.astype(int32), m.astype(int32), theta, phi, 12);
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"erf", of_one([](const Array& x) { return special::erf(x); }), few, few, ""},
      {"erfc", of_one([](const Array& x) { return special::erfc(x); }), few, few, ""},
      {"erfinv", of_one([](const Array& x) { return special::erfinv(x); }), few, few, ""},
      {"erfcx", of_one([](const Array& x) { return special::erfcx(x); }), few, few, ""},
      {"dawsn", of_one([](const Array& x) { return special::dawsn(x); }), few, few, ""},
      {"logit", of_one([](const Array& x) { return special::logit(x); }), few, few, ""},
      {"expit", of_one([](const Array& x) { return special::expit(x); }), few, few, ""},
      {"ndtr", of_one([](const Array& x) { return special::ndtr(x); }), few, few, ""},
      {"log_ndtr", of_one([](const Array& x) { return special::log_ndtr(x); }), few, few, ""},
      {"ndtri", of_one([](const Array& x) { return special::ndtri(x); }), few, few, ""},
      {"gammaln", of_one([](const Array& x) { return special::gammaln(x); }), few, few, ""},
      {"digamma", of_one([](const Array& x) { return special::digamma(x); }), few, few, ""},
      {"gamma", of_one([](const Array& x) { return special::gamma(x); }), few, few, ""},
      {"gammasgn", of_one([](const Array& x) { return special::gammasgn(x); }), few, few, ""},
      {"loggamma", of_one([](const Array& x) { return special::loggamma(x); }), few, few, ""},
      {"factorial", of_one([](const Array& x) { return special::factorial(x); }), few, few, ""},
      {"i0", of_one([](const Array& x) { return special::i0(x); }), few, few, ""},
      {"i1", of_one([](const Array& x) { return special::i1(x); }), few, few, ""},
      {"i0e", of_one([](const Array& x) { return special::i0e(x); }), few, few, ""},
      {"i1e", of_one([](const Array& x) { return special::i1e(x); }), few, few, ""},
      {"entr", of_one([](const Array& x) { return special::entr(x); }), few, few, ""},
      {"exp1", of_one([](const Array& x) { return special::exp1(x); }), few, few, ""},
      {"expi", of_one([](const Array& x) { return special::expi(x); }), few, few, ""},
      {"sici_si", of_one([](const Array& x) { return special::sici(x).si; }), few, few, ""},
      {"sici_ci", of_one([](const Array& x) { return special::sici(x).ci; }), few, few, ""},
      {"fresnel_s", of_one([](const Array& x) { return special::fresnel(x).s; }), few, few, ""},
      {"fresnel_c", of_one([](const Array& x) { return special::fresnel(x).c; }), few, few, ""},
      {"spence", of_one([](const Array& x) { return special::spence(x); }), few, few, ""},
      {"zeta1", of_one([](const Array& x) { return special::zeta(x); }), few, few, ""},
      {"polygamma", of_two([](const Array& x, const Array& y) { return special::polygamma(x, y); }), few, some, ""},
      {"gammainc", of_two([](const Array& x, const Array& y) { return special::gammainc(x, y); }), few, some, ""},
      {"gammaincc", of_two([](const Array& x, const Array& y) { return special::gammaincc(x, y); }), few, some, ""},
      {"beta", of_two([](const Array& x, const Array& y) { return special::beta(x, y); }), few, some, ""},
      {"betaln", of_two([](const Array& x, const Array& y) { return special::betaln(x, y); }), few, some, ""},
      {"betainc", of_three([](const Array& x, const Array& y, const Array& z) { return special::betainc(x, y, z); }),
       few, some, ""},
      {"zeta", of_two([](const Array& x, const Array& y) { return special::zeta(x, y); }), few, some, ""},
      {"rel_entr", of_two([](const Array& x, const Array& y) { return special::rel_entr(x, y); }), few, some, ""},
      {"kl_div", of_two([](const Array& x, const Array& y) { return special::kl_div(x, y); }), few, some, ""},
      {"xlogy", of_two([](const Array& x, const Array& y) { return special::xlogy(x, y); }), few, some, ""},
      {"xlog1py", of_two([](const Array& x, const Array& y) { return special::xlog1py(x, y); }), few, some, ""},
      {"poch", of_two([](const Array& x, const Array& y) { return special::poch(x, y); }), few, some, ""},
      {"comb", of_two([](const Array& x, const Array& y) { return special::comb(x, y); }), few, some, ""},
      {"boxcox", of_two([](const Array& x, const Array& y) { return special::boxcox(x, y); }), few, some, ""},
      {"boxcox1p", of_two([](const Array& x, const Array& y) { return special::boxcox1p(x, y); }), few, some, ""},
      {"owens_t", of_two([](const Array& x, const Array& y) { return special::owens_t(x, y); }), few, some, ""},
      {"expn", of_two([](const Array& x, const Array& y) { return special::expn(x, y); }), few, some, ""},
      {"multigammaln", of_two([](const Array& x, const Array& y) { return multigammaln(x, y); }), few, some, ""},
      {"hyp1f1", of_three([](const Array& x, const Array& y, const Array& z) { return special::hyp1f1(x, y, z); }), few,
       some, ""},
      {"hyp2f1", of_four([](const Array& x, const Array& y, const Array& z, const Array& w) {
         return special::hyp2f1(x, y, z, w);
       }),
       few, some, ""},
      {"hyp2f1_polynomial", of_four([](const Array& x, const Array& y, const Array& z, const Array& w) {
         return special::hyp2f1(x, y, z, w);
       }),
       few, some, ""},
      {"wofz_re", of_two([](const Array& x, const Array& y) { return lax::real(special::wofz(lax::complex(x, y))); }),
       few, some, ""},
      {"wofz_im", of_two([](const Array& x, const Array& y) { return lax::imag(special::wofz(lax::complex(x, y))); }),
       few, some, ""},
      {"bessel_j0", of_one([](const Array& x) { return special::bessel_jn(x, 0, 100)(0); }), few, few, ""},
      {"bessel_j1", of_one([](const Array& x) { return special::bessel_jn(x, 1, 100)(1); }), few, few, ""},
      {"bessel_j2", of_one([](const Array& x) { return special::bessel_jn(x, 2, 100)(2); }), few, few, ""},
      {"bessel_j5", of_one([](const Array& x) { return special::bessel_jn(x, 5, 100)(5); }), few, few, ""},
      {"sph_harm_re", of_four([](const Array& x, const Array& y, const Array& z, const Array& w) {
         return lax::real(harmonic(x, y, z, w));
       }),
       few, some, ""},
      {"sph_harm_im", of_four([](const Array& x, const Array& y, const Array& z, const Array& w) {
         return lax::imag(harmonic(x, y, z, w));
       }),
       few, some, ""},
      {"norm_logpdf", of_one([](const Array& x) { return stats::norm::logpdf(x); }), few, few, ""},
      {"norm_pdf", of_one([](const Array& x) { return stats::norm::pdf(x); }), few, few, ""},
      {"norm_cdf", of_one([](const Array& x) { return stats::norm::cdf(x); }), few, few, ""},
      {"norm_sf", of_one([](const Array& x) { return stats::norm::sf(x); }), few, few, ""},
      {"norm_logcdf", of_one([](const Array& x) { return stats::norm::logcdf(x); }), few, few, ""},
      {"norm_logsf", of_one([](const Array& x) { return stats::norm::logsf(x); }), few, few, ""},
      {"norm_ppf", of_one([](const Array& x) { return stats::norm::ppf(x); }), few, few, ""},
      {"norm_isf", of_one([](const Array& x) { return stats::norm::isf(x); }), few, few, ""},
      {"expon_logpdf", of_one([](const Array& x) { return stats::expon::logpdf(x); }), few, few, ""},
      {"expon_pdf", of_one([](const Array& x) { return stats::expon::pdf(x); }), few, few, ""},
      {"expon_cdf", of_one([](const Array& x) { return stats::expon::cdf(x); }), few, few, ""},
      {"expon_sf", of_one([](const Array& x) { return stats::expon::sf(x); }), few, few, ""},
      {"expon_logcdf", of_one([](const Array& x) { return stats::expon::logcdf(x); }), few, few, ""},
      {"expon_logsf", of_one([](const Array& x) { return stats::expon::logsf(x); }), few, few, ""},
      {"expon_ppf", of_one([](const Array& x) { return stats::expon::ppf(x); }), few, few, ""},
      {"uniform_logpdf", of_one([](const Array& x) { return stats::uniform::logpdf(x); }), few, few, ""},
      {"uniform_pdf", of_one([](const Array& x) { return stats::uniform::pdf(x); }), few, few, ""},
      {"uniform_cdf", of_one([](const Array& x) { return stats::uniform::cdf(x); }), few, few, ""},
      {"uniform_ppf", of_one([](const Array& x) { return stats::uniform::ppf(x); }), few, few, ""},
      {"laplace_logpdf", of_one([](const Array& x) { return stats::laplace::logpdf(x); }), few, few, ""},
      {"laplace_pdf", of_one([](const Array& x) { return stats::laplace::pdf(x); }), few, few, ""},
      {"laplace_cdf", of_one([](const Array& x) { return stats::laplace::cdf(x); }), few, few, ""},
      {"logistic_logpdf", of_one([](const Array& x) { return stats::logistic::logpdf(x); }), few, few, ""},
      {"logistic_pdf", of_one([](const Array& x) { return stats::logistic::pdf(x); }), few, few, ""},
      {"logistic_cdf", of_one([](const Array& x) { return stats::logistic::cdf(x); }), few, few, ""},
      {"logistic_sf", of_one([](const Array& x) { return stats::logistic::sf(x); }), few, few, ""},
      {"logistic_ppf", of_one([](const Array& x) { return stats::logistic::ppf(x); }), few, few, ""},
      {"logistic_isf", of_one([](const Array& x) { return stats::logistic::isf(x); }), few, few, ""},
      {"cauchy_logpdf", of_one([](const Array& x) { return stats::cauchy::logpdf(x); }), few, few, ""},
      {"cauchy_pdf", of_one([](const Array& x) { return stats::cauchy::pdf(x); }), few, few, ""},
      {"cauchy_cdf", of_one([](const Array& x) { return stats::cauchy::cdf(x); }), few, few, ""},
      {"cauchy_sf", of_one([](const Array& x) { return stats::cauchy::sf(x); }), few, few, ""},
      {"cauchy_logcdf", of_one([](const Array& x) { return stats::cauchy::logcdf(x); }), few, few, ""},
      {"cauchy_logsf", of_one([](const Array& x) { return stats::cauchy::logsf(x); }), few, few, ""},
      {"cauchy_ppf", of_one([](const Array& x) { return stats::cauchy::ppf(x); }), few, few, ""},
      {"cauchy_isf", of_one([](const Array& x) { return stats::cauchy::isf(x); }), few, few, ""},
      {"gamma_logpdf", of_two([](const Array& x, const Array& y) { return stats::gamma::logpdf(x, y); }), few, some,
       ""},
      {"gamma_pdf", of_two([](const Array& x, const Array& y) { return stats::gamma::pdf(x, y); }), few, some, ""},
      {"gamma_cdf", of_two([](const Array& x, const Array& y) { return stats::gamma::cdf(x, y); }), few, some, ""},
      {"gamma_sf", of_two([](const Array& x, const Array& y) { return stats::gamma::sf(x, y); }), few, some, ""},
      {"gamma_logcdf", of_two([](const Array& x, const Array& y) { return stats::gamma::logcdf(x, y); }), few, some,
       ""},
      {"gamma_logsf", of_two([](const Array& x, const Array& y) { return stats::gamma::logsf(x, y); }), few, some, ""},
      {"chi2_logpdf", of_two([](const Array& x, const Array& y) { return stats::chi2::logpdf(x, y); }), few, some, ""},
      {"chi2_pdf", of_two([](const Array& x, const Array& y) { return stats::chi2::pdf(x, y); }), few, some, ""},
      {"chi2_cdf", of_two([](const Array& x, const Array& y) { return stats::chi2::cdf(x, y); }), few, some, ""},
      {"chi2_sf", of_two([](const Array& x, const Array& y) { return stats::chi2::sf(x, y); }), few, some, ""},
      {"chi2_logcdf", of_two([](const Array& x, const Array& y) { return stats::chi2::logcdf(x, y); }), few, some, ""},
      {"chi2_logsf", of_two([](const Array& x, const Array& y) { return stats::chi2::logsf(x, y); }), few, some, ""},
      {"beta_logpdf",
       of_three([](const Array& x, const Array& y, const Array& z) { return stats::beta::logpdf(x, y, z); }), few, some,
       ""},
      {"beta_pdf", of_three([](const Array& x, const Array& y, const Array& z) { return stats::beta::pdf(x, y, z); }),
       few, some, ""},
      {"beta_cdf", of_three([](const Array& x, const Array& y, const Array& z) { return stats::beta::cdf(x, y, z); }),
       few, some, ""},
      {"beta_sf", of_three([](const Array& x, const Array& y, const Array& z) { return stats::beta::sf(x, y, z); }),
       few, some, ""},
      {"beta_logcdf",
       of_three([](const Array& x, const Array& y, const Array& z) { return stats::beta::logcdf(x, y, z); }), few, some,
       ""},
      {"beta_logsf",
       of_three([](const Array& x, const Array& y, const Array& z) { return stats::beta::logsf(x, y, z); }), few, some,
       ""},
      {"t_logpdf", of_two([](const Array& x, const Array& y) { return stats::t::logpdf(x, y); }), few, some, ""},
      {"t_pdf", of_two([](const Array& x, const Array& y) { return stats::t::pdf(x, y); }), few, some, ""},
      {"poisson_logpmf", of_two([](const Array& x, const Array& y) { return stats::poisson::logpmf(x, y); }), few, some,
       ""},
      {"poisson_pmf", of_two([](const Array& x, const Array& y) { return stats::poisson::pmf(x, y); }), few, some, ""},
      {"poisson_cdf", of_two([](const Array& x, const Array& y) { return stats::poisson::cdf(x, y); }), few, some, ""},
      {"bernoulli_logpmf", of_two([](const Array& x, const Array& y) { return stats::bernoulli::logpmf(x, y); }), few,
       some, ""},
      {"bernoulli_pmf", of_two([](const Array& x, const Array& y) { return stats::bernoulli::pmf(x, y); }), few, some,
       ""},
      {"bernoulli_cdf", of_two([](const Array& x, const Array& y) { return stats::bernoulli::cdf(x, y); }), few, some,
       ""},
      {"bernoulli_ppf", of_two([](const Array& x, const Array& y) { return stats::bernoulli::ppf(x, y); }), few, some,
       ""},
      {"binom_logpmf",
       of_three([](const Array& x, const Array& y, const Array& z) { return stats::binom::logpmf(x, y, z); }), few,
       some, ""},
      {"binom_pmf", of_three([](const Array& x, const Array& y, const Array& z) { return stats::binom::pmf(x, y, z); }),
       few, some, ""},
      {"geom_logpmf", of_two([](const Array& x, const Array& y) { return stats::geom::logpmf(x, y); }), few, some, ""},
      {"geom_pmf", of_two([](const Array& x, const Array& y) { return stats::geom::pmf(x, y); }), few, some, ""},
  };
  return all;
}

}  // namespace tutti::sweep
