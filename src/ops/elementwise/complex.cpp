// real imag complex conj, between float32 and complex64, float64 and complex128. Cotangents pair with tangents by the
// real part of their product, without a conjugate. Source: jax.lax.
#include "ops/elementwise/complex.hpp"

#include "ops/elementwise/pointwise.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/lax/complex.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;
Array zero_beside(const Array& x) { return array_from_scalar(Scalar(0.0).to(x.dtype()), false); }

Sample sample(std::vector<Type> operands) {
  return {.params = {}, .operands = std::move(operands), .differentiable = false};  // tests/ops/complex_parts_test.cpp
}
Type numbers(DType dtype, Shape shape) { return {dtype, std::move(shape), false, {}}; }

template <class Part> Op part(std::string name, int place, Part of) {
  Op op = pointwise_frame(std::move(name));
  op.infer = [](const Call& c) {
    return std::vector{numbers(real_dtype(c.operands[0].dtype), pointwise_shape(c, takes_complex))};
  };
  op.eval = [of](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    with_storage<takes_complex>(c.operands[0].dtype, [&]<class C>() {
      const C* x = in[0].as<const C>();
      auto* y = out[0].as<typename C::value_type>();
      for (std::int64_t i = 0; i < out[0].size(); ++i) y[i] = of(x[i]);
    });
  };
  op.linear = {{0}};
  op.view = [place](const Call& c, const Type&) -> std::optional<View> {
    if (c.operands[0].num_elements() == 1) return {};  // it would look like the whole
    View view{place, row_major_strides(c.operands[0].shape)};
    for (std::int64_t& s : view.strides) s *= 2;
    return view;
  };
  op.samples = {sample({numbers(complex64, {3, 4})}), sample({numbers(complex128, {})})};
  return op;
}

template <lane::ComplexPart which> Op part_of_quotient(std::string name) {
  auto of = [](auto a, auto b, auto c, auto d) {
    return lane::quotient_part<which>(lane::ComplexLane{a, b}, lane::ComplexLane{c, d});
  };
  return define_pointwise<4, takes_floating, false>(
      std::move(name), of,
      {.not_differentiable = "The compiler makes it behind all derivatives.", .lo = 0.5, .smooth = false},
      std::make_index_sequence<4>{});
}

}  // namespace

constinit const Home quotient_real = [] { return part_of_quotient<lane::ComplexPart::real>("quotient_real"); };
constinit const Home quotient_imag = [] { return part_of_quotient<lane::ComplexPart::imag>("quotient_imag"); };

constinit const Home real = [] {
  Op op = with_parts<1>(part("real", 0, [](auto z) { return z.real(); }), [](const Parts& z) { return z.re; });
  op.transpose = [](const Call&, const Arrays& ct, const Arrays&, const Flags&) -> Arrays {
    return {ct[0].has_value() ? lax::complex(ct[0], zero_beside(ct[0])) : Array()};
  };
  return op;
};

constinit const Home imag = [] {
  Op op = with_parts<1>(part("imag", 1, [](auto z) { return z.imag(); }), [](const Parts& z) { return z.im; });
  op.transpose = [](const Call&, const Arrays& ct, const Arrays&, const Flags&) -> Arrays {
    return {ct[0].has_value() ? lax::complex(zero_beside(ct[0]), lax::neg(ct[0])) : Array()};
  };
  return op;
};

constinit const Home complex = [] {
  Op op = pointwise_frame("complex");
  op.infer = [](const Call& c) {
    const Shape shape = pointwise_shape(c, takes_floating);
    check_equal_dtypes(c);
    if (const Type& t = c.operands[0]; t.dtype != float32 && t.dtype != float64)
      raise<TypeError>(c.op.name, "a part is " + t.str(), "Convert to float32 or float64.");
    Type out = numbers(complex_dtype(c.operands[0].dtype), shape);
    out.weak = c.operands[0].weak && c.operands[1].weak;
    return std::vector{out};
  };
  op.own_weak = true;
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    const std::int64_t a = in[0].type.ndim() > 0, b = in[1].type.ndim() > 0;
    with_storage<takes_complex>(complex_dtype(c.operands[0].dtype), [&]<class C>() {
      using T = typename C::value_type;
      const T *re = in[0].as<const T>(), *im = in[1].as<const T>();
      C* z = out[0].as<C>();
      for (std::int64_t i = 0; i < out[0].size(); ++i) z[i] = C(re[i * a], im[i * b]);
    });
  };
  op.linear = {{0, 1}};
  op.pointwise = [](VectorIR& ir, const Call&, std::span<const Reg> in) { return complex_word(ir, in[0], in[1]); };
  op.in_parts = [](const Call& c, const Arrays& p) {
    Arrays out = p;
    const Shape shape = pointwise_shape(c, takes_floating);
    for (Array& x : out)
      if (x.shape() != shape) x = lax::broadcast_in_dim(x, shape, {});
    return out;
  };
  op.transpose = [](const Call& c, const Arrays& ct, const Arrays&, const Flags& undefined) -> Arrays {
    Arrays out(2);
    if (!ct[0].has_value()) return out;
    if (undefined[0]) out[0] = cotangent_for(lax::real(ct[0]), c.operands[0]);
    if (undefined[1]) out[1] = cotangent_for(lax::neg(lax::imag(ct[0])), c.operands[1]);
    return out;
  };
  op.samples = {sample({numbers(float32, {3, 4}), numbers(float32, {3, 4})}),
                sample({numbers(float32, {}), numbers(float32, {5})})};
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array real(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::real, {}, {x.array});
}
Array imag(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::imag, {}, {x.array});
}
Array complex(const In& re, const In& im) {
  CallScope scope(re.loc);
  return bind1(ops::complex, {}, {re.array, im.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
