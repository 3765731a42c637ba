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

// Right-hand sides are solved each for itself, on whichever side of the matrix they stand.
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

// Each device sends what its block comes to, wherever the blocks end.
TEST(Along, RunningProductsAndExtremaSendWhatBlocksComeTo) {
  Mesh mesh = grid({4}, "x");
  const std::vector<std::pair<Array (*)(const In&, int, bool), std::vector<DType>>> all{
      {lax::cumsum, {float32, float64, int32, bfloat16}},
      {lax::cumprod, {float32, float64, int32, complex64}},
      {lax::cummax, {float32, float64, int32, uint8, bool_, complex64}},
      {lax::cummin, {float32, float64, int32, uint8, bool_}},
      {lax::cumlogsumexp, {float32, float64, complex64}}};
  for (const auto& [running, dtypes] : all)
    for (DType dtype : dtypes)
      for (bool reverse : {false, true})
        for (std::int64_t n : {32, 30, 5}) {
          const LocalProgram local = check_placed({type({n, 5}, dtype)}, {P("x")}, mesh,
                                                  [&](const Arrays& in) { return Arrays{running(in[0], 0, reverse)}; });
          EXPECT_EQ(total_bytes(local), 3.0 * dtype.size() * 5) << explain(local);
        }
  // Along the last dim, over two axes, and beside a cut batch.
  check_placed({type({6, 22})}, {P(none, axes("x", "y"))}, grid({2, 3}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{lax::cummax(in[0], 1), lax::cumprod(in[0], 1, true), cumsum(in[0], -1)};
  });
  check_placed({type({6, 22})}, {P("y", "x")}, grid({2, 3}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{lax::cummin(in[0], 1, true), lax::cumlogsumexp(in[0], 1), lax::cumsum(in[0], 0)};
  });
}

// Of infinite and undefined elements, too.
TEST(Along, RunningExtremaOfInfinities) {
  auto special = [](const Array& x) { return where(x > 0.8f, x / 0.f, where(x < -0.8f, log(x), x)); };
  for (bool reverse : {false, true})
    check_placed({type({30, 3})}, {P("x")}, grid({4}, "x"), [&](const Arrays& in) {
      const Array x = special(in[0]), y = where(isnan(x), -log(zeros_like(x)), -x);
      return Arrays{lax::cummax(x, 0, reverse), lax::cummin(x, 0, reverse), lax::cumprod(y, 0, reverse),
                    lax::cumlogsumexp(y, 0, reverse), lax::cumlogsumexp(-y, 0, reverse)};
    });
}

TEST(Along, GradientsOfRunningOps) {
  for (std::int64_t n : {16, 10})
    check_placed({type({n, 3})}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
      auto of = [&](auto f) { return grad([&](const Array& x) { return sum(square(f(x))); })(in[0]); };
      return Arrays{of([](const Array& x) { return lax::cumsum(x, 0, true); }),
                    of([](const Array& x) { return lax::cummax(x, 0); }),
                    of([](const Array& x) { return lax::cumlogsumexp(x, 0); }),
                    of([](const Array& x) { return vmap([](const Array& y) { return lax::cumprod(y, 0); })(x.T()); })};
    });
}

// Blocks go to the device at the other end, and rows as they are.
TEST(Along, AReversalSendsEachBlockOnce) {
  for (DType dtype : {float32, float64, int32, bool_})
    for (std::int64_t n : {32, 30, 21, 5}) {
      const std::int64_t block = (n + 3) / 4;
      const LocalProgram local = check_placed({type({n, 5}, dtype)}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
        return Arrays{lax::rev(in[0], {0, 1})};
      });
      EXPECT_LE(total_bytes(local), static_cast<double>(block * 5 * dtype.size())) << explain(local);
    }
  // The same however it is written; the middle one of three devices keeps its block; two axes on one dim.
  const LocalProgram written = check_placed({type({32, 5})}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
    return Arrays{in[0](slice(none, none, -1)), flip(in[0], 0) * 2.f, flip(in[0], -2)};
  });
  EXPECT_LE(total_bytes(written), 8 * 4.0 * 5) << explain(written);
  check_placed({type({9, 22})}, {P("x", "y")}, grid({3, 2}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{flip(in[0], 0), flip(in[0], 1), flip(in[0])};
  });
  check_placed({type({6, 22})}, {P(none, axes("x", "y"))}, grid({2, 3}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{flip(in[0], 1), grad([](const Array& x) { return sum(flip(x, 1) * x * x); })(in[0])};
  });
}

