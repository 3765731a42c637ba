# SPDX-License-Identifier: Apache-2.0
"""JAX's side of `tutti_bench --compare-jax`: reads the name of a case per line, answers with a line of JSON.

usage: jax_side.py [--devices 8|1]        (ends with its input)
The answer to one name is one round: {"ms": median of a few batches}, or {"error": "..."}. A case is set up, compiled and
warmed when its name comes for the first time, and dropped when another name comes. Cases are those of tutti's driver: the
same shapes, shardings and number of steps, written as a user of JAX would.
"""
import functools
import json
import math
import subprocess
import tempfile
import time
import sys

from jax_common import *  # noqa: F403
import jax_convolution  # noqa: F401
import jax_files  # noqa: F401
import jax_indices  # noqa: F401
import jax_movement  # noqa: F401
import jax_running  # noqa: F401
import jax_scipy  # noqa: F401
import jax_signals  # noqa: F401
import jax_solvers  # noqa: F401
import jax_special  # noqa: F401
import jax_wide  # noqa: F401


# --- functions of one array

def chain(v):
    for _ in range(5):
        v = jnp.tanh(v * 1.01 + 0.1)
    return v


def layer_norm(v, gain=1.0, bias=0.0):
    centred = v - v.mean(-1, keepdims=True)
    return centred * lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-5) * gain + bias


on_array("sin_8192_xy", (8192, 8192), BOTH, jnp.sin)
on_array("chain10_4096_xy", (4096, 4096), BOTH, chain)
on_array("softmax_4096_rows", (4096, 4096), ROWS, nn.softmax)
on_array("softmax_4096_cols_sharded", (4096, 4096), COLUMNS, nn.softmax)
on_array("softmax_causal_4096", (4096, 4096), ROWS,
         lambda v: nn.softmax(jnp.where(jnp.tril(jnp.ones(v.shape, bool)), v, -1e30)))
on_array("layernorm_4096", (4096, 4096), ROWS, layer_norm)
on_array("gelu_4096", (4096, 4096), ROWS, nn.gelu)
on_array("sum_4096_all", (4096, 4096), BOTH, jnp.sum)
on_array("sum_4096_axis0", (4096, 4096), BOTH, lambda v: v.sum(0))
on_array("transpose_4096", (4096, 4096), BOTH, lambda v: v.T + 0.0)
on_array("jit_add_sharded", (64, 64), BOTH, lambda v: v + 1.0)


# --- products

def product(name, n, left, right, dtype=jnp.float32):
    def make():
        a, b = normal((n, n), *left).astype(dtype), normal((n, n), *right).astype(dtype)
        compiled = jax.jit(jnp.dot)
        return lambda: compiled(a, b)
    makers[name] = make


for size in (256, 1024, 2048, 4096, 8192):
    product(f"dot_{size}_free", size, ("x", None), (None, "y"))
product("dot_2048_contract", 2048, COLUMNS, ROWS)
for size in (1024, 2048, 4096):
    product(f"dot_bf16_{size}", size, ("x", None), (None, "y"), jnp.bfloat16)
product("dot_f16_1024", 1024, ("x", None), (None, "y"), jnp.float16)


# --- a multilayer perceptron

def predict(network, x):
    *hidden, (weight, bias) = network
    for w, b in hidden:
        x = jnp.maximum(x @ w + b, 0)
    return x @ weight + bias


def squared_error(network, x, y):
    return jnp.square(predict(network, x) - y).sum(-1).mean()


def gradient(name, width, batch, inputs, split, dtype=jnp.float32):
    widths = [inputs, width, width, width, 10]

    def make():
        keys, network = random.split(random.key(0), len(widths)), []
        for i, (m, n) in enumerate(zip(widths, widths[1:])):
            weight, bias = P(), P()
            if split and i + 2 < len(widths):
                weight, bias = (P(None, "y"), P("y")) if i % 2 == 0 else (P("y", None), P())
            w = random.normal(keys[i], (m, n)) / math.sqrt(m)
            network.append((jax.device_put(w.astype(dtype), at(*weight)), jax.device_put(jnp.zeros(n, dtype), at(*bias))))
        kx, ky = random.split(random.key(1))
        rows = at("x") if split else at(("x", "y"))
        x = jax.device_put(random.normal(kx, (batch, inputs)).astype(dtype), rows)
        y = jax.device_put(random.normal(ky, (batch, 10)).astype(dtype), rows)
        step = jax.jit(jax.grad(squared_error))
        return lambda: step(network, x, y)
    makers[name] = make


