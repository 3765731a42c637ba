// Arrays put into another order.
#include "real.hpp"

namespace bench::real {

std::vector<Row> movement(const Extents& at) {
  const std::int64_t n = at(4096, 64), m = at(512, 16);
  const Input rows = numbers({n, m}, cut);
  const double block = as_double(n / 8 * m) * 4;
  return {
      {"flip_slice",
       "rows in reverse by [::-1], rows cut",
       d8,
       {rows},
       {cut},
       of([](const Array& x) { return x(slice(none, none, -1)); }),
       {block, {}, 1048576},
       "J"},
      {"fftshift_rows",
       "fftshift along the cut dim",
       d8,
       {rows},
       {cut},
       of([](const Array& x) { return fft::fftshift(x, 0); }),
       {block}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
