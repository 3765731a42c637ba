#include "tutti/optim.hpp"

#include <limits>

#include "tutti/ops.hpp"

namespace tutti::optim {
namespace detail {

Array zeros_for(const Array& p) { return p.dtype().is_inexact() ? tutti::zeros_like(p) : Array(); }
Array step_zero() { return zeros({}, int32); }

Array next_step(const Array& count) {
  constexpr int last = std::numeric_limits<int>::max();
  return where(count < last, count + 1, last);
}

Array moment(const Array& g, const Array& m, double decay, int order) {
  return (1 - decay) * (order == 2 ? g * g : g) + decay * m;
}

Array corrected(const Array& m, double decay, const Array& count) {
  Array correction = 1 - power(Array(decay), count.astype(float32));
  return m / correction.astype(m.dtype());
}

Array adam_direction(const Array& mean, const Array& square, double eps, double eps_root) {
  return mean / (sqrt(eps_root == 0 ? square : square + eps_root) + eps);
}

Array add_update(const Array& p, const Array& u) { return (p + u).astype(p.dtype()); }

}  // namespace detail

Array Adam::scaled(const Array& direction, const Array& p, const Array& rate) const {
  Array d = weight_decay == 0 ? direction : direction + weight_decay * p;
  return d * -rate;
}

Array Sgd::heavy_ball(const Array& g, const Array& trace) const { return g + momentum * trace; }
Array Sgd::negative_step(const Array& d, const Array& rate) { return d * -rate; }

}  // namespace tutti::optim
