// custom_root and custom_linear_solve: derivatives are those of the equation, whatever the solver does; they compose
// with every transformation. Numbers are those of jax.lax.custom_root and custom_linear_solve, which are exact here.
#include "tutti/lax/implicit.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

void close(const Array& got, const Array& want, double tolerance = 1e-5) {
  EXPECT_EQ(got.shape().str(), want.shape().str());
  EXPECT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(allclose(got, want, tolerance, tolerance)) << got << "\n" << want;
}

// By halving an interval: a loop without reverse mode.
Array bisect(const std::function<Array(const Array&)>& f, const Array& guess) {
  auto step = [&](const std::pair<Array, Array>& ends) {
    auto& [low, high] = ends;
    const Array middle = (low + high) / 2, above = f(middle) > 0;
    return std::pair{where(above, low, middle), where(above, middle, high)};
  };
  auto open = [](const std::pair<Array, Array>& ends) { return (ends.second - ends.first > 1e-6f).any(); };
  return lax::while_loop(open, step, std::pair{zeros_like(guess), full_like(guess, 4)}).first;
}
Array root_of_square(const Array& a) {
  auto solve = [](const auto& f, const Array& guess) { return bisect(f, guess); };
  return lax::custom_root([&](const Array& x) { return x * x - a; }, ones_like(a), solve,
                          [](const auto& g, const Array& y) { return y / g(ones_like(y)); });
}

TEST(CustomRoot, DerivativesOfAllOrdersAreThoseOfTheRoot) {
  const Array a = array(2.f);
  close(root_of_square(a), array(1.4142135f));
  close(jit(root_of_square)(a), array(1.4142135f));
  close(grad(root_of_square)(a), array(0.35355338f));
  close(jit(grad(root_of_square))(a), array(0.35355338f));
  close(grad(grad(root_of_square))(a), array(-0.088388346f));
  close(grad(grad(grad(root_of_square)))(a), array(0.06629126f), 1e-4);
  close(jvp(grad(root_of_square), std::tuple{a}, std::tuple{array(3.f)}).second, array(-0.26516503f));
  close(jacrev(jacfwd(root_of_square))(a), array(-0.088388346f));
}

TEST(CustomRoot, Composes) {
  const Array a = array({1.f, 4.f, 9.f});
  close(vmap(grad(root_of_square))(a), array({0.5f, 0.25f, 1.f / 6}));
  close(jit(vmap(jit(grad(root_of_square))))(a), array({0.5f, 0.25f, 1.f / 6}));
  close(grad([](const Array& a) { return sum(vmap(root_of_square)(a)); })(a), array({0.5f, 0.25f, 1.f / 6}));
  auto chain = [](const Array& a) {  // a^(1/8)
    return lax::scan(
               [](const Array& c, none_t) {
                 return std::pair{root_of_square(c), c};
               },
               a, none, {.length = 3})
        .first;
  };
  close(grad(chain)(array(2.f)), array(0.06815673f));
  close(jit(grad(chain))(array(2.f)), array(0.06815673f));
  close(grad([](const Array& a) {
          return lax::cond(
              a > 1, root_of_square, [](const Array& x) { return x; }, a);
        })(array(4.f)),
        array(0.25f));
  close(grad(remat(root_of_square))(array(4.f)), array(0.25f));
}

TEST(CustomRoot, TreesAndMoreResults) {
  // x^2 + y = a, x - y = 0; how many steps were made comes back too.
  using Point = std::pair<Array, Array>;
  auto point = [](const Array& a) {
    auto f = [&](const Point& p) { return Point{p.first * p.first + p.second - a, p.first - p.second}; };
    auto newton = [&](const auto& f, const Point& guess) {
      Point p = guess;
      for (int i = 0; i < 8; ++i) {
        const Point r = f(p);
        const Array dx = -(r.first + r.second) / (2 * p.first + 1);
        p = {p.first + dx, p.second + dx + r.second};
      }
      return std::pair{p, array(8)};
    };
    auto tangent = [](const auto& g, const Point& y) {
      const Point u = g(Point{1.f, 0.f}), v = g(Point{0.f, 1.f});
      const Array det = u.first * v.second - v.first * u.second;
      return Point{(v.second * y.first - v.first * y.second) / det, (u.first * y.second - u.second * y.first) / det};
    };
    return lax::custom_root(f, Point{1.f, 1.f}, newton, tangent);
  };
  auto [p, steps] = point(array(6.f));
  close(p.first, array(2.f));
  EXPECT_EQ(steps.item<int>(), 8);
  auto sum_of = [&](const Array& a) { return point(a).first.first * 3 + point(a).first.second; };
  close(grad(sum_of)(array(6.f)), array(0.8f));  // dx = dy = da / (2 x + 1)
  close(jit(grad(sum_of))(array(6.f)), array(0.8f));
  close(vmap(grad(sum_of))(array({6.f, 12.f})), array({0.8f, 4.f / 7}));
}