TEST(Along, BetweenReversalsThingsRunFromTheOtherEnd) {
  for (std::int64_t n : {32, 30}) {
    const LocalProgram local =
        check_placed({type({n, 5}), type({5})}, {P("x"), P()}, grid({4}, "x"), [](const Arrays& in) {
          const Array turned = flip(in[0], 0);
          return Arrays{flip(cumsum(turned, 0), 0), flip(exp(lax::cummax(2.f * turned * in[1], 0)), 0),
                        lax::rev(lax::cumsum(lax::rev(in[0], {0, 1}), 0, true), {1, 0})};
        });
    EXPECT_EQ(total_bytes(local), 3 * 3 * 4.0 * 5) << explain(local);
  }
  // What else reads a value in between, and what turns other dims, stays.
  check_placed({type({32, 5})}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
    const Array sums = cumsum(flip(in[0], 0), 0);
    return Arrays{flip(sums, 0), sums, flip(cumsum(flip(in[0], 1), 0), 0), flip(in[0](slice(none, 20)), 0)};
  });
}

// Of a tall matrix triangles are sent; signs are those of the whole.
TEST(Along, FactorsOfATallMatrixSendTriangles) {
  Mesh mesh = grid({4}, "x");
  auto factors = [](const Arrays& in) {
    const lax::linalg::Qr f = lax::linalg::qr(in[0], false);
    return Arrays{f.q, f.r};
  };
  for (const DType dtype : {float32, float64, complex64})
    for (const Shape& shape : {Shape{32, 5}, Shape{30, 5}, Shape{20, 5}, Shape{17, 1}, Shape{3, 24, 4}}) {
      const PartitionSpec cut = shape.ndim() == 2 ? P("x") : P(none, "x");
      const LocalProgram local = check_placed({type(shape, dtype)}, {cut}, mesh, factors);
      const std::int64_t n = shape.back(), matrices = shape.ndim() == 2 ? 1 : shape[0];
      EXPECT_LE(total_bytes(local), static_cast<double>(matrices * dtype.size()) * (3. * n * n + 1.5 * n))
          << explain(local);
    }
  // Blocks that are not tall, all columns of q, rows over two axes, a gradient.
  check_placed({type({12, 8})}, {P("x")}, mesh, factors);
  check_placed({type({12, 3})}, {P("x")}, mesh, [](const Arrays& in) {
    const lax::linalg::Qr f = lax::linalg::qr(in[0], true);
    return Arrays{f.q, f.r};
  });
  check_placed({type({24, 3})}, {P(axes("x", "y"))}, grid({2, 3}, {"x", "y"}), factors);
  check_placed({type({24, 3})}, {P("x")}, mesh, [](const Arrays& in) {
    return Arrays{grad([](const Array& x) {
      const lax::linalg::Qr f = lax::linalg::qr(x, false);
      return sum(f.r * f.r * 0.5f + f.r) + sum(f.q * sin(x));
    })(in[0])};
  });
}

// Each row has an element of the diagonal, and a matrix with a given one has it where rows and columns agree.
TEST(Along, DiagonalsStayInBlocks) {
  Mesh mesh = grid({4}, "x");
  for (const PartitionSpec& cut : {P("x"), P(none, "x")}) {
    const LocalProgram local = check_placed({type({16, 16}), type({16})}, {cut, P("x")}, mesh, [](const Arrays& in) {
      return Arrays{trace(in[0]), diagonal(in[0]) * in[1], grad([](const Array& x) { return trace(x * x); })(in[0])};
    });
    EXPECT_EQ(total_bytes(local), 2 * 0.75 * 4) << explain(local);
    for (const Shape& shape : {Shape{16, 12}, Shape{13, 17}, Shape{8, 8}})
      for (std::int64_t offset : {0, 1, -3, 5})
        check_placed({type(shape)}, {cut}, mesh, [=](const Arrays& in) {
          auto weighted = [=](const Array& x) { return sum(square(diagonal(x, offset))); };
          return Arrays{diagonal(in[0], offset), trace(in[0], offset), grad(weighted)(in[0])};
        });
  }
  check_placed({type({3, 8, 6})}, {P(none, "x", "y")}, grid({2, 3}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{diagonal(in[0], 0, 1, 2), diagonal(in[0], 1, -1, -2),
                  vmap([](const Array& x) { return trace(x) * x; })(in[0])};
  });
}

