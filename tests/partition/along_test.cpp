// Operations that need elements of other blocks along a cut dim: what they send, and that their values are right.
#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/linalg.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::testing {
namespace {

TEST(Along, RightHandSidesOfASolveAreApart) {
  Mesh mesh = grid({4}, "x");
  auto matrix = [](const Array& a) { return matmul(a, swapaxes(a, 0, 1)) + 4 * eye(a.shape()[0]); };
  for (std::int64_t sides : {8, 10}) {
    const Type a = type({6, 6}), b = type({6, sides}), turned = type({sides, 6});
    auto free = [&](const Type& b, PartitionSpec cut, const Function& f) {
      const LocalProgram local = check_placed({a, b}, {P(), cut}, mesh, f);
      EXPECT_EQ(total_bytes(local), 0) << explain(local);
    };
    free(b, P(none, "x"), [&](const Arrays& in) { return Arrays{linalg::solve(matrix(in[0]), in[1])}; });
    free(b, P(none, "x"),
         [&](const Arrays& in) { return Arrays{linalg::cho_solve(linalg::cho_factor(matrix(in[0])), in[1])}; });
    free(b, P(none, "x"), [&](const Arrays& in) {
      return Arrays{lax::linalg::triangular_solve(matrix(in[0]), in[1], {.left_side = true, .lower = true})};
    });
    free(turned, P("x"), [&](const Arrays& in) {
      return Arrays{lax::linalg::triangular_solve(matrix(in[0]), in[1], {.transpose_a = true})};
    });
    free(turned, P("x"), [&](const Arrays& in) {
      return Arrays{vmap([&](const Array& b) { return linalg::solve(matrix(in[0]), b); })(in[1])};
    });
    free(b, P(none, "x"), [&](const Arrays& in) {
      auto [x, back] = tutti::vjp([&](const Array& b) { return linalg::solve(matrix(in[0]), b); }, in[1]);
      return Arrays{std::get<0>(back(x))};
    });
  }
  // Stacks of matrices of which the right-hand sides are cut, by two axes.
  const LocalProgram stacked =
      check_placed({type({3, 4, 4}), type({3, 4, 12})}, {P(), P(none, none, axes("x", "y"))}, grid({2, 3}, {"x", "y"}),
                   [&](const Arrays& in) { return Arrays{linalg::solve(in[0] + 4 * eye(4), in[1])}; });
  EXPECT_EQ(total_bytes(stacked), 0) << explain(stacked);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
