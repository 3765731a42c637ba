// Operations of the user's are operations: under every transformation, at every placement.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Arrays = std::vector<Array>;
using Types = std::vector<ShapeDtypeStruct>;
using In = std::span<const OpOperand>;
using Out = std::span<const OpResult>;

void cubes(In in, Out out) {
  std::ranges::transform(in[0].as<float>(), out[0].as<float>().begin(), [](float v) { return v * v * v; });
}
Types as_first(const Types& x) { return {x.at(0)}; }
Arrays slopes_of_cubes(const Arrays& x, const Arrays&, const Arrays& dx) { return {3 * square(x[0]) * dx[0]}; }
Arrays cubes_by_products(const Arrays& x) { return {x[0] * x[0] * x[0]}; }

// x[b t] . w[t] by blocks of any size, whose results are added up.
Types weighted_type(const Types& x) {
  if (x.at(0).shape.ndim() != 2) throw std::invalid_argument("weighted takes a matrix");
  return {ShapeDtypeStruct({x[0].shape[0]}, x[0].dtype)};
}
std::mutex seen_mutex;
std::vector<Shape> seen;  // shapes of the blocks that weighted was called on
void weighted(In in, Out out) {
  {
    std::lock_guard lock(seen_mutex);
    seen.push_back(in[0].shape());
  }
  const auto x = in[0].as<float>(), w = in[1].as<float>();
  const auto y = out[0].as<float>();
  for (std::size_t b = 0; b < y.size(); ++b) {
    y[b] = 0;
    for (std::size_t t = 0; t < w.size(); ++t) y[b] += x[b * w.size() + t] * w[t];
  }
}
const DefinedOp& weighted_op() {
  static const DefinedOp op = define_op({
      .name = "weighted",
      .result_types = weighted_type,
      .compute = weighted,
      .vjp =
          [](const Arrays& in, const Arrays&, const Arrays& g) {
            return Arrays{expand_dims(g[0], 1) * in[1], matmul(g[0], in[0])};
          },
      .factors = "b t+, t+ -> b",
  });
  return op;
}

DefinedOp cube_with(OpDefinition d) {
  d.name = "cube";
  d.result_types = as_first;
  d.compute = cubes;
  return define_op(std::move(d));
}
void expect_equal(const Array& got, const Array& wanted) {
  EXPECT_EQ(got.shape(), wanted.shape());
  EXPECT_EQ(got.dtype(), wanted.dtype());
  EXPECT_TRUE(allclose(got, wanted, 1e-5, 1e-6).item<bool>()) << got << "\n" << wanted;
}

TEST(DefineOp, IsAnOperationInEveryProgram) {
  const DefinedOp cube = cube_with({});
  const Array x = array({1.f, -2.f, 3.f}), wanted = x * x * x;
  expect_equal(cube(x), wanted);
  expect_equal(jit([&](const Array& x) { return cube(x + 0) * 1; })(x), wanted);
  expect_equal(jit([&](const Array& x) {
                 return lax::fori_loop(
                     0, 2, [&](const Array&, const Array& c) { return cube(c) / 9; }, x);
               })(x),
               power(power(x, 3) / 9, 3) / 9);
  expect_equal(lax::cond(
                   array(true), [&](const Array& x) { return cube(x); }, [](const Array& x) { return x; }, x),
               wanted);
  EXPECT_EQ(cube.name(), "cube");
}

TEST(DefineOp, DerivativesFromEachOfThreeRules) {
  const Array x = array({1.f, -2.f, 3.f});
  const std::vector<DefinedOp> all = {cube_with({.jvp = slopes_of_cubes}), cube_with({.expression = cubes_by_products}),
                                      cube_with({.vjp = [](const Arrays& x, const Arrays&, const Arrays& g) {
                                        return Arrays{3 * square(x[0]) * g[0]};
                                      }})};
  for (std::size_t k = 0; k < all.size(); ++k) {
    SCOPED_TRACE(k);
    auto total = [&](const Array& x) { return all[k](x).sum(); };
    expect_equal(grad(total)(x), 3 * x * x);
    expect_equal(jit(grad(total))(x), 3 * x * x);
    expect_equal(vmap(grad(total))(stack({x, 2 * x})), stack({3 * x * x, 12 * x * x}));
    expect_equal(grad([&](const Array& x) { return vmap(all[k])(x.reshape(3, 1)).sum(); })(x), 3 * x * x);
    expect_equal(grad([&](const Array& x) { return grad(total)(x).sum(); })(x), 6 * x);
    if (k < 2)
      expect_equal(jvp([&](const Array& x) { return all[k](x); }, std::tuple{x}, std::tuple{x}).second, 3 * x * x * x);
  }
  EXPECT_THROW(grad([op = cube_with({})](const Array& x) { return op(x).sum(); })(x), Error);
}

