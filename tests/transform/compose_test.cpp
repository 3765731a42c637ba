// Every ordered pair and triple of transformations, against exact derivatives by hyper-dual numbers and loops on the
// host.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "transform/loop_bases.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/jacobians.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/pmap.hpp"
#include "tutti/transform/shard_map.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {
namespace {

// A number with three independent infinitesimals: the coefficient of each product of them. Each level of
// differentiation takes its own.
struct Dual {
  std::array<double, 8> c{};
  Dual(double v = 0) { c[0] = v; }
  static Dual epsilon(int level) {
    Dual d;
    d.c[1u << level] = 1;
    return d;
  }
  // The coefficient of the level's infinitesimal, as a number in the others.
  Dual part(int level) const {
    Dual out;
    for (unsigned i = 0; i < 8; ++i)
      if (i >> level & 1) out.c[i & ~(1u << level)] = c[i];
    return out;
  }
};
Dual operator+(const Dual& a, const Dual& b) {
  Dual out;
  for (int i = 0; i < 8; ++i) out.c[i] = a.c[i] + b.c[i];
  return out;
}
Dual operator*(const Dual& a, const Dual& b) {
  Dual out;
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 8; ++j)
      if ((i & j) == 0) out.c[i | j] += a.c[i] * b.c[j];
  return out;
}
// Taylor's series ends with the third power of the infinitesimal part.
Dual series(const Dual& x, double f0, double f1, double f2, double f3) {
  Dual h = x;
  h.c[0] = 0;
  return Dual(f0) + Dual(f1) * h + Dual(f2 / 2) * h * h + Dual(f3 / 6) * h * h * h;
}
Dual sin(const Dual& x) { return series(x, std::sin(x.c[0]), std::cos(x.c[0]), -std::sin(x.c[0]), -std::cos(x.c[0])); }
Dual exp(const Dual& x) { return series(x, std::exp(x.c[0]), std::exp(x.c[0]), std::exp(x.c[0]), std::exp(x.c[0])); }

constexpr int n = 3;
using Vector = std::vector<Dual>;
using Host = std::function<Vector(const Vector&)>;
using Function = std::function<Array(const Array&)>;

const double w[n][n] = {{0.5, -0.3, 0.2}, {0.1, 0.4, -0.6}, {-0.2, 0.3, 0.7}}, c[n] = {0.7, -1.1, 0.4},
             v[n] = {0.3, 0.8, -0.5}, s[2] = {1.0, -0.6};

Array weights() {
  return array(std::vector<float>{0.5f, -0.3f, 0.2f, 0.1f, 0.4f, -0.6f, -0.2f, 0.3f, 0.7f}, Shape{n, n});
}
Array row(const double* x, int size) { return array(std::vector<float>(x, x + size), Shape{size}); }

Array base(const Array& x) { return sin(matmul(weights(), x)) * x + exp(x * -0.5f) * sum(x); }
Vector base_host(const Vector& x) {
  Vector out;
  Dual total = x[0] + x[1] + x[2];
  for (int i = 0; i < n; ++i) {
    Dual dot;
    for (int j = 0; j < n; ++j) dot = dot + Dual(w[i][j]) * x[j];
    out.push_back(sin(dot) * x[i] + exp(x[i] * Dual(-0.5)) * total);
  }
  return out;
}

Vector directional(const Host& f, const Vector& x, const Vector& direction, int level) {
  Vector moved;
  for (int i = 0; i < n; ++i) moved.push_back(x[i] + Dual::epsilon(level) * direction[i]);
  Vector out;
  for (const Dual& y : f(moved)) out.push_back(y.part(level));
  return out;
}
Vector along_v(const Host& f, const Vector& x, int level) { return directional(f, x, Vector(v, v + n), level); }
// c^T J
Vector against_c(const Host& f, const Vector& x, int level) {
  Vector out;
  for (int i = 0; i < n; ++i) {
    Vector e(n);
    e[static_cast<std::size_t>(i)] = Dual(1);
    Vector column = directional(f, x, e, level);
    Dual sum;
    for (int k = 0; k < n; ++k) sum = sum + Dual(c[k]) * column[k];
    out.push_back(sum);
  }
  return out;
}

// A transformation that turns a function of n numbers to n numbers into another one, and what it means. `level`: how
// deep it stands.
struct Transformation {
  const char* name;
  Function (*apply)(const Function&, int level);
  Host (*meaning)(const Host&, int level);
};

Host mean_jvp(const Host& f, int level) {
  return [=](const Vector& x) { return along_v(f, x, level); };
}
Host mean_vjp(const Host& f, int level) {
  return [=](const Vector& x) { return against_c(f, x, level); };
}

