// Ops whose meaning for complex numbers is a function of arrays of them.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/tasks.hpp"
#include "lane/complex_functions.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {

/// The op, with `f` for complex operands.
inline Op with_arrays(Op op, const lane::ComplexFunction& f) {
  op.eval = [&f, of_real = std::move(op.eval)](const Call& c, std::span<const HostView> in,
                                               std::span<const HostView> out) {
    if (!c.operands[0].dtype.is_complex()) return of_real(c, in, out);
    with_storage<takes_complex>(c.operands[0].dtype, [&]<class T>() {
      const HostView &first = in.front(), &last = in.back();
      const bool same = first.type.ndim() == 0 && out[0].type.ndim() > 0;  // one number beside an array
      const std::int64_t step = last.type.ndim() > 0;
      const T *x = first.template as<const T>(), *y = last.template as<const T>();
      T* z = out[0].as<T>();
      in_pieces(out[0].size(), 4, [&](std::int64_t begin, std::int64_t end) {
        if (!same) return f(x + begin, y + begin * step, step, z + begin, end - begin);
        T numbers[64];
        std::fill(std::begin(numbers), std::end(numbers), *x);
        for (std::int64_t i = begin; i < end; i += 64)
          f(numbers, y + i * step, step, z + i, std::min<std::int64_t>(64, end - i));
      });
    });
  };
  return op;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
