// A function of vectors, of arrays. Source: jax.numpy.apply_along_axis, jax.numpy.apply_over_axes.
#pragma once

#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {

/// f of every vector along an axis: one call, mapped. The dims of f's result stand in the place of the axis.
///
///     Array norms = apply_along_axis([](const Array& v) { return sqrt(sum(v * v)); }, 0, x);
template <class F> Array apply_along_axis(const F& f, int axis, const In& x) {
  CallScope scope(x.loc);
  const int n = x.array.ndim(), d = axis < 0 ? axis + n : axis;
  const Array last = moveaxis(x.array, axis, -1);
  Shape rest(std::vector<std::int64_t>(last.shape().begin(), last.shape().end() - 1));
  const Array y = vmap(f)(reshape(last, Shape{rest.num_elements(), last.shape().back()}));
  Shape shape = rest;
  for (int k = 1; k < y.ndim(); ++k) shape.push_back(y.shape()[k]);
  std::vector<int> order;
  for (int k = 0; k < d; ++k) order.push_back(k);
  for (int k = rest.ndim(); k < shape.ndim(); ++k) order.push_back(k);
  for (int k = d; k < rest.ndim(); ++k) order.push_back(k);
  return transpose(reshape(y, shape), order);
}

/// f(x, axis), for one axis after the other; a dim that it drops is put back with extent 1.
template <class F> Array apply_over_axes(const F& f, const In& x, const std::vector<int>& axes) {
  CallScope scope(x.loc);
  Array out = x.array;
  for (int axis : axes) {
    const int d = axis < 0 ? axis + out.ndim() : axis;
    const Array y = f(out, d);
    out = y.ndim() == out.ndim() ? y : expand_dims(y, d);
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
