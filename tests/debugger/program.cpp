// What tests/debugger/printers.py stops in and prints.
#include <vector>

#include "tutti/tutti.hpp"

using namespace tutti;

static void stop_here() {}

int main() {
  const Array x = array({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  const Array scalar = array(7);
  const Array absent;
  Array deleted = array({1.f});
  deleted.delete_();
  const Shape shape{2, 3};
  const DType dtype = bfloat16;
  const std::vector<Array> several{array({1, 2}), array({3.f})};
  stop_here();
  jit([](const Array& traced) {
    stop_here();
    return traced + 1;
  })(x);
  return x.ndim() + scalar.ndim() + absent.has_value() + shape.ndim() + int(dtype.size()) + int(several.size()) == 8
             ? 0
             : 1;
}

// SPDX-License-Identifier: Apache-2.0
