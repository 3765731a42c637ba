// What a user's first program needs: one include, one jit, one number back; an operation of the user's own; a Fourier
// transform; and other processes, where mpirun starts several.
#include <algorithm>

#include <tutti/tutti.hpp>

int main() {
  using namespace tutti;
  distributed::initialize();
  auto f = jit([](const Array& x) { return x.sum(); });
  const auto halved = define_op({
      .name = "halved",
      .result_types = [](const std::vector<ShapeDtypeStruct>& x) { return std::vector{x[0]}; },
      .compute =
          [](std::span<const OpOperand> in, std::span<const OpResult> out) {
            std::ranges::transform(in[0].as<float>(), out[0].as<float>().begin(), [](float v) { return v / 2; });
          },
      .jvp = [](const auto&, const auto&, const auto& dx) { return std::vector{dx[0] / 2}; },
  });
  auto g = jit(grad([&](const Array& x) { return halved(x).sum(); }));
  const float constant = real(fft::rfft(arange(4.0)))(0).item<float>();
  return f(arange(4.0)).item<float>() == 6.0f && g(ones({2})).sum().item<float>() == 1.0f && constant == 6.0f ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
