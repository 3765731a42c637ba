// What a user's first program needs: one include, one jit, one number back.
#include <tutti/tutti.hpp>

int main() {
  using namespace tutti;
  auto f = jit([](const Array& x) { return x.sum(); });
  return f(arange(4.0)).item<float>() == 6.0f ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
