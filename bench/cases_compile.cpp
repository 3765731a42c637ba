#include <cstdlib>
#include <stdexcept>

#include "mlp_model.hpp"

namespace bench {
namespace {

Batch tiny_program(const Setup&) {
  return [a = ones({16})](std::int64_t) { jit([](const Array& v) { return v * 2 + 1 + 3; }).lower(a).compile(); };
}

Batch gradient_program(const Setup& s) {
  Network network(4, Dense{device_put(ones({64, 64}), s.at(P(none, "y"))), device_put(ones({64}), s.at(P("y")))});
  Array x = s.normal({64, 64}, P("x", none));
  return [=](std::int64_t) { jit(grad(squared_error)).lower(network, x, x).compile(); };
}

Batch first_sin(const Setup&) {
  return [](std::int64_t n) {
    for (; n > 0; --n)
      if (std::system("\"$(readlink /proc/$PPID/exe)\" --first-sin >/dev/null") != 0)
        throw std::runtime_error("the child process failed");
  };
}

}  // namespace

std::vector<Case> compile_cases() {
  return {{"compile_mlp_grad_tp", gradient_program, true, true},
          {"compile_tiny", tiny_program, true, true},
          {"startup_first_sin", first_sin, true}};
}

}  // namespace bench