for width, batch, inputs in ((2048, 1024, 784), (512, 256, 784), (64, 64, 64)):
    for kind in ("dp", "tp"):
        gradient(f"mlp_grad_{kind}_w{width}_b{batch}", width, batch, inputs, kind == "tp")


gradient("mlp_grad_dp_w4096_b1024", 4096, 1024, 784, False)
gradient("mlp_grad_bf16_dp_w4096_b1024", 4096, 1024, 784, False, jnp.bfloat16)
gradient("mlp_grad_bf16_dp_w512_b256", 512, 256, 784, False, jnp.bfloat16)


@case
def mlp_fwd_tp_w512_b256():
    network = [(normal((512, 512), None, "y"), normal((512,), "y")), (normal((512, 512), "y", None), normal((512,)))]
    x, compiled = normal((256, 512), "x", None), jax.jit(predict)
    return lambda: compiled(network, x)


@case
def equinox_mlp_adam_step():
    import equinox as eqx
    import optax
    model, optimiser = eqx.nn.MLP(4, 4, 32, 1, key=random.PRNGKey(6789)), optax.adam(3e-4)
    start = eqx.filter_shard((model, optimiser.init(eqx.filter(model, eqx.is_inexact_array))), at())
    x = jax.device_put(jnp.linspace(-1, 1, 64).reshape(16, 4), at(("x", "y"), None))
    y = jnp.sin(x)

    @eqx.filter_jit
    def step(model, state, x, y):
        value, grads = eqx.filter_value_and_grad(lambda m: jnp.square(jax.vmap(m)(x) - y).mean())(model)
        updates, state = optimiser.update(grads, state)
        return (eqx.apply_updates(model, updates), state), value
    return loop(lambda now: step(*now, x, y), start)


# --- transformers

def causal(q, k, v):
    positions = q.shape[1]
    logits = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
    logits = jnp.where(jnp.tril(jnp.ones((positions, positions), bool)), logits, -1e30)
    return jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(logits), v)


def gpt(name, width, layers, heads, context, batch, vocabulary=256, mixed=False):
    def make():
        keys = iter(random.split(random.key(0), 100))
        draw = lambda *shape: random.normal(next(keys), shape) * 0.02
        blocks = [dict(qkv=draw(width, 3 * width), out=draw(width, width), up=draw(width, 4 * width), down=draw(4 * width, width),
                       norm1=(jnp.ones(width), jnp.zeros(width)), norm2=(jnp.ones(width), jnp.zeros(width))) for _ in range(layers)]
        model = dict(embedding=draw(vocabulary, width), positions=draw(context, width), blocks=blocks, norm=(jnp.ones(width), jnp.zeros(width)))

        def loss(m, ids, targets):
            if mixed:
                m = jax.tree.map(lambda a: a.astype(jnp.bfloat16), m)
            x = m["embedding"][ids] + m["positions"]
            for b in m["blocks"]:
                q, k, v = [a.reshape(batch, context, heads, width // heads) for a in jnp.split(layer_norm(x, *b["norm1"]) @ b["qkv"], 3, -1)]
                x = x + causal(q, k, v).reshape(batch, context, width) @ b["out"]
                x = x + nn.gelu(layer_norm(x, *b["norm2"]) @ b["up"]) @ b["down"]
            logits = (layer_norm(x, *m["norm"]) @ m["embedding"].T).astype(jnp.float32)
            return jnp.mean(nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, targets[..., None], -1)[..., 0])

        @jax.jit
        def step(state, ids, targets):
            model, mean, square = state
            value, grads = jax.value_and_grad(loss)(model, ids, targets)
            mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
            square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, square, grads)
            return (jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), model, mean, square), mean, square), value
        zeros = jax.tree.map(jnp.zeros_like, model)
        ids = jax.device_put(random.randint(random.key(0), (batch, context), 0, vocabulary), at(("x", "y"), None))
        return loop(lambda state: step(state, ids, ids), jax.device_put((model, zeros, zeros), at()))
    makers[name] = make


gpt("gpt_step_d128_l4_t128_b16", 128, 4, 4, 128, 16)
gpt("gpt_step_d64_l2_t64_b8", 64, 2, 4, 64, 8)
gpt("gpt_step_124m_t1024_b4", 768, 12, 12, 1024, 4, 50257)
gpt("gpt_step_bf16_124m_t1024_b4", 768, 12, 12, 1024, 4, 50257, True)
once.update(("gpt_step_124m_t1024_b4", "gpt_step_bf16_124m_t1024_b4"))