const Array matrix = array({4.f, 1.f, 0.f, -1.f, 3.f, 1.f, 2.f, 0.f, 5.f}).reshape(3, 3);

// Jacobi's iteration, which knows the matrix by its products only.
template <class M> Array jacobi(const M& matvec, const Array& b) {
  const Array d = diagonal(vmap(matvec, {.out_axes = 1})(eye(3)));
  return lax::while_loop([](const std::pair<Array, Array>& c) { return c.second < 60; },
                         [&](const std::pair<Array, Array>& c) {
                           return std::pair{c.first + (b - matvec(c.first)) / d, c.second + 1};
                         },
                         std::pair{zeros_like(b), array(0)})
      .first;
}
Array solved(const Array& a, const Array& b) {
  auto solver = [](const auto& matvec, const Array& b) { return jacobi(matvec, b); };
  return lax::custom_linear_solve([&](const Array& x) { return matmul(a, x); }, b, solver, solver);
}

TEST(CustomLinearSolve, DerivativesAreThoseOfASolve) {
  const Array b = array({1.f, 2.f, 3.f});
  auto loss = [](const Array& a, const Array& b) { return sum(sin(solved(a, b))); };
  auto known = [](const Array& a, const Array& b) { return sum(sin(linalg::solve(a, b))); };
  close(solved(matrix, b), linalg::solve(matrix, b));
  auto both = grad<0, 1>(loss);
  auto both_known = grad<0, 1>(known);
  close(std::get<0>(both(matrix, b)), std::get<0>(both_known(matrix, b)));
  close(std::get<1>(both(matrix, b)), std::get<1>(both_known(matrix, b)));
  close(std::get<0>(jit(both)(matrix, b)), std::get<0>(both_known(matrix, b)));
  close(hessian(loss)(matrix, b), hessian(known)(matrix, b), 1e-4);
  close(jit(hessian(loss))(matrix, b), hessian(known)(matrix, b), 1e-4);
  close(jacfwd(solved)(matrix, b), jacfwd(linalg::solve)(matrix, b));
  close(std::get<0>(linear_transpose([](const Array& b) { return solved(matrix, b); }, b)(b)),
        linalg::solve(matrix.T(), b));
}

TEST(CustomLinearSolve, Maps) {
  const Array bs = reshape(arange(6.f), {2, 3}), as = stack({matrix, matrix.T() + eye(3)});
  auto by_matrix = grad([](const Array& a, const Array& b) { return sum(square(solved(a, b))); });
  auto known = grad([](const Array& a, const Array& b) { return sum(square(linalg::solve(a, b))); });
  close(vmap(solved, {.in_axes = {none, 0}})(matrix, bs), vmap(linalg::solve, {.in_axes = {none, 0}})(matrix, bs));
  close(vmap(solved, {.in_axes = {0, none}})(as, bs(0)), vmap(linalg::solve, {.in_axes = {0, none}})(as, bs(0)));
  close(vmap(by_matrix)(as, bs), vmap(known)(as, bs), 1e-4);
  close(jit(vmap(by_matrix, {.in_axes = {0, none}}))(as, bs(1)), vmap(known, {.in_axes = {0, none}})(as, bs(1)), 1e-4);
}

TEST(CustomLinearSolve, OfSymmetricMatrices) {
  const Array s = matmul(matrix, matrix.T()) + 40 * eye(3), b = array({1.f, 2.f, 3.f});
  auto solve = [&](const Array& b) {
    return lax::custom_linear_solve([&](const Array& x) { return matmul(s, x); }, b,
                                    [](const auto& matvec, const Array& b) {
                                      return std::pair{jacobi(matvec, b), 60};
                                    },
                                    {.symmetric = true})
        .first;
  };
  close(grad([&](const Array& b) { return sum(solve(b)); })(b), linalg::solve(s, ones({3})), 1e-4);
}

TEST(CustomLinearSolve, SaysWhatIsMissing) {
  auto one_way = [](const Array& b) {
    return sum(lax::custom_linear_solve([](const Array& x) { return matmul(matrix, x); }, b,
                                        [](const auto& matvec, const Array& b) { return jacobi(matvec, b); }));
  };
  const Array b = array({1.f, 2.f, 3.f});
  close(jvp(one_way, std::tuple{b}, std::tuple{b}).second, one_way(b));
  try {
    grad(one_way)(b);
    FAIL() << "no error";
  } catch (const UnsupportedError& e) {
    EXPECT_NE(std::string(e.what()).find("transpose_solve"), std::string::npos) << e.what();
  }
  auto narrow = [](const Array& b) {
    return sum(lax::custom_linear_solve([](const Array& x) { return x(slice(0, 2)); }, b,
                                        [](const auto&, const Array& b) { return b; }));
  };
  EXPECT_THROW(grad(narrow)(b), ShapeError);
  auto of_integers = [](const Array& b) {
    return lax::custom_linear_solve([](const Array& x) { return x; }, b, [](const auto&, const Array& b) { return b; });
  };
  EXPECT_THROW(jit(of_integers)(array({1, 2})), TypeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
