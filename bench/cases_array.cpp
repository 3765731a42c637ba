#include "case.hpp"

namespace bench {
namespace {

// f compiled, on one normal array.
template <class F> Case on_array(std::string name, Shape shape, PartitionSpec spec, F f) {
  return {std::move(name),
          [=](const Setup& s) { return repeat([a = s.normal(shape, spec), g = jit(f)] { return g(a); }); }};
}

Case product(std::string name, std::int64_t n, PartitionSpec left, PartitionSpec right, DType dtype = float32) {
  return {std::move(name), [=](const Setup& s) {
            Array a = s.normal({n, n}, left).astype(dtype), b = s.normal({n, n}, right).astype(dtype);
            return repeat([=, f = jit([](const Array& x, const Array& y) { return dot(x, y); })] { return f(a, b); });
          }};
}

Array chain(const Array& x) {
  Array v = x;
  for (int i = 0; i < 5; ++i) v = tanh(v * 1.01 + 0.1);
  return v;
}

Array layer_norm(const Array& x) {
  Array centred = x - x.mean(-1, true);
  return centred * lax::rsqrt(square(centred).mean(-1, true) + 1e-5);
}

Batch normal_numbers(const Setup& s) {
  auto f = jit(
      [](const Array& key) {
        return random::normal(key, {4096, 4096});
      },
      {.out_shardings = s.at(P("x", "y"))});
  return repeat([=, key = random::key(0)] { return f(key); });
}

Batch rows_to_columns(const Setup& s) {
  auto f = jit([](const Array& v) { return v; }, {.out_shardings = s.at(P(none, axes("x", "y")))});
  return repeat([=, a = s.normal({2048, 2048}, P(axes("x", "y"), none))] { return f(a); });
}

using Four = std::array<Array, 4>;
struct Moments {
  Four p{}, m{}, v{};
};

Moments adam(const Moments& old, const Four& g, const Array& t) {
  Moments out;
  Array c1 = 1 - pow(0.9f, t), c2 = 1 - pow(0.999f, t);
  for (std::size_t i = 0; i < 4; ++i) {
    out.m[i] = 0.9 * old.m[i] + 0.1 * g[i];
    out.v[i] = 0.999 * old.v[i] + 0.001 * square(g[i]);
    out.p[i] = old.p[i] - 1e-3 * (out.m[i] / c1) / (sqrt(out.v[i] / c2) + 1e-8);
  }
  return out;
}

Batch adam_step(const Setup& s) {
  Four g;
  for (Array& a : g) a = s.normal({1024, 1024}, P("x", "y"));
  Four zero = tree::map([](const Array& a) { return zeros_like(a); }, g);
  Moments now{g, zero, zero};
  return repeat([=, step = jit(adam)]() mutable {
    now = step(now, g, 3.0f);
    return now.p;
  });
}

// Without jit: what a user who writes none gets.
Batch eager_normal(const Setup&) {
  return repeat([key = random::key(0)] { return random::normal(key, {1000, 1000}); });
}
Batch eager_softmax(const Setup& s) {
  return repeat([a = s.normal({512, 512}, P("x", "y"))] { return nn::softmax(a, -1); });
}
Batch eager_adam(const Setup& s) {
  Four params;
  for (Array& a : params) a = s.normal({256, 256}, P("x", "y"));
  auto optimiser = optim::adam(1e-3);
  return repeat([=, state = optimiser.init(params)]() mutable {
    auto [updates, next] = optimiser.update(params, state, params);
    state = std::move(next);
    return updates;
  });
}

}  // namespace

std::vector<Case> array_cases() {
  PartitionSpec rows = P(axes("x", "y"), none), columns = P(none, axes("x", "y")), both = P("x", "y");
  auto softmax = [](const Array& v) { return nn::softmax(v, -1); };
  return {
      on_array("sin_8192_xy", {8192, 8192}, both, [](const Array& v) { return sin(v); }),
      on_array("chain10_4096_xy", {4096, 4096}, both, chain),
      product("dot_2048_free", 2048, P("x", none), P(none, "y")),
      product("dot_2048_contract", 2048, columns, rows),
      product("dot_4096_free", 4096, P("x", none), P(none, "y")),
      product("dot_256_free", 256, P("x", none), P(none, "y")),
      product("dot_1024_free", 1024, P("x", none), P(none, "y")),
      by_name(product("dot_8192_free", 8192, P("x", none), P(none, "y"))),
      product("dot_bf16_2048", 2048, P("x", none), P(none, "y"), bfloat16),
      product("dot_bf16_1024", 1024, P("x", none), P(none, "y"), bfloat16),
      product("dot_f16_1024", 1024, P("x", none), P(none, "y"), float16),
      by_name(product("dot_bf16_4096", 4096, P("x", none), P(none, "y"), bfloat16)),
      on_array("softmax_4096_rows", {4096, 4096}, rows, softmax),
      on_array("softmax_4096_cols_sharded", {4096, 4096}, columns, softmax),
      on_array("softmax_causal_4096", {4096, 4096}, rows,
               [](const Array& v) {
                 const Array i = arange(v.shape(0));
                 return nn::softmax(where(i <= expand_dims(i, 1), v, -1e30), -1);
               }),
      on_array("layernorm_4096", {4096, 4096}, rows, layer_norm),
      on_array("gelu_4096", {4096, 4096}, rows, [](const Array& v) { return nn::gelu(v); }),
      on_array("sum_4096_all", {4096, 4096}, both, [](const Array& v) { return v.sum(); }),
      on_array("sum_4096_axis0", {4096, 4096}, both, [](const Array& v) { return v.sum(0); }),
      on_array("transpose_4096", {4096, 4096}, both, [](const Array& v) { return v.T() + 0.0; }),
      {"random_normal_4096", normal_numbers},
      {"reshard_2048_rows_to_cols", rows_to_columns},
      {"adam_4M_params", adam_step},
      {"eager_normal_1M", eager_normal},
      {"eager_softmax", eager_softmax},
      {"eager_adam", eager_adam},
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
