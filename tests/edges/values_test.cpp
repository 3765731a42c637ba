// Values and gradients at the edges of types: 16-bit floats, subnormal numbers, infinities, places out of range.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// bugreports-3, 13
TEST(HalfFloats, NormsAreTakenInFloat32) {
  const Array x = full({3, 3}, 100.f, float16), tiny = full({4}, 1e-5f, float16);
  EXPECT_EQ(float(linalg::norm(x)), 300);
  EXPECT_EQ(float(linalg::vector_norm(x)), 300);
  EXPECT_EQ(float(linalg::matrix_norm(x, "fro")), 300);
  EXPECT_EQ(float(linalg::norm(full({3}, 100.f, float16), 3)), float(array(144.2249570f).astype(float16)));
  EXPECT_EQ(linalg::norm(x).dtype(), float16);
  EXPECT_NEAR(float(linalg::norm(tiny)), 2e-5, 1e-6);
  EXPECT_EQ(float(grad([](const Array& v) { return linalg::norm(v); })(x)(0, 0)),
            float(array(1 / 3.f).astype(float16)));
  for (const int axis : {0, 1}) EXPECT_NEAR(float(linalg::norm(x, 2, axis)(0)), 173.2, 0.1);
  const Array wide = array({-1000.f, 1000.f}).astype(float16);
  EXPECT_EQ(float(std_(wide)), 1000);
  EXPECT_EQ(float(std_with(wide, {})), 1000);
  EXPECT_NEAR(float(std_(array({0.f, 2e-5f}).astype(float16))), 1e-5, 1e-6);
  EXPECT_EQ(float(optim::global_norm(std::pair{x, x})), float(array(424.264f).astype(float16)));
  EXPECT_NEAR(float(optim::safe_norm(tiny, 1e-7)), 2e-5, 1e-6);
  auto clip = optim::clip_by_global_norm(3);
  const Array clipped = clip.update(x, clip.init(x)).first;
  EXPECT_NEAR(float(clipped(0, 0)), 1, 1e-3);
  EXPECT_NEAR(float(optim::cosine_similarity(x(0), x(1))), 1, 1e-3);
}

// bugreports-3, 14
TEST(Norms, OfLargeMeansWithoutFastVariance) {
  const Array x = random::normal(random::key(0), {4, 6, 64}) + 1e4f;
  auto deviation = [&](const auto& layer) {
    const auto [y, variables] = linen::init_with_output(layer, random::key(1), x);
    return float(std_(y));
  };
  EXPECT_NEAR(deviation(linen::LayerNorm{.use_fast_variance = false}), 1, 2e-2);
  EXPECT_NEAR(deviation(linen::GroupNorm{.num_groups = 8, .use_fast_variance = false}), 1, 2e-2);
  EXPECT_NEAR(deviation(linen::BatchNorm{.use_fast_variance = false}), 1, 2e-2);
}

// hostile-3, N1: LAPACK and NumPy give {1, 2}.
template <class T> void expect_subnormal_pivots(T t) {
  const DType dtype = sizeof(T) == 4 ? DType(float32) : DType(float64);
  for (const int n : {2, 3, 8, 31, 40, 100}) {
    SCOPED_TRACE(n);
    Array a = eye(n, dtype) * t;
    a = a.at({1, 0}).set(t / 2).at({0, 1}).set(t / 4);
    const Array x = arange(1., n + 1., dtype), b = matmul(a, x);
    EXPECT_TRUE(bool(allclose(linalg::solve(a, b), x, 1e-3, 0))) << linalg::solve(a, b);
    const Array stack = broadcast_to(a, {20, n, n}), rows = broadcast_to(b, {20, n});
    EXPECT_TRUE(bool(
        allclose(vmap([](const Array& m, const Array& v) { return linalg::solve(m, v); })(stack, rows), x, 1e-3, 0)));
    EXPECT_NEAR(float(linalg::slogdet(a).logabsdet), n * std::log(static_cast<double>(t)) + std::log(7. / 8), 0.05);
    EXPECT_TRUE(bool(all(isfinite(linalg::det(a)))));
    EXPECT_TRUE(bool(all(isfinite(lax::linalg::lu(stack).lu))));
  }
}
TEST(Pivots, ThatAreSubnormal) {
  expect_subnormal_pivots<float>(2e-39f);
  enable_x64(true);
  expect_subnormal_pivots<double>(1e-310);
  enable_x64(false);
}

