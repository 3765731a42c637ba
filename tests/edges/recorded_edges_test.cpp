// Every elementwise function and its derivatives at the edges of float32, beside what JAX gives there (recorded by
// tools/record_edges.py). Where the two differ the reason stands in `explained`, and a difference anywhere else fails.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using One = std::function<Array(const Array&)>;
using Two = std::function<Array(const Array&, const Array&)>;

#define ONE(prefix, space, name)                                \
  {                                                             \
    prefix #name, [](const Array& x) { return space::name(x); } \
  }
#define TWO(prefix, space, name)                                                   \
  {                                                                                \
    prefix #name, [](const Array& x, const Array& y) { return space::name(x, y); } \
  }
#define NP(name) ONE("", tutti, name)
#define NN(name) ONE("nn.", nn, name)
#define SP(name) ONE("special.", special, name)

const std::map<std::string, One> of_one = [] {
  std::map<std::string, One> all{NP(abs),        NP(negative),     NP(positive),
                                 NP(sign),       NP(sqrt),         NP(cbrt),
                                 NP(square),     NP(reciprocal),   NP(exp),
                                 NP(exp2),       NP(expm1),        NP(log),
                                 NP(log2),       NP(log10),        NP(log1p),
                                 NP(sin),        NP(cos),          NP(tan),
                                 NP(arcsin),     NP(arccos),       NP(arctan),
                                 NP(sinh),       NP(cosh),         NP(tanh),
                                 NP(arcsinh),    NP(arccosh),      NP(arctanh),
                                 NP(sinc),       NP(floor),        NP(ceil),
                                 NP(trunc),      NP(rint),         NP(fabs),
                                 NP(deg2rad),    NP(rad2deg),      NP(nan_to_num),
                                 NN(relu),       NN(relu6),        NN(sigmoid),
                                 NN(silu),       NN(softplus),     NN(soft_sign),
                                 NN(elu),        NN(selu),         NN(celu),
                                 NN(leaky_relu), NN(log_sigmoid),  NN(mish),
                                 NN(hard_tanh),  NN(hard_sigmoid), NN(hard_silu),
                                 NN(squareplus), NN(gelu),         SP(erf),
                                 SP(erfc),       SP(erfinv),       SP(gammaln),
                                 SP(digamma),    SP(expit),        SP(logit),
                                 SP(ndtr),       SP(ndtri),        SP(log_ndtr),
                                 SP(entr),       SP(i0),           SP(i0e),
                                 SP(i1),         SP(i1e),          ONE("", lax, rsqrt)};
  for (const int n : {-3, -2, -1, 0, 1, 2, 3, 4})
    all["integer_pow " + std::to_string(n)] = [n](const Array& x) { return lax::integer_pow(x, n); };
  return all;
}();
const std::map<std::string, Two> of_two{TWO("", tutti, add),
                                        TWO("", tutti, subtract),
                                        TWO("", tutti, multiply),
                                        TWO("", tutti, divide),
                                        TWO("", tutti, power),
                                        TWO("", tutti, arctan2),
                                        TWO("", tutti, hypot),
                                        TWO("", tutti, logaddexp),
                                        TWO("", tutti, logaddexp2),
                                        TWO("", tutti, maximum),
                                        TWO("", tutti, minimum),
                                        TWO("", tutti, fmax),
                                        TWO("", tutti, fmin),
                                        TWO("", tutti, remainder),
                                        TWO("", tutti, fmod),
                                        TWO("", tutti, copysign),
                                        TWO("", tutti, heaviside),
                                        TWO("", tutti, floor_divide),
                                        TWO("special.", special, xlogy),
                                        TWO("special.", special, xlog1py),
                                        TWO("special.", special, betaln)};

// Row 0 is the value, rows 1 and 2 the derivatives.
const std::map<std::string, std::set<int>> explained{
#include "explained_edges.inc"
};

struct Difference {
  double x, y, ours, jax;
};
// Equal up to rounding (numbers near 0: up to the least normal one), zeros with their signs.
bool agree(double ours, double jax) {
  if (std::isnan(ours) || std::isnan(jax)) return std::isnan(ours) && std::isnan(jax);
  if (ours == jax) return ours != 0 || std::signbit(ours) == std::signbit(jax);
  return std::isfinite(ours) && std::isfinite(jax) && std::abs(ours - jax) <= 6e-5 * std::abs(jax) + 3e-38;
}
void compare(const std::string& name, const std::vector<Array>& rows, const Array& recorded,
             const std::vector<Array>& points) {
  ASSERT_EQ(recorded.shape(0), static_cast<std::int64_t>(rows.size())) << name;
  const auto known = explained.find(name);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto ours = rows[r].astype(float32).to_vector<float>();
    const auto jax = recorded(static_cast<std::int64_t>(r)).to_vector<float>();
    const auto x = points[0].to_vector<float>(), y = points.back().to_vector<float>();
    std::vector<Difference> found;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (!agree(ours[i], jax[i])) found.push_back({x[i], y[i], ours[i], jax[i]});
    const bool expected = known != explained.end() && known->second.contains(static_cast<int>(r));
    EXPECT_EQ(!found.empty(), expected) << name << " row " << r;
    if (expected) continue;
    for (const Difference& d : found)
      ADD_FAILURE() << name << " row " << r << " at " << d.x << (points.size() > 1 ? ", " + std::to_string(d.y) : "")
                    << ": " << d.ours << ", JAX " << d.jax;
  }
}

TEST(Edges, AreThoseOfJax) {
  const io::Arrays recorded = io::load_npz("tests/edges/recorded.npz");
  const Array x = recorded.at("x"), p = recorded.at("p"), q = recorded.at("q");
  for (const auto& [name, f] : of_one) {
    const Array d = jit([&](const Array& v, const Array& t) { return jvp(f, std::tuple{v}, std::tuple{t}).second; })(
        x, ones_like(x));
    compare(name, {jit(f)(x), d}, recorded.at(name), {x});
  }
  for (const auto& [name, f] : of_two) {
    const Array by_p = jit([&](const Array& a, const Array& b, const Array& t) {
      return jvp([&](const Array& v) { return f(v, b); }, std::tuple{a}, std::tuple{t}).second;
    })(p, q, ones_like(p));
    const Array by_q = jit([&](const Array& a, const Array& b, const Array& t) {
      return jvp([&](const Array& v) { return f(a, v); }, std::tuple{b}, std::tuple{t}).second;
    })(p, q, ones_like(p));
    compare(name, {jit(f)(p, q), by_p, by_q}, recorded.at(name), {p, q});
  }
  EXPECT_EQ(recorded.size(), 3 + of_one.size() + of_two.size());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
