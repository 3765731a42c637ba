// Bessel and hypergeometric functions, integrals, zeta, spherical harmonics.
#include "special/functions.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/tutti.hpp"

namespace tutti::sweep {
namespace {

Array harmonic(const Array& n, const Array& m, const Array& theta, const Array& phi) {
  return special::sph_harm_y(n.astype(int32), m.astype(int32), theta, phi, 12);
}

}  // namespace

std::vector<Function> other_functions() {
  return {
      {"erfcx", first<1>(special::erfcx), 4, 4},
      {"dawsn", first<1>(special::dawsn), 4, 4},
      {"i0", first<1>(special::i0), 4, 4},
      {"i1", first<1>(special::i1), 4, 4},
      {"i0e", first<1>(special::i0e), 4, 4},
      {"i1e", first<1>(special::i1e), 4, 4},
      {"exp1", first<1>(special::exp1), 4, 4},
      {"expi", first<1>(special::expi), 4, 4},
      {"sici_si", [](const Args& x) { return special::sici(x[0]).si; }, 4, 4},
      {"sici_ci", [](const Args& x) { return special::sici(x[0]).ci; }, 6, 6},
      {"fresnel_s", [](const Args& x) { return special::fresnel(x[0]).s; }, 4, 4},
      {"fresnel_c", [](const Args& x) { return special::fresnel(x[0]).c; }, 6, 6},
      {"spence", first<1>(special::spence), 4, 4},
      {"zeta1", [](const Args& x) { return special::zeta(x[0]); }, 4, 4},
      {"zeta", first<2>(special::zeta), 4, 4},
      {"expn", first<2>(special::expn), 5, 16},
      {"hyp1f1", first<3>(special::hyp1f1), 4, 16},
      {"hyp2f1", first<4>(special::hyp2f1), 4, 16},
      {"hyp2f1_polynomial", first<4>(special::hyp2f1), 4, 16},
      {"wofz_re", [](const Args& x) { return lax::real(special::wofz(lax::complex(x[0], x[1]))); }, 4, 16},
      {"wofz_im", [](const Args& x) { return lax::imag(special::wofz(lax::complex(x[0], x[1]))); }, 4, 16},
      {"bessel_j0", [](const Args& x) { return special::bessel_jn(x[0], 0, 100)(0); }, 4, 5},
      {"bessel_j1", [](const Args& x) { return special::bessel_jn(x[0], 1, 100)(1); }, 4, 5},
      {"bessel_j2", [](const Args& x) { return special::bessel_jn(x[0], 2, 100)(2); }, 4, 5},
      {"bessel_j5", [](const Args& x) { return special::bessel_jn(x[0], 5, 100)(5); }, 4, 5},
      {"sph_harm_re", [](const Args& x) { return lax::real(harmonic(x[0], x[1], x[2], x[3])); }, 4, 16},
      {"sph_harm_im", [](const Args& x) { return lax::imag(harmonic(x[0], x[1], x[2], x[3])); }, 4, 16},
  };
}

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