// bugreports-3, 11; values of JAX 0.10.2.
TEST(ComplexPowers, OfInfinityAndZero) {
  using C = std::complex<float>;
  const float inf = INFINITY;
  struct Case {
    C x, y, z;
  };
  for (const Case& c : std::vector<Case>{{{inf, 0}, {1.5f, 0}, {inf, 0}},
                                         {{inf, 0}, {.5f, 0}, {inf, 0}},
                                         {{inf, 0}, {-1, 0}, {0, 0}},
                                         {{inf, 0}, {-2, 0}, {0, 0}},
                                         {{inf, 0}, {-.5f, 0}, {0, 0}},
                                         {{inf, 0}, {1, 0}, {inf, 0}},
                                         {{inf, 0}, {0, 0}, {1, 0}},
                                         {{0, 0}, {1.5f, 0}, {0, 0}},
                                         {{0, 0}, {0, 0}, {1, 0}}}) {
    const Array x = array({c.x, c.x, c.x}), y = array({c.y, c.y, c.y});
    for (const Array& z : {power(x, y), jit([](const Array&a, const Array&b) { return power(a, b); })(x, y)})
      EXPECT_EQ(z.to_vector<C>()[1], c.z) << c.x << " ** " << c.y;
  }
  for (const Case& c : std::vector<Case>{{{-inf, 0}, {1.5f, 0}, {}},
                                         {{0, inf}, {2, 0}, {}},
                                         {{inf, 0}, {0, 1}, {}},
                                         {{0, 0}, {-1, 0}, {}},
                                         {{0, 0}, {0, 1}, {}}}) {
    const C z = power(array(std::vector<C>{c.x}), array(std::vector<C>{c.y})).to_vector<C>()[0];
    EXPECT_TRUE(std::isnan(z.real()) && std::isnan(z.imag())) << c.x << " ** " << c.y << " = " << z;
  }
}

// Values of Flax, with both ways to compute a variance.
TEST(Norms, OfBothVariancesAsFlax) {
  const Array x = sin(arange(24.f).reshape(2, 3, 4) * 1.7f) * 2 + 30;
  auto expect_values = [&](const auto& layer, const std::vector<float>& first) {
    const std::vector<float> y = linen::init_with_output(layer, random::key(0), x).first.template to_vector<float>();
    // The fast one cancels: mean(x^2) is about 900 for variances of about 2.
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_NEAR(y[i], first[i], layer.use_fast_variance ? 5e-4 : 2e-5) << i;
  };
  expect_values(linen::LayerNorm{.use_fast_variance = true}, {0.0688639134f, 1.50886989f, -0.302209377f, -1.27552021f,
                                                              0.7558828f, 1.21559429f, -1.0474664f, -0.924012184f});
  expect_values(linen::LayerNorm{.use_fast_variance = false}, {0.0688663647f, 1.50892353f, -0.302220106f, -1.27556562f,
                                                               0.755881429f, 1.21559215f, -1.04746449f, -0.924010456f});
  expect_values(linen::RMSNorm{.use_fast_variance = true}, {1.00210941f, 1.06835985f, 0.985037386f, 0.940258205f,
                                                            1.03237247f, 1.05265284f, 0.952817023f, 0.958263218f});
  expect_values(linen::RMSNorm{.use_fast_variance = false}, {1.00210941f, 1.06835985f, 0.985037386f, 0.940258205f,
                                                             1.03237247f, 1.05265284f, 0.952817023f, 0.958263218f});
  expect_values(linen::GroupNorm{.num_groups = 2, .use_fast_variance = true},
                {-1.76292419f, 1.20004272f, 1.12392163f, -1.05281556f, -0.286575496f, 0.622851193f, -0.319068432f,
                 -0.0536199249f});
  expect_values(linen::GroupNorm{.num_groups = 2, .use_fast_variance = false},
                {-1.76318038f, 1.20021713f, 1.12372696f, -1.05263317f, -0.28661713f, 0.622941673f, -0.319013149f,
                 -0.0536106341f});
  expect_values(linen::BatchNorm{.use_fast_variance = true}, {-1.8670001f, 1.28576791f, 1.38567865f, -1.42633808f,
                                                              -0.395469189f, 1.00809264f, -0.167562917f, -0.98601228f});
  expect_values(
      linen::BatchNorm{.use_fast_variance = false},
      {-1.86643767f, 1.28575623f, 1.38569641f, -1.42629445f, -0.395350039f, 1.00808346f, -0.167565063f, -0.98598206f});
}