Host mean_scaled(const Host& f, int) {
  return [=](const Vector& x) {
    Vector out(n);
    for (double scale : s) {
      Vector scaled;
      for (const Dual& e : x) scaled.push_back(e * Dual(scale));
      Vector y = f(scaled);
      for (std::size_t i = 0; i < n; ++i) out[i] = out[i] + y[i];
    }
    return out;
  };
}

const Transformation transformations[] = {
    {"jit", [](const Function& f, int) -> Function { return jit(f); }, [](const Host& f, int) { return f; }},
    {"grad",
     [](const Function& f, int) -> Function { return grad([f](const Array& x) { return sum(f(x) * row(c, n)); }); },
     mean_vjp},
    {"value_and_grad",
     [](const Function& f, int) -> Function {
       return [f](const Array& x) {
         return value_and_grad([f](const Array& x) { return sum(f(x) * row(c, n)); })(x).second;
       };
     },
     mean_vjp},
    {"jvp",
     [](const Function& f, int) -> Function {
       return [f](const Array& x) { return jvp(f, std::tuple{x}, std::tuple{row(v, n)}).second; };
     },
     mean_jvp},
    {"vjp",
     [](const Function& f, int) -> Function {
       return [f](const Array& x) { return std::get<0>(vjp(f, x).second(row(c, n))); };
     },
     mean_vjp},
    {"linearize",
     [](const Function& f, int) -> Function {
       return [f](const Array& x) { return linearize(f, x).second(row(v, n)); };
     },
     mean_jvp},
    {"jacfwd",
     [](const Function& f, int) -> Function { return [f](const Array& x) { return matmul(jacfwd(f)(x), row(v, n)); }; },
     mean_jvp},
    {"jacrev",
     [](const Function& f, int) -> Function { return [f](const Array& x) { return matmul(row(c, n), jacrev(f)(x)); }; },
     mean_vjp},
    {"vmap",
     [](const Function& f, int) -> Function {
       return [f](const Array& x) { return sum(vmap(f, {.out_axes = 1})(row(s, 2).reshape(2, 1) * x), 1); };
     },
     mean_scaled},
    {"shard_map",
     [](const Function& f, int level) -> Function {
       std::string axis(1, static_cast<char>('a' + level));
       auto local = [=](const Array& scale, const Array& x) { return lax::psum(f(scale * x), axis); };
       return [=](const Array& x) {
         return shard_map(local, {.mesh = make_mesh({2, 2, 2}, {"a", "b", "c"}),
                                  .in_specs = {P(axis), P()},
                                  .out_specs = P(),
                                  .axis_names = {axis}})(row(s, 2), x);
       };
     },
     mean_scaled},
    {"pmap",
     [](const Function& f, int level) -> Function {
       std::string axis = "p" + std::to_string(level);
       auto local = [=](const Array& scale, const Array& x) { return lax::psum(f(scale * x), axis); };
       return [=](const Array& x) { return pmap(local, {.axis_name = axis, .in_axes = {0, none}})(row(s, 2), x)[1]; };
     },
     mean_scaled},
};

void check(const std::vector<const Transformation*>& chain, Function f = base, std::string name = "f") {
  Host h = base_host;
  int level = 0;
  for (const Transformation* t : chain) {
    f = t->apply(f, level);
    h = t->meaning(h, level++);
    name = std::string(t->name) + "(" + name + ")";
  }
  SCOPED_TRACE(name);
  const double x[n] = {0.4, -0.9, 1.3};
  std::vector<float> got;
  try {
    got = f(row(x, n)).to_vector<float>();
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
    return;
  }
  Vector want = h(Vector(x, x + n));
  ASSERT_EQ(got.size(), want.size());
  double size = 1;
  for (const Dual& d : want) size = std::max(size, std::abs(d.c[0]));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], want[i].c[0], 2e-5 * size) << "element " << i;
}

// The same function by loops and branches.
std::vector<std::pair<std::string, Function>> written_with_loops() {
  std::vector<std::pair<std::string, Function>> out;
  for (const testing::LoopBase& b : testing::loop_bases())
    out.emplace_back(b.name, [f = b.function](const Array& x) { return f(weights(), x); });
  return out;
}

TEST(Compose, OneOfLoops) {
  for (const auto& [name, f] : written_with_loops()) {
    check({}, f, name);
    for (const auto& a : transformations) check({&a}, f, name);
  }
}

TEST(Compose, OrderedPairsOfLoops) {
  for (const auto& [name, f] : written_with_loops())
    for (const auto& a : transformations)
      for (const auto& b : transformations) check({&a, &b}, f, name);
}

TEST(Compose, One) {
  check({});
  for (const auto& a : transformations) check({&a});
}

TEST(Compose, OrderedPairs) {
  for (const auto& a : transformations)
    for (const auto& b : transformations) check({&a, &b});
}

TEST(Compose, OrderedTriples) {
  for (const auto& a : transformations)
    for (const auto& b : transformations)
      for (const auto& c : transformations) check({&a, &b, &c});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