TEST(DefineOp, MapsByElementsByExpressionOrByRule) {
  std::atomic<int> calls = 0;
  auto counted = [&](In in, Out out) {
    ++calls;
    cubes(in, out);
  };
  const Array x = arange(6.f).reshape(3, 2);
  const DefinedOp one = define_op({.name = "one", .result_types = as_first, .compute = counted});
  expect_equal(vmap(one)(x), x * x * x);
  EXPECT_EQ(calls, 3);
  expect_equal(vmap(vmap(one))(x), x * x * x);
  EXPECT_EQ(calls, 9);
  calls = 0;
  const DefinedOp known =
      define_op({.name = "known", .result_types = as_first, .compute = counted, .expression = cubes_by_products});
  expect_equal(jit(vmap(known))(x), x * x * x);
  EXPECT_EQ(calls, 0);
  const DefinedOp whole =
      define_op({.name = "whole",
                 .result_types = as_first,
                 .compute = counted,
                 .batch = [&](std::int64_t size, const Arrays& in, const std::vector<bool>& mapped) {
                   EXPECT_EQ(size, 3);
                   EXPECT_TRUE(mapped.at(0));
                   return Arrays{power(in[0], 3)};
                 }});
  expect_equal(vmap(whole)(x), x * x * x);
  // An operand that is the same for all.
  const Array w = array({2.f, 3.f}), m = arange(12.f).reshape(3, 2, 2);
  expect_equal(vmap([&](const Array& x) { return weighted_op()(x, w); })(m), matmul(m, w));
}

class DefineOpOnDevices : public ::testing::TestWithParam<Isolation> {
 protected:
  void SetUp() override {
    set_cpu_devices(8);
    config::isolation(GetParam());
  }
  void TearDown() override { config::isolation(Isolation::shared); }
};

TEST_P(DefineOpOnDevices, BlocksByItsFactors) {
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  const Array x = arange(64.f).reshape(8, 8), w = arange(8.f);
  const Array wanted = matmul(x, w);
  struct Case {
    PartitionSpec x, w;
    Shape block;
  };
  for (const Case& c :
       {Case{P("x"), P(), {2, 8}}, Case{P("x", "y"), P("y"), {2, 4}}, Case{P(none, "x"), P("x"), {8, 2}}}) {
    const Array a = device_put(x, NamedSharding(mesh, c.x)), b = device_put(w, NamedSharding(mesh, c.w));
    seen.clear();
    expect_equal(jit([](const Array& x, const Array& w) { return weighted_op()(x, w) * 1; })(a, b), wanted);
    ASSERT_FALSE(seen.empty());
    for (const Shape& s : seen) {
      if (GetParam() == Isolation::per_device) {  // devices that share memory have the whole computed at once
        EXPECT_EQ(s, c.block);
      }
    }
    auto total = [](const Array& x, const Array& w) { return square(weighted_op()(x, w)).sum(); };
    const auto [dx, dw] = jit(grad<0, 1>(total))(a, b);
    expect_equal(dx, expand_dims(2 * wanted, 1) * w);
    EXPECT_TRUE(allclose(dw, matmul(2 * wanted, x), 1e-5, 1e-3).item<bool>());
  }
}

TEST_P(DefineOpOnDevices, InManualRegions) {
  const Mesh mesh = make_mesh({4}, {"x"});
  const Array x = arange(32.f).reshape(8, 4), w = arange(4.f);
  auto local = [](const Array& x, const Array& w) { return weighted_op()(x, w); };
  seen.clear();
  expect_equal(shard_map(local, {.mesh = mesh, .in_specs = {P("x"), P()}, .out_specs = P("x")})(x, w), matmul(x, w));
  for (const Shape& s : seen) EXPECT_EQ(s, Shape({2, 4}));
}

