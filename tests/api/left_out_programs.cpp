// Programs in each of which some passes of the compiler have something to do.
#include "left_out_programs.hpp"

namespace tutti::test {
namespace {

Array normal(int key, Shape shape) { return random::normal(random::key(static_cast<std::uint64_t>(key)), shape); }
Array places(int count, int length, int hop) { return expand_dims(arange(count) * hop, 1) + arange(length); }

// One device.
Arrays elementwise(const Arrays& in) {
  const Array x = in[0], y = in[1], dead = sin(x) * 2;
  return {tanh(x) * y + tanh(x), exp(-x * x) / (1 + abs(y)), where(x > y, x, y), floor(x * 3) % 2};
}
Arrays reductions(const Arrays& in) {
  const Array x = in[0];
  const Array total = sum(x), scaled = exp(x / (1 + total * total));
  return {sum(sum(max(x, 0) * in[1](0), -1)), scaled / sum(scaled), argmax(x.reshape(-1)), cumsum(x, 1)};
}
Arrays softmax_of_much(const Arrays& in) { return {nn::softmax(in[0] * 2, -1)}; }
Arrays variance_of_much(const Arrays& in) { return {var(in[0], 0), mean(in[0], 0)}; }
Arrays products(const Arrays& in) {
  const Array x = in[0], y = in[1];  // [64, 48], [48, 64]
  const Array heads = x.reshape({4, 16, 3, 16}), turned = einsum("aibk,ajbk->iabj", {heads, heads});
  return {matmul(x, y).T(), dot(x(0), y(all, 0)), turned, matmul(matmul(x, y), x)};
}
Arrays small_products(const Arrays& in) {
  const Array x = in[0].reshape(128, 3, 8), y = in[1].reshape(128, 8, 3);
  return {matmul(x, y), matmul(x.astype(bfloat16), y.astype(bfloat16)), einsum("bij,bj->bi", {x, y(all, all, 0)})};
}

Array perceptron_loss(const Arrays& w, const Array& x) {
  Array y = x;
  for (const Array& one : w) y = nn::gelu(matmul(y, one));
  return mean(y * y);
}
Arrays gradient_of_perceptron(const Arrays& in) {
  const auto [value, gradient] =
      value_and_grad([&](const Arrays& w) { return perceptron_loss(w, in[0]); })(Arrays{in[1], in[2]});
  return {value, gradient[0], in[2] - 0.1f * gradient[1]};
}

constexpr int kWidth = 32, kHeads = 4;
Array normalised(const Array& x) {
  const Array c = x - mean(x, -1, true);
  return c * lax::rsqrt(mean(c * c, -1, true) + 1e-5);
}
Array block(const Array& x, const Arrays& w) {
  const std::int64_t batch = x.shape(0), positions = x.shape(1);
  std::vector<Array> qkv = split(matmul(normalised(x), w[0]), 3, -1);
  for (Array& a : qkv) a = a.reshape(batch, positions, kHeads, kWidth / kHeads);
  const Array seen = nn::dot_product_attention(qkv[0], qkv[1], qkv[2], {.is_causal = true});
  const Array y = x + matmul(seen.reshape(batch, positions, kWidth), w[1]);
  return y + matmul(nn::gelu(matmul(normalised(y), w[2])), w[3]);
}
Arrays gradient_of_transformer(const Arrays& in) {
  const auto [value, gradient] = value_and_grad([&](const Arrays& w) {
    const Array y = block(block(in[0], w), w);
    return mean(y * y);
  })(Arrays(in.begin() + 1, in.end()));
  Arrays out = gradient;
  out.push_back(value);
  return out;
}

Arrays convolution(const Arrays& in) {
  auto loss = [&](const Array& k) {
    const Array y = lax::conv_general_dilated(in[0], k, {.padding = "SAME"});
    return sum(y * y);
  };
  return {loss(in[1]), grad(loss)(in[1])};
}
// A convolution as a product with all that windows see: 9 shifted images side by side.
Arrays windows_put_together(const Arrays& in) {
  auto loss = [&](const Array& k) {
    const std::int64_t h = in[0].shape(1), w = in[0].shape(2);
    const Array x = pad(in[0], {{0, 0}, {1, 1}, {1, 1}, {0, 0}});
    Arrays seen;
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j) seen.push_back(x(all, slice(i, i + h), slice(j, j + w)));
    const Array y = matmul(concatenate(seen, -1), k);
    return sum(y * y);
  };
  return {loss(in[1]), grad(loss)(in[1])};
}
Arrays stacks(const Arrays& in) {
  const Array x = in[0](0), y = in[0](1);
  const Array state = stack({x * y, x + y}) * 0.5f + stack({sin(x), cos(y)});
  const Array far = sum(square(expand_dims(in[1], 0) - expand_dims(in[1], 1)), -1);  // of points in three dims
  return {state[0], state[1] - state[0], sum(1 / (1 + far), 1), concatenate({sin(x), y * 2, x})};
}
Arrays equal_loops(const Arrays& in) {
  const Array x = in[0], y = in[1];
  auto long_chain = [](Array v, float a) {
    for (int k = 0; k < 12; ++k) v = v * (a + static_cast<float>(k)) + 0.5f;
    return v;
  };
  return {long_chain(x, 0.01f), long_chain(y, 0.02f).T(), long_chain(max(y, 0), 0.03f), tanh(x.T()), sum(sin(y), 0)};
}
Arrays gathers(const Arrays& in) {
  const Array x = in[0], i = in[1], j = in[2];
  const Array flat = x.reshape(-1);
  return {x(i, j),
          x.at(i, j).add(1.f),
          flat(places(20, 16, 5)) * 2,
          zeros({1000}).at(arange(0, 1000, 2)).add(flat(slice(500))),
          take(x, i % 4, 0),
          sort(flat)(slice(5)),
          take_along_axis(x, argsort(x, 1), 1)};
}
Arrays solves(const Arrays& in) { return {linalg::solve(in[0] + 4 * eye(4), in[1])}; }
Arrays complex_numbers(const Arrays& in) {
  const Array z = lax::complex(in[0], in[1]);
  return {abs(z * z + 2), real(exp(z) / (z + 3)), (z * conj(z)).T(), fft::fft(z * 2)};
}
Arrays small_types(const Arrays& in) {
  const Array x = in[0], h = x.astype(bfloat16), e = x.astype(float8_e4m3fn), i = (x * 3).astype(int8);
  return {tanh(h) * h + 1, sum(h, 0),       (e * e + e).astype(float32), i * i + i, (i > 0) & (x > 0),
          sum(i, 1),       matmul(h, h.T())};
}

// Loops and branches.
Arrays scans(const Arrays& in) {
  const Array w = in[1];
  auto step = [&](const Array& c, const Array& x) {
    const Array fixed = matmul(w, w) + tanh(w);
    const Array next = tanh(matmul(x, w) + c * sum(fixed, 0));
    return std::pair{next, matmul(next, w) + argmax(next * 2).astype(float32)};
  };
  const auto [last, all_steps] = lax::scan(step, zeros({w.shape(0)}), in[0]);
  auto loss = [&](const Array& v) {
    return sum(lax::scan(
                   [&](const Array& c, const Array& x) {
                     return std::pair{tanh(matmul(c, v) + x), c};
                   },
                   zeros({w.shape(0)}), in[0])
                   .first);
  };
  return {last, all_steps, grad(loss)(w)};
}
Arrays branches(const Arrays& in) {
  const Array x = in[0];
  const Array halved = lax::while_loop([](const Array& v) { return max(abs(v)) > 0.5f; },
                                       [](const Array& v) { return v * 0.5f + (v * 0.5f - v * 0.5f); }, x);
  auto either = [&](const Array& v) {
    return lax::cond(
        sum(v) > 0, [&] { return nn::softmax(v * 2, -1); },
        [&] {
          return concatenate({v(slice(1)), v(slice(1, none)) * 2}) + argmax(v.reshape(-1));
        });
  };
  auto stacked = [](const Array& c, const Array& row) {
    const Array next = c + row;
    return std::pair{next, stack({next, next * 2, row})};
  };
  return {halved, either(x), either(-x), lax::scan(stacked, zeros({x.shape(1)}), x).second};
}

// Eight devices, rows over them.
Arrays gathers_of_rows(const Arrays& in) {  // messages; overlapping frames that are put together again
  const Array x = in[0], i = in[1], signal = in[0].reshape(-1), starts = in[1](slice(64)) * 4;
  const Array frames = vmap([&](const Array& at) { return lax::dynamic_slice(signal, {at}, {512}); })(starts);
  return {segment_sum(x(i), (i * 7) % x.shape(0), {.num_segments = x.shape(0)}), grad([&](const Array& s) {
            return sum(square(vmap([&](const Array& at) { return lax::dynamic_slice(s, {at}, {512}); })(starts)));
          })(signal),
          sum(frames, 0)};
}
Arrays by_order(const Arrays& in) { return {take_along_axis(in[0], argsort(in[0], 0), 0)}; }
Arrays cross_entropy(const Arrays& in) {
  const Array log_softmax = in[0] - nn::logsumexp(in[0], -1, true);
  return {-mean(take_along_axis(log_softmax, expand_dims(in[1], 1), 1))};
}
Arrays picked_labels(const Arrays& in) { return {-mean(nn::log_softmax(in[0])(arange(64), in[1]))}; }
Arrays turned_rows(const Arrays& in) {
  const auto n = static_cast<int>(in[0].shape(0));
  return {take(in[0], (arange(n) + (n - 3)) % n, 0)};
}
Arrays running_sum(const Arrays& in) {
  auto step = [](const Array& sum, const Array& row) { return std::pair{sum + row, sum + row}; };
  const auto [last, sums] = lax::scan(step, zeros({in[0].shape(1)}), in[0]);
  return {last, sums};
}
Arrays sum_from_the_end(const Arrays& in) { return {flip(cumsum(2 * flip(in[0], 0), 0), 0)}; }
Arrays sum_of_diagonal(const Arrays& in) { return {diagonal(matmul(in[0], in[0].T())), trace(in[0])}; }
Arrays smoothed(const Arrays& in) { return {fft::irfft2(fft::rfft2(in[0]) / 2)}; }
Arrays head_by_head(const Arrays& in) {
  Arrays each;
  for (int h = 0; h < 8; ++h) {
    const Array q = in[0](all, h), k = in[1](all, h), v = in[2](all, h);
    each.push_back(matmul(nn::softmax(matmul(q, transpose(k)), -1), v));
  }
  return {stack(each, 1)};
}
Arrays joined_heads(const Arrays& in) {
  const std::int64_t width = in[0].shape(1);
  const Array qkv = moveaxis(matmul(in[0], in[1].reshape({width, -1})).reshape({-1, 3, 8, width / 8}), 1, 0);
  const Array p = nn::softmax(einsum("thd,shd->hts", {qkv[0], qkv[1]}), -1);
  return {matmul(einsum("hts,shd->thd", {p, qkv[2]}).reshape({-1, width}), in[2])};
}
Arrays stencil(const Arrays& in) {
  const Array x = in[0], up = concatenate({x(slice(1, none)), x(slice(1))}), wide = pad(x, {{1, 1}, {0, 0}});
  return {x + up, wide(slice(none, -2)) + wide(slice(2, none)) - 2 * x};
}
Arrays sharded_step(const Arrays& in) { return gradient_of_perceptron(in); }

}  // namespace

