// Functions of the gamma and error functions, and elementary ones.
#include <cmath>

#include "special/functions.hpp"
#include "tutti/tutti.hpp"

namespace tutti::sweep {
namespace {

Array multigammaln(const Array& x, const Array& d) {
  Array y = full_like(x, NAN);
  for (int k = 1; k <= 5; ++k) y = where((d == k) & (x > 0.5 * (k - 1)), special::multigammaln(x, k), y);
  return y;
}

}  // namespace

std::vector<Function> gamma_functions() {
  return {
      {"erf", first<1>(special::erf), 4, 4},
      {"erfc", first<1>(special::erfc), 4, 4},
      {"erfinv", first<1>(special::erfinv), 4, 8},
      {"logit", first<1>(special::logit), 4, 4},
      {"expit", first<1>(special::expit), 4, 4},
      {"ndtr", first<1>(special::ndtr), 4, 8},
      {"log_ndtr", first<1>(special::log_ndtr), 4, 12},
      {"ndtri", first<1>(special::ndtri), 4, 4},
      {"gammaln",
       first<1>(special::gammaln),
       4,
       4,
       {{"between -3 and -2 logarithms of two factors cancel",
         [](const double* x, bool) { return x[0] > -3 && x[0] < -2; }, 4, 16}}},
      {"digamma", first<1>(special::digamma), 4, 8},
      {"gamma",
       first<1>(special::gamma),
       4,
       4,
       {{"next to overflow exponents near 700 are rounded", [](const double* x, bool) { return std::abs(x[0]) > 140; },
         4, 16}}},
      {"gammasgn", first<1>(special::gammasgn), 4, 4},
      {"loggamma", first<1>(special::loggamma), 4, 4},
      {"factorial", first<1>(special::factorial), 4, 4},
      {"entr", first<1>(special::entr), 4, 4},
      {"polygamma", first<2>(special::polygamma), 4, 64},
      {"gammainc", first<2>(special::gammainc), 4, 64},
      {"gammaincc", first<2>(special::gammaincc), 4, 64},
      {"beta", first<2>(special::beta), 4, 16},
      {"betaln", first<2>(special::betaln), 4, 16},
      {"betainc", first<3>(special::betainc), 4, 64},
      {"rel_entr", first<2>(special::rel_entr), 4, 16},
      {"kl_div", first<2>(special::kl_div), 4, 16},
      {"xlogy", first<2>(special::xlogy), 4, 16},
      {"xlog1py", first<2>(special::xlog1py), 4, 16},
      {"poch", first<2>(special::poch), 4, 16},
      {"comb", [](const Args& x) { return special::comb(x[0], x[1]); }, 4, 16},
      {"boxcox", first<2>(special::boxcox), 4, 16},
      {"boxcox1p", first<2>(special::boxcox1p), 4, 16},
      {"owens_t", first<2>(special::owens_t), 4, 16},
      {"multigammaln", first<2>(multigammaln), 4, 16},
  };
}

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
