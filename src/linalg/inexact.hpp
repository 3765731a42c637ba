// What the functions of linear algebra do before the strict ones: dtypes and batch dims.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::linalg {

/// Integers and bools as floats.
inline Array inexact(const Array& x) { return x.dtype().is_inexact() ? x : x.astype(tutti::inexact(x.dtype())); }
inline std::pair<Array, Array> inexact(const Array& x, const Array& y) {
  const Array a = inexact(x), b = inexact(y);
  const DType dtype = promote_types(a.dtype(), b.dtype());
  return {a.astype(dtype), b.astype(dtype)};
}
inline DType real_dtype(const Array& x) { return tutti::real_dtype(x.dtype()); }
inline double epsilon(const Array& x) {
  return real_dtype(x) == float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}
inline Array adjoint(const Array& x) { return conj(swapaxes(x, -1, -2)); }
/// A scalar 0 of x's dtype.
inline Array zero_of(const Array& x) { return zeros(Shape{}, x.dtype()); }

inline std::int64_t rows_of(const Array& x) { return x.shape()[static_cast<std::size_t>(x.ndim() - 2)]; }
inline std::int64_t cols_of(const Array& x) { return x.shape().back(); }
inline Shape batch_of(const Array& x, int core = 2) {
  return Shape(std::vector<std::int64_t>(x.shape().begin(), x.shape().end() - core));
}
inline Shape joined(Shape batch, std::initializer_list<std::int64_t> core) {
  for (std::int64_t d : core) batch.push_back(d);
  return batch;
}

inline const Array& need_matrices(const char* function, const Array& x) {
  if (x.ndim() < 2)
    raise<ShapeError>(function, type_text(x) + " is no matrix",
                      "It needs two dims or more: the last two are the matrix.");
  return x;
}
inline const Array& need_square(const char* function, const Array& x) {
  need_matrices(function, x);
  if (rows_of(x) != cols_of(x))
    raise<ShapeError>(function, "the matrices of " + type_text(x) + " are not square: " + x.shape().str(),
                      "The last two extents must be equal.");
  return x;
}
/// Both with their batch dims broadcast to one; `core` dims at the end of each stay.
inline std::pair<Array, Array> same_batch(const char* function, const Array& x, const Array& y, int x_core = 2,
                                          int y_core = 2) {
  const Shape a = batch_of(x, x_core), b = batch_of(y, y_core);
  if (a == b) return {x, y};
  Shape out = a.ndim() > b.ndim() ? a : b;
  for (int d = 1; d <= std::min(a.ndim(), b.ndim()); ++d) {
    const auto i = static_cast<std::size_t>(a.ndim() - d), j = static_cast<std::size_t>(b.ndim() - d);
    if (a[i] != b[j] && a[i] != 1 && b[j] != 1)
      raise<ShapeError>(function, "the leading dims of " + type_text(x) + " and " + type_text(y) + " do not broadcast",
                        "They must be equal or 1.");
    out[static_cast<std::size_t>(out.ndim() - d)] = a[i] == 1 ? b[j] : a[i];
  }
  auto spread = [&](const Array& v, int core) {
    Shape to = out;
    for (int d = v.ndim() - core; d < v.ndim(); ++d) to.push_back(v.shape()[static_cast<std::size_t>(d)]);
    return broadcast_to(v, to);
  };
  return {spread(x, x_core), spread(y, y_core)};
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
