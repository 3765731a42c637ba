#include <iostream>
#include <tutti/tutti.hpp>
using namespace tutti;

int main() {
  auto loss = [](const Array& w, const Array& x, const Array& y) { return square(matmul(x, w) - y).mean(); };
  auto step = jit(value_and_grad(loss));
  Array x = arange(12.0).reshape(4, 3) / 10, y = arange(4.0), w = zeros({3});
  for (int i = 0; i < 100; ++i) {
    auto [value, gradient] = step(w, x, y);
    w -= 0.3 * gradient;
  }
  std::cout << w << " " << loss(w, x, y) << "\n";
}

// SPDX-License-Identifier: Apache-2.0
