# SPDX-License-Identifier: Apache-2.0
"""Records what JAX gives at the edges of float32: values, and derivatives by each argument.

usage: record_edges.py FILE.npz      (tests/edges/recorded.npz)
One array per function: rows are value and derivatives, columns the points of `x`, or of `p` and `q` for functions of
two. Points: zeros of both signs, infinities, NaN, the largest and the least normal numbers, numbers beside 1, and plain
ones.
"""
import sys

import jax
import jax.numpy as jnp
import jax.scipy.special as sp
import numpy as np
from jax import lax, nn

NUMPY = """abs negative positive sign sqrt cbrt square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan
arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh sinc floor ceil trunc rint fabs deg2rad rad2deg
nan_to_num""".split()
ACTIVATIONS = """relu relu6 sigmoid silu softplus soft_sign elu selu celu leaky_relu log_sigmoid mish hard_tanh
hard_sigmoid hard_silu squareplus gelu""".split()
SPECIAL = "erf erfc erfinv gammaln digamma expit logit ndtr ndtri log_ndtr entr i0 i0e i1 i1e".split()
TWO = """add subtract multiply divide power arctan2 hypot logaddexp logaddexp2 maximum minimum fmax fmin remainder fmod
copysign heaviside floor_divide""".split()


def derivatives(f, arguments):
    rows = [jax.jit(f)(*arguments)]
    for i, a in enumerate(arguments):
        def of_one(v, i=i):
            return f(*[v if k == i else b for k, b in enumerate(arguments)])
        rows.append(jax.jit(lambda v, t, g=of_one: jax.jvp(g, (v,), (t,))[1])(a, np.ones_like(a)))
    return np.stack([np.asarray(r, np.float32) for r in rows])


def main():
    limits = np.finfo(np.float32)
    plain = [0., .5, 1, 1.5, 2, 3, 4, 5, 6, 10, 20, 100, 1e-3, np.pi, np.inf, limits.tiny, limits.max, limits.eps,
             1 + limits.eps, 1 - limits.eps / 2]
    x = np.array([s * v for v in plain for s in (1, -1)] + [np.nan], np.float32)
    few = np.array([s * v for v in (0., .5, 1, 2, 3, np.inf, limits.max) for s in (1, -1)] + [np.nan], np.float32)
    p, q = (a.ravel() for a in np.meshgrid(few, few))
    out = {"x": x, "p": p, "q": q}
    one = ({n: getattr(jnp, n) for n in NUMPY} | {"nn." + n: getattr(nn, n) for n in ACTIVATIONS}
           | {"special." + n: getattr(sp, n) for n in SPECIAL} | {"rsqrt": lax.rsqrt}
           | {f"integer_pow {k}": lambda v, k=k: lax.integer_pow(v, k) for k in (-3, -2, -1, 0, 1, 2, 3, 4)})
    two = {n: getattr(jnp, n) for n in TWO} | {"special." + n: getattr(sp, n) for n in ("xlogy", "xlog1py", "betaln")}
    for name, f in one.items():
        out[name] = derivatives(f, (x,))
    for name, f in two.items():
        out[name] = derivatives(f, (p, q))
    np.savez_compressed(sys.argv[1], **out)


if __name__ == "__main__":
    main()
