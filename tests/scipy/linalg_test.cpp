// Functions of matrices, Sylvester's equation, Toeplitz systems and matrices of a pattern beside SciPy and JAX
// (users-3, 9): values recorded by tools/record_scipy.py.
#include "scipy/check.hpp"
#include "tutti/linalg/matrix_functions.hpp"
#include "tutti/linalg/special_matrices.hpp"

namespace tutti {
namespace {

using C = std::complex<float>;
float off(const Array& x, const Array& y) { return float(max(abs(x - y))); }
Array adjoint_of(const Array& x) { return conj(swapaxes(x, -1, -2)); }

TEST(MatrixFunctions, SchurAndHessenbergForms) {  // users-3, 9
  const Array a = recorded("a"), two = stack({a, recorded("a").T()});
  for (const char* output : {"real", "complex"}) {
    const auto [t, z] = linalg::schur(two, output);
    EXPECT_EQ(t.dtype(), output[0] == 'r' ? DType(float32) : DType(complex64));
    EXPECT_LT(off(matmul(matmul(z, t), adjoint_of(z)), two), 1e-5f);
    EXPECT_LT(off(matmul(z, adjoint_of(z)), eye(4)), 2e-6f);
    EXPECT_EQ(off(triu(t, output[0] == 'r' ? -1 : 0), t), 0);
  }
  const linalg::Schur real_form = linalg::schur(recorded("turn"));
  const auto [t, z] = linalg::rsf2csf(real_form.t, real_form.z);
  EXPECT_LT(off(matmul(matmul(z, t), adjoint_of(z)), recorded("turn")), 1e-5f);
  EXPECT_EQ(off(triu(t), t), 0);
  const auto [h, q] = linalg::hessenberg_and_q(two);
  EXPECT_LT(off(matmul(matmul(q, h), adjoint_of(q)), two), 1e-5f);
  EXPECT_EQ(off(triu(h, -1), h), 0);
  expect_recorded("hessenberg", linalg::hessenberg(a), 1e-5);
}

TEST(MatrixFunctions, RootsAndOtherFunctions) {  // users-3, 9
  const Array a = recorded("a"), turn = recorded("turn");
  expect_recorded("sqrtm 0", linalg::sqrtm(a), 1e-5);
  expect_recorded("sqrtm 1", linalg::sqrtm(turn), 1e-5);
  expect_recorded("sqrtm 2", linalg::sqrtm(diag(array({4.f, 0.f, 0.f}))), 1e-5);
  expect_recorded("funm 0", linalg::funm(a, [](const Array& w) { return sin(w); }), 2e-5);
  expect_recorded("funm 1", linalg::funm(turn, [](const Array& w) { return exp(w); }), 2e-5);
  const linalg::ExpmFrechet e = linalg::expm_frechet(a / 4, outer(a[0], a[1]));
  expect_recorded("expm_frechet 0", e.expm, 1e-5);
  expect_recorded("expm_frechet 1", e.derivative, 1e-5);
  EXPECT_LT(off(vmap([](const Array& m) { return linalg::sqrtm(m); })(stack({a, a}))[1], linalg::sqrtm(a)), 1e-5f);
  EXPECT_LT(off(linalg::sqrtm(stack({a, a}))[1], linalg::sqrtm(a)), 1e-5f);
  // d root = the x of root x + x root = da; by differences too.
  const Array direction = outer(a[0], a[1]);
  auto root_of = [](const Array& m) { return real(linalg::sqrtm(m)); };
  const Array slope = std::get<1>(jvp(root_of, std::tuple{a}, std::tuple{direction}));
  EXPECT_LT(off(slope, (root_of(a + 1e-2f * direction) - root_of(a - 1e-2f * direction)) / 2e-2f), 2e-3f);
  const Array g = grad([&](const Array& m) { return sum(root_of(m) * direction); })(a);
  EXPECT_NEAR(float(sum(g * direction)), float(sum(slope * direction)), 1e-4);
  auto along = [&](const Array& s) { return sum(root_of(a + s * direction)); };
  const float twice = float(grad(grad(along))(0.f)), h = .05f;
  EXPECT_NEAR(twice, float((along(h) - 2 * along(0.f) + along(-h)) / (h * h)), .1f * std::abs(twice) + .02f);
}

TEST(MatrixFunctions, PolarFactors) {  // users-3, 9
  for (const std::string side : {"right", "left"}) {
    const auto [u, p] = linalg::polar(recorded("a"), side);
    expect_recorded("polar " + side + " 0", u, 1e-5);
    expect_recorded("polar " + side + " 1", p, 1e-5);
    const auto [v, q] = linalg::polar(recorded("c"), side);
    expect_recorded("polar " + side + " 2", v, 1e-5);
    expect_recorded("polar " + side + " 3", q, 1e-5);
  }
}

TEST(MatrixFunctions, SylvestersEquation) {  // users-3, 9
  const Array a = recorded("a"), b = recorded("b"), c = recorded("c"), turn = recorded("turn");
  expect_recorded("sylvester 0", linalg::solve_sylvester(a, b, c), 1e-5);
  expect_recorded("sylvester 1", linalg::solve_sylvester(turn, 3 * b, turn), 2e-5);
  const Array x = linalg::solve_sylvester(C(0, 1) * stack({a, 2 * a}), b, c);
  EXPECT_LT(off(C(0, 1) * matmul(2 * a, x[1]) + matmul(x[1], b), c), 1e-5f);
  // By all three arguments: the differential is another solution.
  auto f = [](const Array& a, const Array& b, const Array& c) { return linalg::solve_sylvester(a, b, c); };
  const Array da = sin(a), db = cos(b), dc = c * c;
  const auto [y, dy] = jvp(f, std::tuple{a, b, c}, std::tuple{da, db, dc});
  EXPECT_LT(off(matmul(a, dy) + matmul(dy, b), dc - matmul(da, y) - matmul(y, db)), 2e-5f);
  const auto [ga, gb, gc] =
      grad<0, 1, 2>([&](const Array& a, const Array& b, const Array& c) { return sum(f(a, b, c) * dc); })(a, b, c);
  EXPECT_NEAR(float(sum(ga * da) + sum(gb * db) + sum(gc * dc)), float(sum(dy * dc)), 1e-4);
}

TEST(MatrixFunctions, ToeplitzSystems) {  // users-3, 9
  const Array t = recorded("t"), r = recorded("r"), a = recorded("a");
  expect_recorded("toeplitz 0", linalg::solve_toeplitz(t, r, a[0]), 1e-5);
  expect_recorded("toeplitz 1", linalg::solve_toeplitz(t, r, a), 1e-5);
  expect_recorded("toeplitz 2", linalg::solve_toeplitz(t, a[0]), 1e-5);
  auto dense = [&](const Array& t, const Array& b) { return sum(square(linalg::solve(linalg::toeplitz(t, r), b))); };
  auto fast = [&](const Array& t, const Array& b) { return sum(square(linalg::solve_toeplitz(t, r, b))); };
  const auto [gt, gb] = grad<0, 1>(fast)(t, a[0]);
  const auto [wt, wb] = grad<0, 1>(dense)(t, a[0]);
  EXPECT_LT(off(gt, wt), 1e-5f);
  EXPECT_LT(off(gb, wb), 1e-5f);
  const auto [w, v] = linalg::eigh_tridiagonal(t, r(slice(1, none)));
  expect_recorded("eigh_tridiagonal", w, 1e-5);
  const auto [product, upper] = linalg::qr_multiply(a, recorded("c"), "left");
  EXPECT_LT(off(product, matmul(linalg::qr(a).q, recorded("c"))), 1e-5f);
  EXPECT_EQ(upper.shape(), (Shape{4, 4}));
}

TEST(SpecialMatrices, OfVectors) {  // users-3, 9
  const Array t = recorded("t"), r = recorded("r"), three = r(slice(0, 3));
  expect_recorded("circulant 0", linalg::circulant(t));
  expect_recorded("circulant 1", linalg::hankel(t));
  expect_recorded("circulant 2", linalg::hankel(t, three));
  expect_recorded("circulant 3", linalg::companion(t));
  expect_recorded("circulant 4", linalg::fiedler(t));
  expect_recorded("circulant 5", linalg::leslie(t, three));
  for (const int n : {1, 2, 3, 4, 6, 7})
    expect_recorded("fiedler_companion " + std::to_string(n), linalg::fiedler_companion(arange(2.f, n + 3.f)));
  const std::pair<int, int> sizes[] = {{4, 6}, {4, 4}, {3, 2}, {1, 3}};
  for (const std::string mode : {"full", "same", "valid"})
    for (std::size_t i = 0; i < 4; ++i)
      expect_recorded("convolution_matrix " + mode + " " + std::to_string(i),
                      linalg::convolution_matrix(t(slice(0, sizes[i].first)), sizes[i].second, mode));
  EXPECT_EQ(linalg::circulant(stack({t, t})).shape(), (Shape{2, 4, 4}));
  EXPECT_EQ(linalg::companion(stack({t, t})).shape(), (Shape{2, 3, 3}));
}

TEST(SpecialMatrices, OfAnOrder) {  // users-3, 9
  expect_recorded("dft 0", linalg::dft(5));
  expect_recorded("dft 1", linalg::dft(6, "sqrtn"));
  expect_recorded("dft 2", linalg::dft(4, "n"));
  expect_recorded("orders 0", linalg::hadamard(8, float32));
  EXPECT_EQ(linalg::hadamard(4).dtype(), int32);
  expect_recorded("orders 1", linalg::helmert(5));
  expect_recorded("orders 2", linalg::helmert(4, true));
  expect_recorded("orders 3", linalg::hilbert(4));
  expect_recorded("orders 4", linalg::invhilbert(6));
  int i = 5;
  for (const char* kind : {"symmetric", "lower", "upper"})
    expect_recorded("orders " + std::to_string(i++), linalg::pascal(6, kind));
  for (const char* kind : {"symmetric", "lower", "upper"})
    expect_recorded("orders " + std::to_string(i++), linalg::invpascal(6, kind));
}

TEST(MatrixFunctions, WrongArguments) {  // users-3, 9
  const Array wide = ones({2, 3}), v = ones({3});
  expect_thrown<ShapeError>([&] { linalg::sqrtm(wide); }, {"sqrtm", "float32[2,3]"});
  expect_thrown<ShapeError>([&] { linalg::schur(wide); }, {"schur", "float32[2,3]"});
  expect_thrown<ValueError>([&] { linalg::schur(eye(2), "complx"); }, {"complex"});
  expect_thrown<ShapeError>([&] { linalg::solve_sylvester(eye(2), eye(3), ones({3, 2})); }, {"float32[3,2]"});
  expect_thrown<ShapeError>([&] { linalg::solve_toeplitz(v, v, ones({2})); }, {"solve_toeplitz", "float32[2]"});
  expect_thrown<ShapeError>([&] { linalg::companion(ones({1})); }, {"companion", "float32[1]"});
  expect_thrown<ShapeError>([&] { linalg::leslie(v, v); }, {"leslie", "float32[3]"});
  expect_thrown<ValueError>([&] { linalg::hadamard(6); }, {"power of 2"});
  expect_thrown<ValueError>([&] { linalg::pascal(0); }, {"order is 0"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