INSTANTIATE_TEST_SUITE_P(Isolations, DefineOpOnDevices, ::testing::Values(Isolation::shared, Isolation::per_device));

TEST(DefineOp, SeveralResultsOfOtherTypes) {
  const DefinedOp parts = define_op({
      .name = "parts",
      .result_types =
          [](const Types& x) {
            return Types{x[0], ShapeDtypeStruct({x[0].shape[0]}, int32)};
          },
      .compute =
          [](In in, Out out) {
            for (std::size_t i = 0; i < in[0].as<float>().size(); ++i) {
              const float v = in[0].as<float>()[i], whole = std::floor(v);
              out[0].as<float>()[i] = v - whole;
              out[1].as<std::int32_t>()[i] = static_cast<std::int32_t>(whole);
            }
          },
      .factors = "n -> n, n",
  });
  const Arrays out = jit([&](const Array& x) { return parts.results({x}); })(array({1.5f, -0.25f}));
  expect_equal(out.at(0), array({.5f, .75f}));
  expect_equal(out.at(1), array({1, -1}));
  EXPECT_THROW(parts(ones({2})), ValueError);
}

TEST(DefineOp, ErrorsNameTheOperation) {
  const Array x = ones({2, 3});
  auto text_of = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  // What the user's functions throw comes out as it is, from compiled programs and loops, too.
  struct Mine {};
  const DefinedOp throws =
      define_op({.name = "throws", .result_types = as_first, .compute = [](In, Out) { throw Mine{}; }});
  EXPECT_THROW(throws(x), Mine);
  EXPECT_THROW(jit([&](const Array& x) { return throws(x) + 1; })(x), Mine);
  EXPECT_THROW(jit([&](const Array& x) { return lax::map(throws, x); })(x), Mine);
  EXPECT_THROW(weighted_op()(ones({2}), ones({2})), std::invalid_argument);
  // Elements of another dtype.
  EXPECT_THROW(cube_with({})(arange(3)), TypeError);
  // Rules that return something else.
  auto loss = [](const DefinedOp& op) { return [op](const Array& x) { return op(x).sum(); }; };
  EXPECT_THROW(grad(loss(cube_with({.jvp = [](auto&&...) { return Arrays{}; }})))(x), ValueError);
  EXPECT_THROW(grad(loss(cube_with({.jvp = [](auto&&...) { return Arrays{ones({2})}; }})))(x), ShapeError);
  EXPECT_THROW(grad(loss(cube_with({.vjp = [](auto&&...) { return Arrays{ones({2})}; }})))(x), ShapeError);
  EXPECT_THROW(vmap(cube_with({.batch = [](auto&&...) { return Arrays{ones({7})}; }}))(x), ShapeError);
  // Factors that do not fit.
  for (const char* wrong : {"i", "i -> j -> k", "i? -> i", "i -> i+"})
    EXPECT_THROW(cube_with({.factors = wrong}), ValueError) << wrong;
  const std::string text = text_of([&] {
    jit([&](const Array& x) { return cube_with({.factors = "i -> i"})(x) * 1; })(
        device_put(x, NamedSharding(make_mesh({2}, {"x"}), P("x"))));
  });
  EXPECT_NE(text.find("cube"), std::string::npos) << text;
  // Definitions that lack something.
  EXPECT_THROW(define_op({}), ValueError);
  EXPECT_THROW(define_op({.name = "a"}), ValueError);
  EXPECT_THROW(define_op({.name = "a", .result_types = as_first}), ValueError);
  EXPECT_THROW(cube_with({.jvp = slopes_of_cubes, .vjp = slopes_of_cubes}), ValueError);
}

TEST(DefineOp, AnExpressionAloneWillDo) {
  const DefinedOp cube = define_op({.name = "cube", .result_types = as_first, .expression = cubes_by_products});
  const Array x = array({1.f, -2.f});
  expect_equal(jit(cube)(x), x * x * x);
  expect_equal(grad([&](const Array& x) { return cube(x).sum(); })(x), 3 * x * x);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