// bugreports-3, 11, in complex128: values of JAX, and of NumPy for subnormal numbers, which JAX takes as 0.
TEST(ComplexPowers, OfDoubles) {
  using C = std::complex<double>;
  enable_x64(true);
  const double inf = INFINITY;
  struct Case {
    C x, y, z;
  };
  for (const Case& c : std::vector<Case>{{{inf, 0}, {.5, 0}, {inf, 0}},
                                         {{inf, 0}, {2.5, 0}, {inf, 0}},
                                         {{inf, 0}, {-1.5, 0}, {0, 0}},
                                         {{0, 0}, {.5, 0}, {0, 0}},
                                         {{0, -0.}, {2.5, 0}, {0, 0}},
                                         {{inf, 0}, {0, 0}, {1, 0}},
                                         {{2, -3}, {.5, 0}, {1.6741492280355401, -.895977476129838}},
                                         {{2, -3}, {-1.5, 0}, {.014088660197516917, .14538271075192702}},
                                         {{2, -3}, {0, 1}, {.7597404963163099, 2.5616204986595768}},
                                         {{-1, 0}, {1, 1}, {-.04321391826377225, 5.292178668034403e-18}},
                                         {{-2, 0}, {-1, -1}, {-8.900360488820244, 7.393003249711084}},
                                         {{1e308, 1e308}, {.5, 0}, {1.09868411346781e154, 4.5508986056222734e153}},
                                         {{1e308, 1e308}, {-.5, 0}, {7.768869870150185e-155, -3.2179712645279127e-155}},
                                         {{1e-310, 0}, {.5, 0}, {1.0000000000000027e-155, 0}},
                                         {{1e-310, 0}, {0, 1}, {-.7900863581414344, .6129955519241597}},
                                         {{0, 5e-324}, {.5, 0}, {1.5717277847025743e-162, 1.571727784702574e-162}}}) {
    for (const Array& z : {power(array(c.x), array(c.y)),
                           jit([](const Array&a, const Array&b) { return power(a, b); })(array(c.x), array(c.y))}) {
      const C got = z.to_vector<C>()[0];
      EXPECT_EQ(std::isinf(got.real()), std::isinf(c.z.real())) << c.x << " ** " << c.y << " = " << got;
      if (std::isinf(c.z.real())) continue;
      EXPECT_LE(std::abs(got - c.z), 4e-14 * std::abs(c.z)) << c.x << " ** " << c.y;
    }
  }
  // Integer exponents multiply; JAX's values, zeros with their signs, but no underflow on the way.
  auto integer = [](C x, int n) { return power(array(x), n).to_vector<C>()[0]; };
  EXPECT_EQ(integer({2, -3}, 3), C(-46, -9));
  EXPECT_EQ(integer({inf, 0}, -1), C(0, 0));
  EXPECT_TRUE(std::signbit(integer({-inf, 0}, -1).real()));
  EXPECT_EQ(integer({1e308, 1e308}, -1), C(5e-309, -5e-309));
  EXPECT_EQ(integer({0, inf}, -2), C(0, 0));
  EXPECT_EQ(integer({NAN, 0}, 0), C(1, 0));
  EXPECT_EQ(integer({0, -0.}, 0), C(1, 0));
  for (const C x : {C(0, 0), C(0, -0.)}) EXPECT_EQ(integer(x, -1).real(), inf);
  enable_x64(false);
}

// bugreports-3, 8; values of JAX: what is read is the nearest element, which has no derivative.
TEST(OutOfRange, ReadsHaveNoDerivative) {
  const Array x = arange(4.f), at = array({1, 7, -9});
  EXPECT_EQ(x(at).to_vector<float>(), (std::vector<float>{1, 3, 0}));
  const std::vector<float> expected{0, 1, 0, 0};
  auto gradient = [&](auto read) {
    return grad([&](const Array& v) { return read(v).sum(); })(x).template to_vector<float>();
  };
  EXPECT_EQ(gradient([&](const Array& v) { return v(at); }), expected);
  EXPECT_EQ(gradient([&](const Array& v) { return v[at]; }), expected);
  EXPECT_EQ(gradient([&](const Array& v) { return v.at({at}).get(); }), expected);
  EXPECT_EQ(gradient([&](const Array& v) { return v.at({at}).get(AtMode::fill, 0.f); }), expected);
  EXPECT_EQ(gradient([&](const Array& v) { return v.at({at}).get(AtMode::clip); }), (std::vector<float>{1, 1, 0, 1}));
  // A scalar index is clamped as that of dynamic_slice, derivative included.
  EXPECT_EQ(gradient([&](const Array& v) { return vmap([&](const Array& i) { return v(i); })(at); }),
            (std::vector<float>{1, 1, 0, 1}));
  const auto tangent = jvp([&](const Array& v) { return v(at); }, std::tuple{x}, std::tuple{ones_like(x)}).second;
  EXPECT_EQ(tangent.to_vector<float>(), (std::vector<float>{1, 0, 0}));
  const Array m = arange(12.f).reshape(3, 4), rows = array({0, 5}), columns = array({1, 2});
  const Array g = jit(grad([&](const Array& v) { return (v(rows, columns) * 2).sum(); }))(m);
  EXPECT_EQ(float(g.sum()), 2);
  EXPECT_EQ(float(g(0, 1)), 2);
  const Array h = grad([&](const Array& v) { return v(rows).sum(); })(m);
  EXPECT_EQ(h.sum(1).to_vector<float>(), (std::vector<float>{4, 0, 0}));
}

// hostile-3, L2 and L8; bugreports-3, 7
TEST(OutOfRange, BoundsAndExtents) {
  auto count = [](double to) {
    return lax::fori_loop(
        0, to, [](const Array&, const Array& c) { return c + 1; }, array(0));
  };
  EXPECT_EQ(int(count(3.)), 3);
  for (const double to : {1e30, static_cast<double>(INFINITY), static_cast<double>(NAN)})
    EXPECT_THROW(count(to), ValueError);
  EXPECT_ANY_THROW(nn::one_hot(array({0, 1}), (std::int64_t(1) << 33) | 1).sum());
  const auto [counts, edges] = histogram(zeros({0}), 3);
  EXPECT_EQ(counts.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_TRUE(bool(allclose(edges, linspace(0, 1, 4))));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
