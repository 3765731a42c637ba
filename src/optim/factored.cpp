// Adafactor's second moments, kept as means over rows and columns.
#include <algorithm>
#include <numeric>

#include "optim/stages.hpp"

namespace tutti::optim {
namespace {
// The two largest dims, the smaller of them first, where both are large enough.
std::optional<std::pair<int, int>> factored_dims(const Shape& shape, const FactoredOptions& o) {
  if (!o.factored || shape.ndim() < 2) return {};
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return shape[static_cast<std::size_t>(a)] < shape[static_cast<std::size_t>(b)];
  });
  std::pair dims{order[order.size() - 2], order.back()};
  if (shape[static_cast<std::size_t>(dims.first)] < o.min_dim_size_to_factor) return {};
  return dims;
}
Array placeholder(const Array& p) { return zeros({1}, p.dtype()); }
Start factored_start(const FactoredOptions& o, int slot) {
  return [o, slot](const Array& p) {
    auto dims = factored_dims(p.shape(), o);
    if (!dims) return slot == 2 ? zeros_like(p, dtype_of_moments(p)) : placeholder(p);
    if (slot == 2) return placeholder(p);
    Shape shape = p.shape();
    shape.erase(slot == 0 ? dims->second : dims->first);
    return zeros(shape, dtype_of_moments(p));
  };
}
}  // namespace

Transform<FactoredState> scale_by_factored_rms(const FactoredOptions& o) {
  return {{factored_start(o, 0), factored_start(o, 1), factored_start(o, 2)}, in_float32([=](Leaves& l) {
            Array decay = 1 - power((l.count - o.step_offset + 1).astype(float32), -o.decay_rate);
            auto next = [&](const Array& old, const Array& seen) {
              return (decay * old + (1 - decay) * seen).astype(old.dtype());
            };
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array squared = square(g) + o.epsilon;
              auto dims = factored_dims(g.shape(), o);
              if (!dims) {
                Array& v = l.state[2][i];
                v = next(v, squared);
                g = g * power(v, -0.5);
                return;
              }
              auto [d1, d0] = *dims;
              Array &row = l.state[0][i], &col = l.state[1][i];
              row = next(row, mean(squared, d0));
              col = next(col, mean(squared, d1));
              Array row_factor = power(row / mean(row, d1 > d0 ? d1 - 1 : d1, true), -0.5);
              g = g * expand_dims(row_factor, d0) * expand_dims(power(col, -0.5), d1);
            });
          })};
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
