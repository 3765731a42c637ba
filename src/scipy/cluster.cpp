#include "tutti/scipy/cluster.hpp"

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::cluster {

Codes vq(const In& obs, const In& code_book) {
  CallScope scope(obs.loc);
  const DType dtype = inexact(promote_types(obs.array.dtype(), code_book.array.dtype()));
  Array x = obs.array.astype(dtype), codes = code_book.array.astype(dtype);
  const bool fits = x.ndim() == codes.ndim() && (x.ndim() == 1 || (x.ndim() == 2 && x.shape(1) == codes.shape(1))) &&
                    codes.shape(0) > 0;
  if (!fits)
    raise<ShapeError>("vq",
                      "the observations are " + type_text(obs.array) + ", the codes " + type_text(code_book.array),
                      "They are [n, d] and [k, d], or [n] and [k].");
  if (x.ndim() == 1) {
    x = expand_dims(x, 1);
    codes = expand_dims(codes, 1);
  }
  const Array squares = sum(square(abs(expand_dims(x, 1) - expand_dims(codes, 0))), -1);
  const Array nearest = argmin(squares, 1, true);
  return {squeeze(nearest, 1), sqrt(squeeze(take_along_axis(squares, nearest, 1), 1))};
}

}  // namespace tutti::cluster

// SPDX-License-Identifier: Apache-2.0
