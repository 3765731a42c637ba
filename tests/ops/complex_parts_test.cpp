// What ops say of the parts of complex numbers is what their eval says of the numbers, also at zeros of either sign,
// infinity and NaN; and chains of them are loops.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "array/node.hpp"
#include "ir/op.hpp"
#include "ops/reduction/reduce.hpp"
#include "trace/record.hpp"
#include "transform/complex_parts.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const std::vector<double> kEdges{0., -0., 1., -1., .5, -3.25, 1e-30, 1e30, 90., -90., inf, -inf, std::nan("")};

// All pairs of edges as one array, in two orders.
Array all_pairs(DType part, bool turned) {
  std::vector<double> re, im;
  for (double a : kEdges)
    for (double b : kEdges) {
      re.push_back(turned ? b : a);
      im.push_back(turned ? a : b);
    }
  return lax::complex(array(re).astype(part), array(im).astype(part));
}
// Each edge against a number that is none.
Array beside(DType part) {
  const std::size_t n = kEdges.size() * kEdges.size();
  std::vector<std::complex<double>> out;
  for (std::size_t i = 0; i < n; ++i)
    out.emplace_back(1.5 - static_cast<double>(i % 5), .25 * static_cast<double>(i % 7) - 1);
  return array(out).astype(complex_dtype(part));
}

void expect_same(const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(got[i])) continue;
    EXPECT_EQ(std::signbit(want[i]), std::signbit(got[i])) << i << ": " << got[i] << " for " << want[i];
    if (!std::isfinite(want[i]) || !std::isfinite(got[i]))
      EXPECT_EQ(want[i], got[i]) << i;
    else
      EXPECT_LE(std::abs(want[i] - got[i]), tolerance * std::abs(want[i])) << i << ": " << got[i] << " for " << want[i];
  }
}

void compare(const Op& op, const std::vector<Array>& operands, double tolerance, const Params& params = {}) {
  std::vector<Type> types;
  std::vector<HostView> in;
  std::vector<Array> parts;
  std::vector<BufferPtr> held;
  for (const Array& x : operands) {
    types.push_back(x.type());
    held.push_back(held_buffer_of(x, "test"));
    in.push_back({x.type(), on_host(held.back()).data()});
    if (!x.dtype().is_complex()) parts.push_back(x);
    if (x.dtype().is_complex()) parts.insert(parts.end(), {lax::real(x), lax::imag(x)});
  }
  const std::vector<ProgramPtr> no_subs;
  const Call call{op, params, types, no_subs};
  const Type result = op.infer(call).at(0);
  const HostPtr out = allocate_buffer(static_cast<std::size_t>(result.nbytes()));
  op.eval(call, in, std::vector<HostView>{{result, out->data()}});
  const Array want = make_array(result, out);
  const std::vector<Array> got = op.in_parts(call, parts);
  auto numbers = [](const Array& x) { return x.astype(float64).to_vector<double>(); };
  if (got.size() == 1) return expect_same(numbers(got[0]), numbers(want), tolerance);
  expect_same(numbers(got[0]), numbers(lax::real(want)), tolerance);
  expect_same(numbers(got[1]), numbers(lax::imag(want)), tolerance);
}

}  // namespace

TEST(ComplexParts, AreWhatEvalSays) {
  enable_x64(true);
  int seen = 0;
  for (const Op* op : all_ops()) {
    if (!op->in_parts || op->name == "complex" || op->name == "convert_element_type") continue;  // below
    SCOPED_TRACE(op->name);
    ++seen;
    for (DType part : {float32, float64}) {
      const double tolerance = part == float32 ? 1e-5 : 1e-12;
      const Array x = all_pairs(part, false), y = all_pairs(part, true), z = beside(part);
      if (op->reduce != Op::Reduce::none) {
        compare(*op, {z}, tolerance, ops::Reduction{{0}});
        continue;
      }
      if (op->name == "select") {
        compare(*op, {real(x) > 0, x, z}, 0);
        continue;
      }
      if (op->name == "integer_pow") {
        for (const Sample& sample : op->samples) compare(*op, {x}, tolerance, sample.params);
        continue;
      }
      if (op->samples.empty() || op->samples[0].operands.size() == 1) {
        compare(*op, {x}, tolerance);
        continue;
      }
      for (const auto& [a, b] : {std::pair{x, y}, std::pair{x, z}, std::pair{z, x}}) compare(*op, {a, b}, tolerance);
    }
  }
  enable_x64(false);
  EXPECT_GE(seen, 15);
}

