// convert_element_type bitcast_convert_type stop_gradient. Source: jax.lax.
#include <cstring>

#include "ops/elementwise/convert.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Views = std::span<const HostView>;

constexpr unsigned convertible = takes_number | takes_bool, stored = convertible | takes_small;

std::vector<Type> infer_convert(const Call& c) {
  const auto& p = c.get<ConvertElementType>();
  pointwise_shape(c, convertible);
  if (p.dtype.is_key())
    raise<TypeError>("convert_element_type", c.operands[0].str() + " cannot become a random key",
                     "Use random::wrap_key_data.");
  return {Type{p.dtype, c.operands[0].shape, p.weak, {}}};
}

void eval_convert(const Call& c, Views in, Views out) {
  with_storage<stored>(c.operands[0].dtype, [&]<class From>() {
    with_storage<stored>(c.get<ConvertElementType>().dtype, [&]<class To>() {
      const From* p = in[0].as<const From>();
      To* q = out[0].as<To>();
      for (std::int64_t i = 0, n = out[0].size(); i < n; ++i) q[i] = convert_number<To>(p[i]);
    });
  });
}

std::vector<Type> infer_bitcast(const Call& c) {
  DType to = c.get<BitcastConvertType>().dtype;
  if (to.size() != c.operands[0].dtype.size())
    raise<TypeError>("bitcast_convert_type",
                     c.operands[0].str() + " and " + std::string(to.name()) + " have elements of different sizes",
                     "Choose a dtype of the same size.");
  const DType from = c.operands[0].dtype;
  for (DType d : {from, to})
    if (from != to && (d.is_bool() || d.is_complex() || d.is_key()))
      raise<TypeError>("bitcast_convert_type",
                       c.operands[0].str() + " as " + std::string(to.name()) + ": not every bit pattern is one",
                       "It takes integers and floating types.");
  for (DType d : {from, to})
    if (from != to && (d == int4 || d == uint4))
      raise<TypeError>("bitcast_convert_type",
                       c.operands[0].str() + " as " + std::string(to.name()) + ": 4 bits have no address",
                       "Convert with astype(), which wraps.");
  return {Type{to, c.operands[0].shape, false, {}}};
}

void eval_copy(const Call& c, Views in, Views out) {
  if (std::int64_t n = c.operands[0].nbytes()) std::memcpy(out[0].data, in[0].data, static_cast<std::size_t>(n));
}

Sample sample(Params params, DType from, double lo, double hi) {
  Sample s;
  s.params = std::move(params);
  s.operands = {Type{from, Shape{3, 5}, false, {}}};
  s.lo = lo;
  s.hi = hi;
  s.ulp = 0;
  s.differentiable = false;
  return s;
}

}  // namespace

constinit const Home convert_element_type = [] {
  Op op = pointwise_frame("convert_element_type");
  op.infer = infer_convert;
  op.eval = eval_convert;
  op.own_weak = true;
  op.small = true;
  op.linear = {{0}};
  // Integers wrap at their own width: only conversions that keep it commute with that.
  op.adds_up = [](const Call& c, const std::vector<int>&, const std::vector<Magnitude>&) {
    DType from = c.operands[0].dtype, to = c.get<ConvertElementType>().dtype;
    return from.is_integer() ? to.is_integer() && to.size() == from.size() : to.is_inexact();
  };
  op.magnitude = [](const Call& c, const std::vector<Magnitude>& operands) {
    return c.get<ConvertElementType>().dtype.is_inexact() ? operands[0] : Magnitude{};
  };
  op.transpose = [](const Call& c, const Arrays& ct, const Arrays&, const std::vector<bool>&) -> Arrays {
    if (!ct[0].has_value() || !c.operands[0].dtype.is_inexact()) return {Array()};
    return {lax::convert_element_type(ct[0], c.operands[0].dtype, c.operands[0].weak)};
  };
  op.pointwise = [](VectorIR& ir, const Call& c, std::span<const Reg> in) {
    const DType to = c.get<ConvertElementType>().dtype;
    if (!to.is_complex()) return ir.convert(in[0], to);
    return complex_word(ir, ir.convert(in[0], float32), ir.constant(float32, 0));
  };
  op.in_parts = [](const Call& c, const Arrays& p) -> Arrays {
    const DType to = c.get<ConvertElementType>().dtype, part = real_dtype(to);
    Arrays out;
    for (const Array& x : p)
      out.push_back(to.is_bool() ? lax::ne(x, number_like(x, 0)) : lax::convert_element_type(x, part));
    if (to.is_bool() && out.size() == 2) return {lax::bitwise_or(out[0], out[1])};
    if (to.is_complex() && out.size() == 1) out.push_back(full_like({out[0]}, 0).a);
    if (!to.is_complex()) out.resize(1);
    return out;
  };
  for (DType from : {float32, bfloat16, float16, int32, uint8, bool_})
    for (DType to : {float32, bfloat16, float16, float8_e4m3fn, float8_e5m2, int32, int8, int4, uint4, uint32, bool_})
      op.samples.push_back(sample(ConvertElementType{to}, from, to.is_unsigned() || from.is_unsigned() ? 0 : -3, 3));
  op.samples[0].differentiable = true;
  for (DType from : {float8_e4m3fn, float8_e5m2, int4, uint4})
    for (DType to : {float32, bfloat16, int32, float8_e5m2, uint4})
      op.samples.push_back(sample(ConvertElementType{to}, from, from == uint4 ? 0 : -8, from == uint4 ? 15 : 7));
  return op;
};

constinit const Home bitcast_convert_type = [] {
  Op op = pointwise_frame("bitcast_convert_type");
  op.infer = infer_bitcast;
  op.small = true;
  op.eval = eval_copy;
  op.jvp = [](const Call&, const Arrays&, const Arrays&, const Arrays&) { return Arrays(1); };
  op.pointwise = [](VectorIR& ir, const Call& c, std::span<const Reg> in) {
    return ir.bitcast(in[0], c.get<BitcastConvertType>().dtype);
  };
  op.samples = {sample(BitcastConvertType{uint32}, float32, -2, 2), sample(BitcastConvertType{float32}, uint32, 0, 100),
                sample(BitcastConvertType{int16}, bfloat16, -2, 2)};
  return op;
};

constinit const Home stop_gradient = [] {
  Op op = pointwise_frame("stop_gradient");
  op.infer = [](const Call& c) -> std::vector<Type> { return {c.operands[0]}; };
  op.small = true;
  op.eval = eval_copy;
  op.jvp = [](const Call&, const Arrays&, const Arrays&, const Arrays&) { return Arrays(1); };
  op.pointwise = [](VectorIR&, const Call&, std::span<const Reg> in) { return in[0]; };
  op.samples = {sample({}, float32, -2, 2), sample({}, int32, -2, 2)};
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