Array whole_fft(const Array& x) { return fft::fftn(lax::complex(x, x * 0.5f)); }

// Two dims of which one is cut: blocks are exchanged once each way.
TEST(Along, TransformsOfSeveralDimsExchangeBlocks) {
  Mesh mesh = grid({4}, "x");
  const double exchange = 8.0 * 16 * 24 / 4 * 3 / 4;  // complex64[16, 24]
  const LocalProgram there =
      check_placed({type({16, 24})}, {P("x")}, mesh, [&](const Arrays& in) { return Arrays{whole_fft(in[0])}; });
  EXPECT_LE(total_bytes(there), 9 * exchange) << explain(there);  // the result is whole
  auto back = [&](const Arrays& in) {
    const Array k = fft::fftfreq(16), power = expand_dims(k * k, 1) + 1.f;
    const Array x = lax::real(fft::ifftn(whole_fft(in[0]) * power));
    return Arrays{sum(x * x, 1)};
  };
  const LocalProgram both = check_placed({type({16, 24})}, {P("x")}, mesh, back);
  EXPECT_LE(total_bytes(both), 2 * exchange + 2 * 4.0 * 16) << explain(both);
  for (const Shape& shape : {Shape{16, 24}, Shape{15, 21}, Shape{8, 6, 10}, Shape{3, 16, 8}})
    for (int d = 0; d < shape.ndim(); ++d) {
      std::vector<PartitionSpec> cut{P("x"), P(none, "x"), P(none, none, "x")};
      check_placed({type(shape)}, {cut[static_cast<std::size_t>(d)]}, mesh, [&](const Arrays& in) {
        const Array y = fft::rfftn(in[0]);
        const Array z = fft::irfftn(y * 0.5f, {.s = shape.dims()});
        return Arrays{z, abs(y), lax::real(fft::ifft2(whole_fft(in[0]))),
                      grad([](const Array& x) { return sum(square(abs(fft::fft2(x)))); })(in[0])};
      });
    }
  // What is done to real and imaginary parts in between: a real transform there, one back, and a complex one.
  const LocalProgram parts = check_placed({type({16, 24})}, {P("x")}, mesh, [](const Arrays& in) {
    const Array y = fft::rfft2(in[0]), k = fft::rfftfreq(24);
    return Arrays{sum(fft::irfft2(lax::complex(zeros_like(k), k) * y) * fft::irfft2(y * k), 1)};
  });
  EXPECT_LE(total_bytes(parts), 3 * 8.0 * 16 * 16 / 4 * 3 / 4 + 2 * 4.0 * 16) << explain(parts);
  // Pencils: two cut dims.
  check_placed({type({8, 6, 12})}, {P("x", "y")}, grid({2, 3}, {"x", "y"}), [&](const Arrays& in) {
    return Arrays{lax::real(fft::ifftn(whole_fft(in[0]) * 2.f)), fft::rfftn(in[0])};
  });
}

// Where only the batch is cut nothing changes.
TEST(Along, TransformsOfABatchStayWhole) {
  const LocalProgram local = check_placed({type({8, 6, 12})}, {P("x")}, grid({4}, "x"),
                                          [](const Arrays& in) { return Arrays{abs(fft::fft2(in[0]))}; });
  EXPECT_EQ(total_bytes(local), 0) << explain(local);
  std::size_t transforms = 0, at = 0;
  const std::string text = str(*local.program);
  while ((at = text.find("= fft", at + 1)) != std::string::npos) ++transforms;
  EXPECT_EQ(transforms, 1u) << text;
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
