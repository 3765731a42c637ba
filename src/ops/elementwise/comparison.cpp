// eq ne lt le gt ge and select. Source: jax.lax.
#include "ops/elementwise/comparison.hpp"

#include <algorithm>

#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

// The operand types apart from the predicate.
std::vector<Type> infer_select(const Call& c) {
  if (!c.operands[0].dtype.is_bool())
    raise<TypeError>("select", "the predicate is " + c.operands[0].str(), "It has to be bool: write x != 0.");
  check_equal_dtypes(c, 1);
  return {Type{c.operands[1].dtype, pointwise_shape(c, takes_all), c.operands[1].weak && c.operands[2].weak, {}}};
}

void eval_select(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  auto stride = [&](int i) { return in[i].type.ndim() == 0 ? 0 : 1; };
  with_storage<takes_all>(c.operands[1].dtype, [&]<class T>() {
    const bool* p = in[0].as<const bool>();
    const T *a = in[1].as<const T>(), *b = in[2].as<const T>();
    for (std::int64_t i = 0, n = out[0].size(); i < n; ++i)
      out[0].as<T>()[i] = p[i * stride(0)] ? a[i * stride(1)] : b[i * stride(2)];
  });
}

Arrays transpose_select(const Call& c, const Arrays& ct, const Arrays& operands, const std::vector<bool>& undefined) {
  Arrays out(3);
  if (!ct[0].has_value()) return out;
  Array zero = full_like({ct[0]}, 0).a;
  if (undefined[1]) out[1] = cotangent_for(lax::select(operands[0], ct[0], zero), c.operands[1]);
  if (undefined[2]) out[2] = cotangent_for(lax::select(operands[0], zero, ct[0]), c.operands[2]);
  return out;
}

constexpr unsigned ordered = takes_real | takes_bool;
constexpr unsigned comparable = ordered | takes_complex;

}  // namespace

constinit const Home eq = [] {
  return with_parts<2>(
      comparison_op<comparable>("eq", [](auto x, auto y) { return x == y; }),
      [](const Parts& x, const Parts& y) { return V{lax::bitwise_and((x.re == y.re).a, (x.im == y.im).a)}; });
};
constinit const Home ne = [] {
  return with_parts<2>(comparison_op<comparable>("ne", [](auto x, auto y) { return x != y; }),
                       [](const Parts& x, const Parts& y) {
                         return V{lax::bitwise_or(lax::ne(x.re.a, y.re.a), lax::ne(x.im.a, y.im.a))};
                       });
};
constinit const Home lt = [] { return comparison_op<ordered>("lt", [](auto x, auto y) { return x < y; }); };
constinit const Home le = [] { return comparison_op<ordered>("le", [](auto x, auto y) { return x <= y; }); };
constinit const Home gt = [] { return comparison_op<ordered>("gt", [](auto x, auto y) { return x > y; }); };
constinit const Home ge = [] { return comparison_op<ordered>("ge", [](auto x, auto y) { return x >= y; }); };

constinit const Home select = [] {
  Op op;
  op.name = "select";
  op.infer = infer_select;
  op.eval = eval_select;
  op.factors = pointwise_factors;
  op.batch = pointwise_batch;
  op.linear = {{1, 2}};
  op.magnitude = [](const Call&, const std::vector<Magnitude>& operands) {
    return Magnitude{std::min(operands[1].least, operands[2].least), std::max(operands[1].most, operands[2].most)};
  };
  op.transpose = transpose_select;
  op.in_parts = [](const Call&, const Arrays& p) -> Arrays {
    return {lax::select(p[0], p[1], p[3]), lax::select(p[0], p[2], p[4])};
  };
  op.own_weak = true;
  op.pointwise = [](VectorIR& ir, const Call&, std::span<const Reg> in) { return ir.select(in[0], in[1], in[2]); };
  auto sample = [&](DType dtype, Shape predicate, Shape cases) {
    Sample s;
    s.operands = {{bool_, predicate, false, {}}, {dtype, cases, false, {}}, {dtype, cases, false, {}}};
    s.ulp = 0;
    op.samples.push_back(s);
  };
  sample(float32, Shape{3, 4}, Shape{3, 4});
  sample(float32, Shape{}, Shape{5});
  sample(float32, Shape{5}, Shape{});
  for (DType d : {bfloat16, int32, uint8, bool_}) sample(d, Shape{2, 3}, Shape{2, 3});
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