TEST(ComplexParts, ChainsAreJoinedOnce) {
  const Type z{complex64, {3, 4}, false, {}};
  auto ops_of = [](const ProgramPtr& p) {
    std::string out;
    for (const Eqn& e : p->eqns) out += e.op->name + " ";
    return out;
  };
  auto recorded = [&](auto f) {
    return complex_parts(
        record("test", {}, {z, z}, [&](const std::vector<Array>& x) { return std::vector{f(x[0], x[1])}; }).program);
  };
  EXPECT_EQ(ops_of(recorded([](const Array& a, const Array& b) { return transpose(a * b) + 1; })),
            "real imag real imag mul mul sub mul mul add transpose transpose add add complex ");
  EXPECT_EQ(ops_of(recorded([](const Array& a, const Array& b) { return abs(a - b) * 2; })).find("complex"),
            std::string::npos);
  EXPECT_EQ(ops_of(recorded([](const Array& a, const Array& b) { return a * b; })),
            "real imag real imag mul mul sub mul mul add complex ");
  EXPECT_EQ(ops_of(recorded([](const Array& a, const Array& b) { return a / b; })),
            "real imag real imag quotient_real quotient_imag complex ");
  const ProgramPtr looped = recorded([](const Array& a, const Array& b) {
    return lax::fori_loop(
        0, 3, [&](const Array&, const Array& c) { return c * b + a; }, a);
  });
  const auto body = ops_of(looped->eqns.back().subs.at(0));
  EXPECT_NE(body.find("complex"), std::string::npos) << body;
}

// Against the same operations one at a time, and numbers of 128 bits.
TEST(ComplexParts, ProgramsGiveTheValuesOfTheirOperations) {
  const Array re = random::normal(random::key(0), {40, 50}), im = random::normal(random::key(1), {40, 50});
  const Array z = lax::complex(re, im), w = lax::complex(im, re);
  auto f = [](const Array& z, const Array& w) {
    const Array chosen = where(real(z) > 0, z * w, exp(w));
    return matmul(chosen.T() * w[0][0], log(z * z + real(w).astype(z.dtype()))) - sum(abs(sin(z) * cos(conj(w))));
  };
  enable_x64(true);
  const Array exact = f(z.astype(complex128), w.astype(complex128));
  enable_x64(false);
  const Array got = jit(f)(z, w);
  EXPECT_LE(max(abs(got - exact.astype(complex64)) / (abs(exact.astype(complex64)) + 1)).item<float>(), 1e-4);
}

// Numbers with an imaginary part that is none of the real one, spread over an array, in loops of every length; as
// they are taken apart here, and by the user.
TEST(ComplexParts, ConstantsHaveBothParts) {
  const Array z = lax::complex(array({1.f, 2.f}), array({.5f, -1.f}));
  const std::complex<float> number(1, -2);
  auto times = [=](const Array& z) { return full({2}, number) * z * z; };
  EXPECT_TRUE(array_equal(jit(times)(z), full({2}, number) * (z * z)));
  auto cube = [](const Array& z) { return sum(z * z * z); };
  auto slope = [&](const Array& z) { return grad(cube, {.holomorphic = true})(z); };
  EXPECT_TRUE(array_equal(jit(slope)(z), 3 * z * z));
  auto apart = [=](const Array& x) {
    const Array c = full({2}, number);
    return sin(x) * imag(c) + cos(x) * real(c) + imag(c) * x;
  };
  const Array x = real(z);
  EXPECT_TRUE(allclose(jit(apart)(x), sin(x) * -2 + cos(x) - 2 * x)) << jit(apart)(x);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