def attention(name, fn, shape, *spec):
    def make():
        compiled, qkv = jax.jit(fn), [jax.device_put(random.normal(random.key(i), shape), at(*spec)) for i in range(3)]
        return lambda: compiled(*qkv)
    makers[name] = make


attention("attention_b8_h8_t512_d64", causal, (8, 512, 8, 64), ("x", "y"))
attention("attention_grad_b8_h8_t512_d64", jax.grad(lambda q, k, v: causal(q, k, v).sum(), (0, 1, 2)), (8, 512, 8, 64), ("x", "y"))
attention("attention_b1_h12_t1024_d64", causal, (1, 1024, 12, 64))
attention("attention_grad_b1_h12_t1024_d64", jax.grad(lambda q, k, v: causal(q, k, v).sum(), (0, 1, 2)), (1, 1024, 12, 64))
attention("attention_b1_h8_t4096_d64", causal, (1, 4096, 8, 64))
attention("attention_grad_b1_h8_t4096_d64", jax.grad(lambda q, k, v: causal(q, k, v).sum(), (0, 1, 2)), (1, 4096, 8, 64))


@case
def decode_step_d256_l4_t1024():
    width, layers, context, heads = 256, 4, 1024, 8
    draw = lambda i, *shape: jax.device_put(random.normal(random.key(i), shape), at())
    model = [dict(qkv=draw(i, width, 3 * width) / 16, out=draw(i, width, width) / 16, up=draw(i, width, 4 * width) / 16,
                  down=draw(i, 4 * width, width) / 32) for i in range(layers)]
    x = normal((width,))

    @functools.partial(jax.jit, donate_argnums=1)
    def step(model, cache, x, pos):
        for i, w in enumerate(model):
            q, k, v = [a.reshape(heads, width // heads) for a in jnp.split(x @ w["qkv"], 3)]
            cache = lax.dynamic_update_slice(cache, jnp.stack([k, v])[None, :, None], (i, 0, pos, 0, 0))
            weights = nn.softmax(jnp.where(jnp.arange(context) <= pos, jnp.einsum("hd,thd->ht", q, cache[i, 0]) / 6, -1e30))
            x = x + jnp.einsum("ht,thd->hd", weights, cache[i, 1]).reshape(width) @ w["out"]
            x = x + nn.gelu(x @ w["up"]) @ w["down"]
        return cache, x
    return loop(lambda cache: step(model, cache, x, 700), jax.device_put(jnp.zeros((layers, 2, context, heads, width // heads)), at()))


# --- tiny steps

@case
def jit_add_one_device():
    x, compiled = jnp.ones(16), jax.jit(lambda v: v + 1.0)
    return lambda: compiled(x)


@case
def function_add_one_device():
    return jit_add_one_device()


@case
def eager_add_one_device():
    x = jnp.ones(16)
    return lambda: x + x


@case
def eager_add_sharded():
    x = normal((64, 64), *BOTH)
    return lambda: x + x


@case
def call_800_leaves():
    @functools.partial(jax.jit, donate_argnums=0)
    def step(leaves):
        return [0.5 * v for v in leaves]

    def run(now):
        now = step(now)
        return now, now[0]
    return loop(run, [jnp.ones(8) for _ in range(800)])


# --- programs for one device

@case
def pmap_linear_regression():
    def error(params, x, y):
        return jnp.square(params[0] * x + params[1] - y).mean()

    def update(params, x, y):
        value, grads = lax.pmean(jax.value_and_grad(error)(params, x, y), "i")
        return jax.tree.map(lambda p, g: p - 0.005 * g, params, grads), value
    x = jnp.linspace(0, 1, DEVICES * 16).reshape(DEVICES, 16, 1)
    y, step = 3 * x - 1, jax.pmap(update, axis_name="i")
    return loop(lambda now: step(now, x, y), (jnp.ones(DEVICES), jnp.zeros(DEVICES)))


@case
def shard_map_matmul_psum_small():
    a, b = normal((64, 64), *BOTH), normal((64, 64), "y", None)
    f = jax.jit(jax.shard_map(lambda a, b: lax.psum(a @ b, "y"), mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None)))
    return lambda: f(a, b)


@case
def psum_4M():
    a = normal((DEVICES, 1 << 22), *ROWS)
    f = jax.jit(jax.shard_map(lambda v: lax.psum(v, ("x", "y")), mesh=mesh, in_specs=P(*ROWS), out_specs=P(None, None)))
    return lambda: f(a)


# --- loops

@case
def scan_tiny_1000():
    compiled = jax.jit(lambda c, xs: lax.scan(lambda c, x: (c * 0.5 + x, c), c, xs))
    c, xs = normal((16,)), normal((1000, 16))
    return lambda: compiled(c, xs)


@case
def scan_callback_1000():
    heard = [0]

    def note(v):
        heard[0] += v.size

    def step(c, x):
        jax.debug.callback(note, c)
        return c * 0.5 + x, c
    compiled = jax.jit(lambda c, xs: lax.scan(step, c, xs))
    c, xs = normal((16,)), normal((1000, 16))

    def run():
        out = compiled(c, xs)
        jax.effects_barrier()
        return out
    return run


@case
def while_tiny_1000():
    compiled = jax.jit(lambda x: lax.while_loop(
        lambda s: s[0] < 1000, lambda s: (s[0] + 1, s[1] * 0.999 + 0.001), (0, x)))
    x = normal((16,))
    return lambda: compiled(x)


def heat_step(_, u):
    around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
    return u + 0.1 * (around - 4 * u)


on_array("fori_heat_512_500", (512, 512), (BOTH,), lambda u: lax.fori_loop(0, 500, heat_step, u))


@case
def while_cg_512():
    def solve(a, b):
        def body(s):
            i, x, r, p, rs = s
            ap = a @ p
            al = rs / (p @ ap)
            x, r = x + al * p, r - al * ap
            n = r @ r
            return i + 1, x, r, r * 0 + r + (n / rs) * p, n
        return lax.while_loop(lambda s: (s[0] < 200) & (s[4] > 1e-12), body, (0, jnp.zeros_like(b), b, b, b @ b))
    a = random.normal(random.key(0), (512, 512))
    a = jax.device_put(a @ a.T / 512 + jnp.eye(512), at())
    b, compiled = normal((512,)), jax.jit(solve)
    return lambda: compiled(a, b)


@case
def gru_grad_t200_b32_h256():
    h, t, b = 256, 200, 32

    def loss(weights, xs):
        def cell(s, x):
            a, c = x @ weights[0], s @ weights[1]
            z = nn.sigmoid(a[:, :h] + c[:, :h])
            r = nn.sigmoid(a[:, h:2 * h] + c[:, h:2 * h])
            n = jnp.tanh(a[:, 2 * h:] + r * c[:, 2 * h:])
            s = (1 - z) * n + z * s
            return s, s.mean()
        last, means = lax.scan(cell, jnp.zeros((b, h)), xs)
        return jnp.square(last).mean() + means.sum()
    weights = [normal((h, 3 * h)) / 16, normal((h, 3 * h)) / 16]
    xs, compiled = normal((t, b, h), None, BOTH), jax.jit(jax.grad(loss))
    return lambda: compiled(weights, xs)


def rk4(f, y, h=0.01):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def pendulum(y, w=1.0):
    def f(y):
        return jnp.stack([y[1], -w * jnp.sin(y[0])])
    return lax.scan(lambda y, _: (rk4(f, y), None), y, None, length=200)[0]


on_array("rk4_vmap_10000_t200", (10000, 2), (BOTH,), jax.vmap(pendulum))


@case
def rk4_adjoint_1000_t200():
    compiled = jax.jit(jax.grad(lambda w, ys: jnp.square(jax.vmap(lambda y: pendulum(y, w))(ys)).mean()))
    w, ys = jnp.float32(1), normal((1000, 2), BOTH)
    return lambda: compiled(w, ys)


@case
def rl_env_1000_t100():
    def step(s, key):
        push = random.normal(key, ())
        x, v, resets = s
        v = lax.cond(x > 1, lambda v: -0.9 * v, lambda v: v + 0.1 * push, v)
        x = x + 0.1 * v
        done = jnp.abs(x) > 5
        return (jnp.where(done, 0., x), jnp.where(done, 0., v), resets + done), x

    def play(x, key):
        return lax.scan(step, (x, x * 0, 0), random.split(key, 100))[1].sum()
    keys = jax.device_put(random.split(random.key(0), 1000), at(BOTH))
    x, compiled = normal((1000,), BOTH), jax.jit(jax.vmap(play))
    return lambda: compiled(x, keys)


@case
def mandelbrot_1024_50():
    def count(c):
        def body(_, s):
            z, n = s
            z2 = jnp.stack([z[0] * z[0] - z[1] * z[1] + c[0], 2 * z[0] * z[1] + c[1]])
            inside = jnp.square(z2).sum(0) < 4
            return jnp.where(inside, z2, z), n + inside
        return lax.fori_loop(0, 50, body, (c * 0, jnp.zeros(c.shape[1:], jnp.int32)))[1]
    grid = jnp.stack(jnp.meshgrid(jnp.linspace(-2, 1, 1024), jnp.linspace(-1.5, 1.5, 1024)))
    c, compiled = jax.device_put(grid, at()), jax.jit(count)
    return lambda: compiled(c)


# --- random numbers, movement, optimiser

@case
def random_normal_4096():
    key, f = random.key(0), jax.jit(lambda k: random.normal(k, (4096, 4096)), out_shardings=at(*BOTH))
    return lambda: f(key)


@case
def reshard_2048_rows_to_cols():
    a, f = normal((2048, 2048), *ROWS), jax.jit(lambda v: v, out_shardings=at(*COLUMNS))
    return lambda: f(a)


@case
def eager_normal_1M():
    key = random.key(0)
    return lambda: random.normal(key, (1000, 1000))


@case
def eager_softmax():
    x = normal((512, 512), *BOTH)
    return lambda: nn.softmax(x, -1)


@case
def eager_adam():
    import optax
    params = [normal((256, 256), *BOTH) for _ in range(4)]
    optimiser = optax.adam(1e-3)
    state = optimiser.init(params)

    def step():
        nonlocal state
        updates, state = optimiser.update(params, state, params)
        return updates
    return step


@case
def adam_4M_params():
    grads = [normal((1024, 1024), *BOTH) for _ in range(4)]
    zeros = [jnp.zeros_like(g) for g in grads]

    @jax.jit
    def step(params, mean, square, grads, t):
        mean = [0.9 * m + 0.1 * g for m, g in zip(mean, grads)]
        square = [0.999 * v + 0.001 * jnp.square(g) for v, g in zip(square, grads)]
        c1, c2 = 1 - 0.9**t, 1 - 0.999**t
        params = [p - 1e-3 * (m / c1) / (jnp.sqrt(v / c2) + 1e-8) for p, m, v in zip(params, mean, square)]
        return params, mean, square

    def run(now):
        now = step(*now, grads, 3.0)
        return now, now[0]
    return loop(run, (grads, zeros, zeros))


# --- loaders: NumPy gathers the batches from a mapped file; no JAX

def mapped(dtype, shape):
    """An array of that shape in a file, mapped, whose name is gone."""
    file = tempfile.NamedTemporaryFile()
    (np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2654435761)).astype(dtype).tofile(file)
    file.flush()
    return np.memmap(file.name, dtype=dtype, mode="r", shape=shape)


@case
def loader_tokens_b64_t1024():
    tokens, draw = mapped(np.uint16, (1 << 26,)), np.random.default_rng(0)

    def run():
        at = draw.integers(len(tokens) - 1024, size=64)
        return np.stack([tokens[i:i + 1024] for i in at]), np.stack([tokens[i + 1:i + 1025] for i in at])
    return run


@case
def loader_images_b64_224():
    images, draw, state = mapped(np.uint8, (1024, 224, 224, 3)), np.random.default_rng(0), {"order": []}

    def run():
        if len(state["order"]) == 0:
            state["order"] = draw.permutation(len(images))
        rows, state["order"] = state["order"][:64], state["order"][64:]
        return images[rows]
    return run


# --- compilation and start-up: what a call returns was not computed before

def expensive(make):
    once.add(make.__name__)
    return case(make)


@expensive
def compile_tiny():
    x = jnp.ones(16)

    def run(n=[0]):
        n[0] += 1
        c = float(n[0])
        jax.jit(lambda v: v * 2 + 1 + c).lower(x).compile()
    return run


@expensive
def compile_mlp_grad_tp():
    network = [(jax.device_put(jnp.ones((64, 64)), at(None, "y")), jax.device_put(jnp.ones(64), at("y"))) for _ in range(4)]
    x = normal((64, 64), "x", None)

    def run(n=[0]):
        n[0] += 1
        c = float(n[0])
        jax.jit(jax.grad(lambda w, a, b: squared_error(w, a, b) * c)).lower(network, x, x).compile()
    return run


def layers(count):
    def make():
        import optax
        network = [(jax.device_put(jnp.ones((64, 64)), at(None, "y")), jax.device_put(jnp.ones(64), at("y"))) for _ in range(count)]
        x, optimiser = normal((64, 64), "x", None), optax.adam(1e-3)
        state = jax.block_until_ready(optimiser.init(network))

        def run(n=[0]):
            n[0] += 1
            c = float(n[0])

            def step(network, state, x, y):
                value, grads = jax.value_and_grad(lambda w: squared_error(w, x, y) * c)(network)
                updates, state = optimiser.update(grads, state, network)
                return optax.apply_updates(network, updates), state, value
            jax.jit(step, donate_argnums=(0, 1)).lower(network, state, x, x).compile()
        return run
    make.__name__ = f"compile_layers_{count}"
    expensive(make)


for count in (4, 16, 64, 256):
    layers(count)


def transformer(count, scan, hidden=None, name=None):
    def make():
        width, heads, context, batch = 64, 4, 64, 4

        def norm(x, scale):
            c = x - x.mean(-1, keepdims=True)
            return c * lax.rsqrt((c * c).mean(-1, keepdims=True) + 1e-5) * scale

        def layer(x, k):
            q, key, v = [a.reshape(batch, context, heads, width // heads) for a in jnp.split(norm(x, k["scale"][0]) @ k["qkv"], 3, -1)]
            x = x + causal(q, key, v).reshape(batch, context, width) @ k["out"]
            return x + nn.gelu(norm(x, k["scale"][1]) @ k["up"]) @ k["down"]
        shapes = dict(qkv=(width, 3 * width), out=(width, width), up=(width, 4 * width), down=(4 * width, width), scale=(2, width))
        placed = dict(up=(None, hidden), down=(hidden, None)) if hidden else {}  # hidden units over an axis
        one = lambda *stack: {k: jax.device_put(jnp.ones(stack + shape), at(*placed.get(k, ()))) for k, shape in shapes.items()}
        model, x = one(count) if scan else [one() for _ in range(count)], jax.device_put(jnp.ones((batch, context, width)), at("x"))

        def run(n=[0]):
            n[0] += 1
            c = float(n[0])

            def loss(model, x):
                if scan:
                    x = lax.scan(lambda x, k: (layer(x, k), None), x, model)[0]
                else:
                    for k in model:
                        x = layer(x, k)
                return jnp.square(x).mean() * c
            jax.jit(jax.grad(loss)).lower(model, x).compile()
        return run
    make.__name__ = name or f"compile_gpt_grad_{count}" + ("_scan" if scan else "")
    expensive(make)


for count, scan in ((1, False), (4, False), (12, False), (1, True), (24, True)):
    transformer(count, scan)
for count in (12, 64):  # beside tutti's plan, which makes no code: JAX says what it sends once it has compiled
    transformer(count, False, "y", f"plan_gpt_grad_{count}")


@expensive
def startup_first_sin():
    return lambda: subprocess.run([sys.executable, "-c", "import jax.numpy as jnp; print(float(jnp.sin(jnp.ones(4)).sum()))"],
                                  check=True, capture_output=True) and None


# --- timing

class Timed:
    def __init__(self, name):
        self.step, self.once, self.count = makers[name](), name in once, 1
        self.batch(1)
        if self.once:
            return
        self.batch(1)
        seconds = self.batch(1)
        while seconds < BATCH_SECONDS:
            self.count = math.ceil(self.count * min(max(1.2 * BATCH_SECONDS / max(seconds, 1e-9), 1.5), 20.0))
            seconds = self.batch(self.count)

    def batch(self, n):
        step, start = self.step, time.perf_counter()
        for _ in range(n):
            result = step()
        jax.block_until_ready(result)
        return time.perf_counter() - start

    def round(self):
        each = sorted(1e3 * self.batch(self.count) / self.count for _ in range(1 if self.once else BATCHES_A_ROUND))
        return each[len(each) // 2]


def main():
    known, timed = None, None
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in makers:
                raise KeyError(f"jax_side.py has no case {name}")
            if name != known:
                timed = None
                timed, known = Timed(name), name
            answer = {"ms": timed.round()}
        except Exception as error:
            known, answer = None, {"error": f"JAX: {type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


main()
