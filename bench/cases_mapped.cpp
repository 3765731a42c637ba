#include <tutti/transform/pmap.hpp>
#include <tutti/transform/shard_map.hpp>

#include "case.hpp"

namespace bench {
namespace {

Batch product_with_psum(const Setup& s) {
  auto f = jit(shard_map([](const Array& a, const Array& b) { return lax::psum(matmul(a, b), "y"); },
                         {.mesh = s.mesh, .in_specs = {P("x", "y"), P("y", none)}, .out_specs = P("x", none)}));
  return repeat([=, a = s.normal({64, 64}, P("x", "y")), b = s.normal({64, 64}, P("y", none))] { return f(a, b); });
}

Batch large_psum(const Setup& s) {
  auto f = jit(shard_map(
      [](const Array& v) {
        return lax::psum(v, {"x", "y"});
      },
      {.mesh = s.mesh, .in_specs = P(axes("x", "y"), none), .out_specs = P(none, none)}));
  return repeat([=, a = s.normal({s.devices, 1 << 22}, P(axes("x", "y"), none))] { return f(a); });
}

struct Line {
  Array slope{}, offset{};
};

// Every device fits the same line to its own points: 8 devices do 8 times the work of one.
Batch linear_regression(const Setup& s) {
  auto error = [](const Line& p, const Array& x, const Array& y) { return square(p.slope * x + p.offset - y).mean(); };
  auto update = [=](const Line& p, const Array& x, const Array& y) {
    auto [value, gradient] = lax::pmean(value_and_grad(error)(p, x, y), "i");
    return std::pair{tree::map([](const Array& a, const Array& g) { return a - 0.005 * g; }, p, gradient), value};
  };
  Array x = linspace(0, 1, s.devices * 16).reshape(s.devices, 16, 1), y = 3 * x - 1;
  Line now{ones({s.devices}), zeros({s.devices})};
  return repeat([=, step = pmap(update, {.axis_name = "i"})]() mutable {
    auto [next, value] = step(now, x, y);
    now = std::move(next);
    return value;
  });
}

}  // namespace

std::vector<Case> mapped_cases() {
  return {{"pmap_linear_regression", linear_regression},
          {"shard_map_matmul_psum_small", product_with_psum},
          {"psum_4M", large_psum}};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
