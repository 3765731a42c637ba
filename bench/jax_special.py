# SPDX-License-Identifier: Apache-2.0
"""Special functions, and functions of complex numbers: JAX's side."""
from jax.scipy import special, stats

from jax_common import *  # noqa: F403


def complex_numbers():
    parts = [random.normal(random.key(i), (1 << 20,)) for i in (0, 1)]
    return jax.device_put(lax.complex(*parts), at(*SPLIT))


on_arrays("special_i0e_1M", special.i0e, between(-20, 20))
on_arrays("special_ndtri_1M", special.ndtri, between(.001, .999))
on_arrays("special_log_ndtr_1M", special.log_ndtr, between(-20, 5))
on_arrays("special_gammaln_1M", special.gammaln, between(-20, 20))
on_arrays("special_digamma_1M", special.digamma, between(.1, 20))
on_arrays("special_polygamma_1M", lambda x: special.polygamma(1, x), between(.1, 20))
on_arrays("special_gammainc_1M", special.gammainc, between(.1, 30), between(.1, 30))
on_arrays("special_betainc_1M", special.betainc, between(.1, 30), between(.1, 30), between(.01, .99))
on_arrays("special_erfcx_1M", special.erfcx, between(-5, 20))
on_arrays("special_dawsn_1M", special.dawsn, between(-20, 20))
on_arrays("special_expi_1M", special.expi, between(.1, 20))
on_arrays("special_fresnel_1M", lambda x: special.fresnel(x)[0], between(-20, 20))
on_arrays("special_sici_1M", lambda x: special.sici(x)[0], between(-20, 20))
on_arrays("special_spence_1M", special.spence, between(.1, 20))
on_arrays("special_owens_t_1M", lambda x: special.owens_t(x, x), between(-5, 5))
on_arrays("stats_gamma_logpdf_1M", lambda x: stats.gamma.logpdf(x, 2.5), between(.1, 20))
on_arrays("stats_t_logpdf_1M", lambda x: stats.t.logpdf(x, 4.), between(-20, 20))
on_arrays("complex_sqrt_1M", jnp.sqrt, complex_numbers)
on_arrays("complex_log_1M", jnp.log, complex_numbers)
on_arrays("complex_tanh_1M", jnp.tanh, complex_numbers)
on_arrays("complex_asin_1M", jnp.arcsin, complex_numbers)
on_arrays("complex_power_1M", lambda z: jnp.power(z, z), complex_numbers)
