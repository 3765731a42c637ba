// Convolution, sorting, indexing, simulation, random numbers, transfers.
#include <array>
#include <numbers>
#include <numeric>

#include "case.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "wide_steps.hpp"

namespace bench {
namespace {

const PartitionSpec split = P(axes("x", "y"));

auto integers(Shape shape, int below, PartitionSpec spec = split) {
  return [=](const Setup& s) { return device_put(random::randint(random::key(1), shape, 0, below), s.at(spec)); };
}
auto market(double least, double most) {
  return
      [=](const Setup& s) { return device_put(random::uniform(random::key(0), {1 << 20}, least, most), s.at(split)); };
}

Array conv3x3(const Array& x, const Array& w) {
  return lax::conv_general_dilated(x, w, {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
}
Array resnet_loss(const Array& w0, const Array& w1, const Array& x) {
  Array h = x;
  for (const Array& w : {w0, w1}) {
    h = conv3x3(h, w);
    h = maximum((h - mean(h, {0, 1, 2})) * lax::rsqrt(var(h, {0, 1, 2}) + 1e-5), 0);
  }
  return mean(square(x + h));
}
Array normal_cdf(const Array& x) { return 0.5 * (1 + lax::erf(x / std::numbers::sqrt2)); }
using Layers = std::vector<std::pair<Array, Array>>;
Array small_mlp_loss(const Layers& layers, const Array& x) {
  Array h = x;
  for (const auto& [w, b] : layers) h = tanh(matmul(h, w) + b);
  return mean(square(h));
}

Array filled(const Array& x) { return x.at(slice(3, 7), slice(none, none, 2)).set(1.0f)(5); }

}  // namespace

Array embedding_loss(const Array& table, const Array& ids) { return sum(square(take(table, ids, 0))); }

Array energy(const Array& x) {
  const Array d = expand_dims(x, 1) - expand_dims(x, 0);
  const Array squared = sum(square(d), -1) + 1e-2;
  return -0.5 * sum(lax::rsqrt(squared) * (1 - eye(x.shape(0))));
}

Array lattice_step(const Array& f) {
  const int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  std::vector<Array> streamed;
  for (int i = 0; i < 9; ++i) streamed.push_back(roll(roll(f(i), cx[i], 0), cy[i], 1));
  const Array g = stack(streamed), density = sum(g, 0);
  Array ux = zeros_like(density), uy = ux;
  for (int i = 0; i < 9; ++i) {
    ux = ux + g(i) * static_cast<float>(cx[i]);
    uy = uy + g(i) * static_cast<float>(cy[i]);
  }
  ux = ux / density;
  uy = uy / density;
  std::vector<Array> relaxed;
  for (int i = 0; i < 9; ++i) {
    const float weight = i == 0 ? 4.f / 9 : i < 5 ? 1.f / 9 : 1.f / 36;
    const Array along = ux * static_cast<float>(cx[i]) + uy * static_cast<float>(cy[i]);
    const Array still = density * weight * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
    relaxed.push_back(g(i) + 0.6 * (still - g(i)));
  }
  return stack(relaxed);
}

Array life_step(const Array& g) {
  Array n = zeros_like(g);
  for (int a : {-1, 0, 1})
    for (int b : {-1, 0, 1})
      if (a != 0 || b != 0) n = n + roll(roll(g, a, 0), b, 1);
  return ((n == 3) | ((g == 1) & (n == 2))).astype(int8);
}

Array option_price(const Array& s, const Array& k, const Array& t, const Array& r, const Array& v) {
  const Array d = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t));
  return sum(s * normal_cdf(d) - k * exp(-r * t) * normal_cdf(d - v * sqrt(t)));
}

Array kmeans_step(const Array& x, const Array& centers) {
  const Array d = expand_dims(sum(x * x, 1), 1) - 2 * matmul(x, centers.T()) + sum(centers * centers, 1);
  const Array nearest = argmin(d, 1);
  const Array n = segment_sum(ones({x.shape(0)}), nearest, {.num_segments = 32});
  return segment_sum(x, nearest, {.num_segments = 32}) / expand_dims(n, 1);
}

std::vector<Case> wide_cases() {
  return {
      compiled("conv3x3_fwd_b64_32_64", conv3x3, rows({64, 32, 32, 64}), whole({3, 3, 64, 64})),
      compiled("resnet_block_grad_b64_32_64", grad<0, 1>(resnet_loss), whole({3, 3, 64, 64}), whole({3, 3, 64, 64}),
               rows({64, 32, 32, 64})),
      compiled("embedding_grad_50k_d256_4096", grad(embedding_loss), whole({50000, 256}), integers({4096}, 50000)),
      compiled(
          "sort_1M", [](const Array& x) { return sort(x); }, whole({1 << 20})),
      compiled(
          "argsort_rows_4096x256", [](const Array& x) { return argsort(x, -1); }, rows({4096, 256})),
      compiled(
          "cumsum_16M", [](const Array& x) { return cumsum(x); }, whole({1 << 24})),
      compiled(
          "gather_rows_1M_64", [](const Array& t, const Array& i) { return take(t, i, 0); }, whole({1 << 18, 64}),
          integers({1 << 20}, 1 << 18)),
      compiled(
          "top_k_rows_4096x1024_8",
          [](const Array& x) {
            const auto top = lax::top_k(x, 8);
            return std::pair{top.values, top.indices};
          },
          rows({4096, 1024})),
      compiled(
          "segment_sum_4M_to_1000",
          [](const Array& x, const Array& ids) { return segment_sum(x, ids, {.num_segments = 1000}); }, rows({1 << 22}),
          integers({1 << 22}, 1000)),
      compiled(
          "histogram_4M_256", [](const Array& ids) { return bincount(ids, {.length = 256}); },
          integers({1 << 22}, 256)),
      compiled(
          "searchsorted_1M_4096", [](const Array& sorted, const Array& x) { return searchsorted(sorted, x); },
          [](const Setup& s) { return sort(s.normal({4096}, P())); }, rows({1 << 20})),
      compiled("kmeans_step_1M_16_k32", kmeans_step, rows({1 << 20, 16}), whole({32, 16})),
      compiled(
          "boolean_where_sum_16M", [](const Array& x) { return sum(where(x > 0, x, 0)); }, rows({1 << 24})),
      compiled(
          "argmax_rows_4096", [](const Array& x) { return argmax(x, -1); }, rows({4096, 4096})),
      compiled(
          "var_mean_axis0_4096",
          [](const Array& x) {
            return std::pair{mean(x, 0), var(x, 0)};
          },
          rows({4096, 4096})),
      compiled(
          "int8_sum_64M", [](const Array& x) { return sum(x.astype(int32)); },
          [](const Setup& s) { return device_put(ones({1 << 26}, int8), s.at(split)); }),
      compiled("nbody_grad_2048", grad(energy), whole({2048, 3})),
      compiled("lbm_d2q9_512", lattice_step,
               [](const Setup& s) {
                 return device_put(random::uniform(random::key(0), {9, 512, 512}) + 0.5, s.at(P(none, axes("x", "y"))));
               }),
      compiled("black_scholes_grad_1M", grad<0, 2, 3, 4>(option_price), market(50, 150), market(50, 150), market(.1, 2),
               market(0, .1), market(.1, .5)),
      compiled(
          "monte_carlo_pi_16M",
          [](const Array& key) {
            return 4 * mean((sum(square(random::uniform(key, {1 << 24, 2})), 1) < 1).astype(float32));
          },
          [](const Setup&) { return random::key(0); }),
      compiled(
          "uniform_16M", [](const Array& key) { return random::uniform(key, {1 << 24}); },
          [](const Setup&) { return random::key(0); }),
      compiled("life_1024", life_step,
               [](const Setup& s) {
                 return integers({1024, 1024}, 2)(s).astype(int8);
               }),
      {"jit_200_leaves",
       [](const Setup& s) {
         std::vector<Array> leaves;
         for (int i = 0; i < 200; ++i) leaves.push_back(s.normal({8}, P()) + 0.f);
         auto step = jit([](const std::vector<Array>& now) {
           std::vector<Array> next;
           for (const Array& a : now) next.push_back(a + 1.f);
           return next;
         });
         return repeat([step, leaves] { return step(leaves); });
       }},
      {"eager_chain_20_small",
       [](const Setup& s) {
         return repeat([x = s.normal({64}, P())] {
           Array y = x;
           for (int i = 0; i < 10; ++i) y = tanh(y) * 2.f;
           return y;
         });
       }},
      {"grad_eager_mlp_small",
       [](const Setup& s) {
         Layers layers;
         for (int i = 0; i < 3; ++i) layers.emplace_back(s.normal({32, 32}, P()), s.normal({32}, P()));
         return repeat([layers, x = s.normal({16, 32}, P())] { return grad(small_mlp_loss)(layers, x); });
       }},
      {"to_host_64MB",
       [](const Setup& s) {
         auto step = jit([](const Array& x) { return x + 1.f; });
         return repeat([step, x = s.normal({1 << 24}, split)] {
           const Array y = step(x);
           const auto host = host_data<float>(y);
           std::array<float, 32> sums{};  // side by side, so that the compiler adds vectors, as NumPy does
           for (std::size_t i = 0; i < host.size(); i += 32)
             for (std::size_t k = 0; k < 32; ++k) sums[k] += host[i + k];
           return full({}, Array(0 * std::reduce(sums.begin(), sums.end())));
         });
       }},
      {"eager_index_update",
       [](const Setup& s) {
         return repeat([x = s.normal({256, 256}, P())] { return filled(x); });
       }},
      {"device_put_64MB",
       [](const Setup& s) {
         auto host = std::make_shared<std::vector<float>>(std::size_t{1} << 24, 1.f);
         return repeat([host, where = s.at(split)] { return device_put(array(*host, {1 << 24}), where); });
       }},
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
