// Running functions and products with their gradients, and functions of complex numbers and of three components.
#include <tutti/tutti.hpp>

#include "case.hpp"

namespace bench {
namespace {

// Between 1/2 and 3/2: products of a thousand stay finite.
auto factors(Shape shape) {
  return [=](const Setup& s) { return device_put(random::uniform(random::key(11), shape) + 0.5f, s.at(P())); };
}
auto complex_numbers(Shape shape) {
  return [=](const Setup& s) {
    return lax::complex(s.normal(shape, P()), device_put(random::normal(random::key(1), shape), s.at(P())));
  };
}
template <class F> auto sum_grad(F f) {
  return grad([f](const Array& x) { return sum(f(x)); });
}

Array products(const Array& x) { return cumprod(x, 1); }
Array products_down(const Array& x) { return cumprod(x, 0); }
Array highest(const Array& x) { return lax::cummax(x, 1); }
Array highest_down(const Array& x) { return lax::cummax(x, 0); }
Array gelu_exact(const Array& x) { return nn::gelu_exact(x); }
Array crossed(const Array& x, const Array& y) { return cross(x, y); }

// An operation of the user's. JAX has no row: pure_callback of an array on 8 devices waits for ever on two cores.
const DefinedOp& cube() {
  static const DefinedOp op = define_op({
      .name = "cube",
      .result_types = [](const std::vector<ShapeDtypeStruct>& x) { return std::vector{x[0]}; },
      .compute =
          [](std::span<const OpOperand> in, std::span<const OpResult> out) {
            const auto x = in[0].as<float>();
            const auto y = out[0].as<float>();
            for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[i] * x[i];
          },
      .factors = "i -> i",
  });
  return op;
}

}  // namespace

std::vector<Case> running_cases() {
  const auto square_of = factors({1024, 1024});
  const auto vectors = whole({1 << 18, 3});
  return {
      compiled("cumprod_1024", products, square_of),
      compiled("cumprod_columns_1024", products_down, square_of),
      compiled("cumprod_grad_1024", sum_grad(products), square_of),
      compiled("cumprod_columns_grad_1024", sum_grad(products_down), square_of),
      compiled("cummax_1024", highest, square_of),
      compiled("cummax_columns_1024", highest_down, square_of),
      compiled("cummax_grad_1024", sum_grad(highest), square_of),
      compiled("cumsum_grad_1024", sum_grad([](const Array& x) { return square(cumsum(x, 1)); }), square_of),
      compiled("cumlogsumexp_grad_1024", sum_grad([](const Array& x) { return lax::cumlogsumexp(x, 1); }), square_of),
      compiled("prod_grad_1024", sum_grad([](const Array& x) { return prod(x, 1); }), square_of),
      compiled(
          "complex_prod_1024", [](const Array& z) { return prod(z, 1); }, complex_numbers({1024, 1024})),
      compiled(
          "complex_prod_columns_1024", [](const Array& z) { return prod(z, 0); }, complex_numbers({1024, 1024})),
      compiled(
          "complex_cumsum_1024", [](const Array& z) { return cumsum(z, 1); }, complex_numbers({1024, 1024})),
      compiled(
          "complex_cumprod_1024", [](const Array& z) { return cumprod(z, 1); }, complex_numbers({1024, 1024})),
      compiled(
          "complex_sign_1M", [](const Array& z) { return sign(z); }, complex_numbers({1 << 20})),
      compiled("gelu_exact_1M", gelu_exact, whole({1 << 20})),
      compiled("gelu_exact_grad_1M", sum_grad(gelu_exact), whole({1 << 20})),
      compiled(
          "define_op_cube_1M", [](const Array& x) { return cube()(x) * 2; }, whole({1 << 20})),
      compiled("cross_256k", crossed, vectors, vectors),
      compiled(
          "cross_grad_256k",
          [](const Array& x, const Array& y) {
            return grad([&](const Array& x) { return sum(square(cross(x, y))); })(x);
          },
          vectors, vectors),
      compiled(
          "cross_first_dim_256k", [](const Array& x, const Array& y) { return cross(x, y, 0); }, whole({3, 1 << 18}),
          whole({3, 1 << 18})),
      compiled(
          "kron_grad_32",
          [](const Array& x, const Array& y) {
            return grad([&](const Array& x) { return sum(square(kron(x, y))); })(x);
          },
          whole({32, 32}), whole({32, 32})),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
