// Time: scans, recurrences, filters, lags.
#include "real.hpp"

namespace bench::real {
namespace {

Array linear_recurrence(const Array& a, const Array& b) {
  auto both = [](const Two& l, const Two& r) { return Two{l.first * r.first, r.first * l.second + r.second}; };
  return lax::associative_scan(both, Two{0.5 * a, b}).second;
}
Array products_of_matrices(const Array& a) {
  return lax::associative_scan([](const Array& l, const Array& r) { return matmul(r, l); }, 0.4 * a);
}
Array lag_coefficients(const Array& x) {
  const Array lags = stack({x(slice(3, -1)), x(slice(2, -2)), x(slice(0, -4))}, 1), y = x(slice(4, none));
  return linalg::solve(matmul(lags.T(), lags), matmul(lags.T(), y));
}
Function dilated_causal(std::int64_t dilation) {
  return of([dilation](const Array& x, const Array& w) {
    return lax::conv_general_dilated(
        x, w, {.padding = {{dilation, 0}}, .rhs_dilation = {dilation}, .dimension_numbers = {"NWC", "WIO", "NWC"}});
  });
}
Two lstm_step(const Array& w, const Two& state, const Array& x) {
  const Arrays gates = split(matmul(concatenate({x, state.first}, 1), w), 4, 1);
  const Array memory = nn::sigmoid(gates[0]) * state.second + nn::sigmoid(gates[1]) * tanh(gates[2]);
  return {nn::sigmoid(gates[3]) * tanh(memory), memory};
}
Two lstm_value_and_gradient(const Array& x, const Array& weight) {
  auto loss = [&](const Array& w) {
    auto step = [&](const Two& state, const Array& x) {
      const Two next = lstm_step(w, state, x);
      return std::pair{next, next.first};
    };
    const Array zero = zeros({x.shape(1), x.shape(2)});
    return square(lax::scan(step, Two{zero, zero}, x).second).mean();
  };
  return value_and_grad(loss)(weight);
}

}  // namespace

std::vector<Row> sequences(const Extents& at) {
  const std::int64_t n = at(4096, 64), m = at(512, 16), line = at(1 << 20, 256);
  const std::int64_t t = at(65536, 64), b = at(8, 2), c = at(32, 4), dilation = at(64, 2);
  const std::int64_t steps = at(128, 4), batch = at(512, 16), h = at(128, 8);
  const Input rows = numbers({n, m}, cut);
  const double last_rows = all_gather(8, 8 * as_double(m) * 4);
  const double lags = 4 * 4, normal_equations = all_reduce(8, (9 + 3) * 4);
  return {
      // Blocks by themselves, then what the blocks before make of them: their last rows.
      {"cummax_rows",
       "cummax along the cut dim",
       d8,
       {rows},
       {cut},
       of([](const Array& x) { return lax::cummax(x, 0); }),
       {last_rows, {}, 7340032},
       "I"},
      {"linrec_assoc",
       "linear recurrence by associative_scan",
       d8,
       {rows, rows},
       {cut},
       of(linear_recurrence),
       {2 * last_rows, {}, 1921792},
       "B"},
      {"kalman_assoc",
       "products of 4x4 matrices by associative_scan",
       d8,
       {numbers({n, 4, 4}, cut)},
       {cut},
       of(products_of_matrices),
       {all_gather(8, 8 * 4 * 4 * 4), {}, 232032},
       "B"},
      {"lag_features",
       "autoregression: lags 1, 2, 4 by slices",
       d8,
       {numbers({line}, cut)},
       {whole},
       of(lag_coefficients),
       {lags + normal_equations, {}, 120},
       "A"},
      {"conv_causal",
       "dilated causal convolution over cut time",
       d8,
       {numbers({b, t, c}, second), numbers({2, c, c}, whole)},
       {second},
       dilated_causal(dilation),
       {borders({b, t / 8, c}, {0, dilation})}},
      {"lstm",
       "LSTM by scan, batch cut, gradient of the weights",
       d8,
       {numbers({steps, batch, h}, second), numbers({2 * h, 4 * h}, whole)},
       {whole, whole},
       of(lstm_value_and_gradient),
       {all_reduce(8, as_double(8 * h * h) * 4) + scalar_sum, {}, 117440519}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
