// The direction of L-BFGS. Source: Nocedal and Wright 1999, algorithm 7.4; optax.scale_by_lbfgs.
#include "tutti/optim/lbfgs.hpp"

#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::optim::detail {
namespace {

// The real part of sum(conj(x) y) over all places.
Array inner_product(const ArrayVector& x, const ArrayVector& y, DType dtype) {
  Array out = zeros({}, dtype);
  for (std::size_t i = 0; i < x.size(); ++i) out = out + tutti::real(vdot(ravel(x[i]), ravel(y[i]))).astype(dtype);
  return out;
}
ArrayVector at_row(const ArrayVector& memory, const Array& row) {
  ArrayVector out;
  for (const Array& m : memory) out.push_back(m(row));
  return out;
}
ArrayVector plus_scaled(const ArrayVector& x, const Array& by, const ArrayVector& y) {
  ArrayVector out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back((x[i] + scaled(y[i], by)).astype(x[i].dtype()));
  return out;
}

}  // namespace

void check_memory(int memory_size) {
  if (memory_size < 1)
    raise<ValueError>("optim::scale_by_lbfgs", "memory_size is " + std::to_string(memory_size), "Give 1 or more.");
}
Array memory_of(const Array& p, int memory_size) {
  if (!p.dtype().is_inexact()) return {};
  Shape shape{memory_size};
  for (const std::int64_t n : p.shape()) shape.push_back(n);
  return zeros_like(p, shape);
}

ArrayVector lbfgs_direction(const ArrayVector& grads, const ArrayVector& params, Lbfgs& s, bool scale_first) {
  const DType dtype = s.weights_memory.dtype();
  const std::int64_t size = s.weights_memory.size();
  const Array now = s.count % size, before = (s.count - 1) % size, has_before = s.count > 0;
  auto changes = [&](const ArrayVector& to, const ArrayVector& from) {
    ArrayVector out;
    for (std::size_t i = 0; i < to.size(); ++i)
      out.push_back(where(has_before, to[i] - from[i], 0).astype(to[i].dtype()));
    return out;
  };
  const ArrayVector dp = changes(params, s.params), dg = changes(grads, s.updates);
  const Array product = inner_product(dg, dp, dtype);
  auto remember = [&](ArrayVector& memory, const ArrayVector& change) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = memory[i].at(before).set(change[i]);
  };
  remember(s.diff_params_memory, dp);
  remember(s.diff_updates_memory, dg);
  s.weights_memory = s.weights_memory.at(before).set(where(product == 0, 0, 1 / where(product == 0, 1, product)));
  Array scale = ones({}, dtype);
  if (scale_first) {
    const Array length = inner_product(dg, dg, dtype), known = length > 0;
    const Array norm = sqrt(inner_product(grads, grads, dtype));
    scale = where(has_before, where(known, product / where(known, length, 1), 1), minimum(1, 1 / norm));
  }
  const Array rows = (now + arange(size)) % size;  // the oldest first
  auto right = [&](const ArrayVector& v, const Array& row) {
    const Array alpha = s.weights_memory(row) * inner_product(at_row(s.diff_params_memory, row), v, dtype);
    return std::pair{plus_scaled(v, -alpha, at_row(s.diff_updates_memory, row)), alpha};
  };
  const auto [middle, alphas] = lax::scan(right, grads, rows, {.reverse = true});
  ArrayVector first;
  for (const Array& v : middle) first.push_back(scaled(v, scale));
  auto left = [&](const ArrayVector& v, const std::pair<Array, Array>& step) {
    const Array beta =
        s.weights_memory(step.first) * inner_product(at_row(s.diff_updates_memory, step.first), v, dtype);
    return std::pair{plus_scaled(v, step.second - beta, at_row(s.diff_params_memory, step.first)), beta};
  };
  s.count = next_step(s.count);
  s.params = params;
  s.updates = grads;
  return lax::scan(left, first, std::pair{rows, alphas}).first;
}

}  // namespace tutti::optim::detail

// SPDX-License-Identifier: Apache-2.0