Arrays complex_region(const Mesh& mesh, const Arrays& in) {
  auto body = [](const Array& x, const Array& y) {
    const Array z = lax::complex(x, y);
    return real(z * exp(z) + lax::psum(z * z, "x"));
  };
  return {shard_map(body, {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")})(in[0], in[1])};
}

std::vector<Sample> one_device_samples() {
  const Array images = normal(9, {8, 64, 64, 8});
  return {
      {"elementwise", {normal(1, {40, 30}), normal(2, {40, 30})}, elementwise},
      {"reductions", {normal(1, {96, 64}), normal(2, {1})}, reductions},
      {"softmax of much", {normal(1, {4096, 512})}, softmax_of_much},
      {"variance of much", {normal(1, {2048, 2304})}, variance_of_much},
      {"products", {normal(1, {64, 48}), normal(2, {48, 64})}, products},
      {"small products", {normal(1, {128 * 24}), normal(2, {128 * 24})}, small_products},
      {"gradient of a perceptron",
       {normal(1, {256, 96}), normal(2, {96, 128}) * 0.1f, normal(3, {128, 96}) * 0.1f},
       gradient_of_perceptron},
      {"gradient of a transformer",
       {normal(1, {6, 128, kWidth}), normal(2, {kWidth, 3 * kWidth}) * 0.2f, normal(3, {kWidth, kWidth}) * 0.2f,
        normal(4, {kWidth, 4 * kWidth}) * 0.2f, normal(5, {4 * kWidth, kWidth}) * 0.2f},
       gradient_of_transformer},
      {"convolution", {normal(1, {2, 8, 12, 12}), normal(2, {16, 8, 3, 3})}, convolution},
      {"windows put together", {images, normal(2, {72, 16})}, windows_put_together},
      {"stacks", {normal(1, {2, 5000}), normal(2, {200, 3})}, stacks},
      {"equal loops", {normal(1, {300, 200}), normal(2, {300, 200})}, equal_loops},
      {"gathers",
       {normal(1, {40, 50}), random::randint(random::key(2), {600}, 0, 40),
        random::randint(random::key(3), {600}, 0, 50)},
       gathers},
      {"gathers of rows", {normal(1, {300, 48}), random::randint(random::key(2), {600}, 0, 300)}, gathers_of_rows},
      {"solves", {normal(1, {256, 4, 4}), normal(2, {256, 4, 1})}, solves},
      {"complex numbers", {normal(1, {32, 64}), normal(2, {32, 64})}, complex_numbers},
      {"small types", {normal(1, {24, 40})}, small_types},
      {"scans", {normal(1, {24, 16}), normal(2, {16, 16}) * 0.3f}, scans},
      {"branches", {normal(1, {12, 32})}, branches},
  };
}

std::vector<Sample> sharded_samples(const Mesh& mesh) {
  auto rows = [&](const Array& x) { return device_put(x, NamedSharding(mesh, P("x"))); };
  const Array q = normal(1, {32, 8, 16}), k = normal(2, {32, 8, 16}), v = normal(3, {32, 8, 16});
  return {
      {"by order", {rows(normal(1, {64, 24}))}, by_order},
      {"cross-entropy", {rows(normal(1, {64, 24})), rows(random::randint(random::key(2), {64}, 0, 24))}, cross_entropy},
      {"picked labels", {rows(normal(1, {64, 24})), rows(random::randint(random::key(2), {64}, 0, 24))}, picked_labels},
      {"turned rows", {rows(normal(1, {64, 24}))}, turned_rows},
      {"running sum", {rows(normal(1, {64, 24}))}, running_sum},
      {"sum from the end", {rows(normal(1, {64, 24}))}, sum_from_the_end},
      {"sum of a diagonal", {rows(normal(1, {64, 24}))}, sum_of_diagonal},
      {"smoothed", {rows(normal(1, {64, 24}))}, smoothed},
      {"head by head", {rows(q), rows(k), rows(v)}, head_by_head},
      {"joined heads",
       {normal(1, {32, 64}), device_put(normal(2, {64, 3, 64}), NamedSharding(mesh, P(none, none, "x"))),
        rows(normal(3, {64, 64}))},
       joined_heads},
      {"stencil", {rows(normal(1, {64, 24}))}, stencil},
      {"step", {rows(normal(1, {64, 96})), normal(2, {96, 128}) * 0.1f, normal(3, {128, 96}) * 0.1f}, sharded_step},
      {"complex region",
       {rows(normal(1, {64, 24})), rows(normal(2, {64, 24}))},
       [mesh](const Arrays& in) { return complex_region(mesh, in); }},
  };
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
