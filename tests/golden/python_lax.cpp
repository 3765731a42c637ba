// jax.lax, jax.nn, jax.ops and jax's transformations by their Python names.
#include "golden/ops_cases.hpp"
#include "golden/python_values.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/reductions.hpp"
#include "tutti/lax/slices.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/segments.hpp"
#include "tutti/numpy/selection.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/special/special.hpp"
#include "tutti/transform/jacobians.hpp"
#include "tutti/transform/transforms.hpp"

namespace golden::python {
namespace {

using namespace tutti;
using A = Arguments;

Function strict(Array (*f)(const In&)) {
  return [f](const A& a) { return f(a.array(0, "x")); };
}
Function strict(Array (*f)(const In&, const In&)) {
  return [f](const A& a) { return f(a.array(0, "x"), a.array(1, "y")); };
}
Function running(Array (*f)(const In&, int, bool)) {
  return [f](const A& a) { return f(a.array(0, "operand"), integer(a, 1, "axis", 0), a.flag(2, "reverse")); };
}
Function segment(Array (*f)(const In&, const In&, const SegmentOptions&)) {
  return [f](const A& a) {
    SegmentOptions o;
    if (a.has(2, "num_segments")) o.num_segments = a.integer(2, "num_segments", 0);
    return f(a.array(0, "data"), a.array(1, "segment_ids"), o);
  };
}
Value reduce_of(const A& a) {
  const Value f = a.at(2, "computation");
  const lax::Dims dims = a.at(3, "dimensions").integers();
  if (a.at(0, "operands").get<Values>()) {
    return lax::reduce(
        a.at(0, "operands").arrays(), a.at(1, "init_values").arrays(),
        [&](const std::vector<Array>& x, const std::vector<Array>& y) {
          return f({Value(x), Value(y)}).arrays();
        },
        dims);
  }
  // A strong operand decides the type of the initial value.
  return lax::reduce(
      a.array(0, "operands"), a.array(1, "init_values"),
      [&](const Array& x, const Array& y) {
        return f({x, y}).array();
      },
      dims);
}
lax::Padding padding_of(const Value& v) {
  if (v.get<std::string>()) return v.text();
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Value& e : v.list()) pairs.emplace_back(e.integers().at(0), e.integers().at(1));
  return pairs;
}
lax::Dims dims_or_none(const A& a, std::size_t p, const char* name) {
  return a.has(p, name) ? a.at(p, name).integers() : lax::Dims();
}
Value reduce_window_of(const A& a) {
  const Value f = a.at(2, "computation");
  return lax::reduce_window(a.array(0, "operand"), a.array(1, "init_value"),
                            [&](const Array& x, const Array& y) {
                              return f({x, y}).array();
                            },
                            {.window_dimensions = a.at(3, "window_dimensions").integers(),
                             .window_strides = dims_or_none(a, 4, "window_strides"),
                             .padding = padding_of(a.at(5, "padding")),
                             .base_dilation = dims_or_none(a, 99, "base_dilation"),
                             .window_dilation = dims_or_none(a, 99, "window_dilation")});
}
Value lax_sort_of(const A& a) {
  const int keys = integer(a, 99, "num_keys", 1);
  const bool several = a.at(0, "operand").get<Values>();
  const std::vector<Array> xs = a.at(0, "operand").arrays();
  const int d = integer(a, 1, "dimension", -1);
  const std::vector<Array> out = lax::sort(xs, d < 0 ? d + xs[0].ndim() : d, keys);
  return several ? Value(out) : Value(out[0]);
}
Value top_k_of(const A& a) {
  const auto [values, indices] = lax::top_k(a.array(0, "operand"), a.integer(1, "k", 1), integer(a, 99, "axis", -1));
  return Values{values, indices};
}
Value clamp_of(const A& a) { return lax::clamp(a.array(0, "min"), a.array(1, "x"), a.array(2, "max")); }
Value round_of(const A& a) {
  return lax::round(a.array(0, "x"),
                    a.text(1, "rounding_method", a.text(99, "method", "AWAY_FROM_ZERO")) == "AWAY_FROM_ZERO"
                        ? lax::RoundingMethod::away_from_zero
                        : lax::RoundingMethod::to_nearest_even);
}

// --- nn

Value attention_of(const A& a) {
  nn::DotProductAttentionOptions o{.bias = a.maybe_array(3, "bias"),
                                   .mask = a.maybe_array(4, "mask"),
                                   .scale = a.maybe_number(99, "scale"),
                                   .is_causal = a.flag(99, "is_causal"),
                                   .query_seq_lengths = a.maybe_array(99, "query_seq_lengths"),
                                   .key_value_seq_lengths = a.maybe_array(99, "key_value_seq_lengths")};
  if (a.has(99, "local_window_size")) {
    const auto l = a.at(99, "local_window_size").integers();
    o.local_window_size = std::pair(static_cast<int>(l.at(0)), static_cast<int>(l.at(l.size() - 1)));
  }
  if (a.flag(99, "return_residual")) {
    const auto both =
        nn::dot_product_attention_with_residual(a.array(0, "query"), a.array(1, "key"), a.array(2, "value"), o);
    return Values{both.output, both.residual};
  }
  return nn::dot_product_attention(a.array(0, "query"), a.array(1, "key"), a.array(2, "value"), o);
}
Value softmax_of(const A& a) {
  return nn::softmax(a.array(0, "x"), a.has(1, "axis") ? a.axes(1, "axis") : Axes(-1), a.maybe_array(2, "where"));
}

// --- transformations

Function transformed(Function (*make)(const Value& f, const A& a)) {
  return [make](const A& a) { return Value(make(a.at(0, "fun"), a)); };
}
Function grad_of(const Value& f, const A& a) {
  const bool holomorphic = a.flag(99, "holomorphic");
  return [=](const A& b) {
    auto g = [=](const Array& x) { return f({x}).array(); };
    return holomorphic ? grad(g, {.holomorphic = true})(b.array(0, "x")) : grad(g)(b.array(0, "x"));
  };
}
template <bool forward> Function jacobian_of(const Value& f, const A& a) {
  const GradOptions options{.holomorphic = a.flag(99, "holomorphic")};
  return [=](const A& b) {
    auto g = [=](const Array& x) { return f({x}).array(); };
    if constexpr (forward)
      return jacfwd(g, options)(b.array(0, "x"));
    else
      return jacrev(g, options)(b.array(0, "x"));
  };
}
Function hessian_of(const Value& f, const A&) {
  return [=](const A& b) { return hessian([=](const Array& x) { return f({x}).array(); })(b.array(0, "x")); };
}
Function vmap_of(const Value& f, const A&) {
  return [=](const A& b) { return vmap([=](const Array& x) { return f({x}).array(); })(b.array(0, "x")); };
}
Function jit_of(const Value& f, const A&) {
  return [=](const A& b) { return jit([=](const Array& x) { return f({x}).array(); })(b.array(0, "x")); };
}

const Functions lax_functions({
    {"lax.cumprod", running(lax::cumprod)},
    {"lax.cumsum", running(lax::cumsum)},
    {"lax.cummax", running(lax::cummax)},
    {"lax.cummin", running(lax::cummin)},
    {"lax.cumlogsumexp", running(lax::cumlogsumexp)},
    {"lax.dynamic_slice_in_dim",
     [](const A& a) {
       return lax::dynamic_slice_in_dim(a.array(0, "x"), a.array(1, "start"), a.integer(2, "slice_size", 1),
                                        integer(a, 3, "axis", 0));
     }},
    {"lax.dynamic_index_in_dim",
     [](const A& a) {
       return lax::dynamic_index_in_dim(a.array(0, "x"), a.array(1, "index"), integer(a, 2, "axis", 0),
                                        a.flag(3, "keepdims", true));
     }},
    {"lax.dynamic_update_slice_in_dim",
     [](const A& a) {
       return lax::dynamic_update_slice_in_dim(a.array(0, "x"), a.array(1, "update"), a.array(2, "start"),
                                               integer(a, 3, "axis", 0));
     }},
    {"lax.dynamic_update_index_in_dim",
     [](const A& a) {
       return lax::dynamic_update_index_in_dim(a.array(0, "x"), a.array(1, "update"), a.array(2, "index"),
                                               integer(a, 3, "axis", 0));
     }},
    {"lax.reduce", reduce_of},
    {"lax.reduce_window", reduce_window_of},
    {"lax.reduce_precision",
     [](const A& a) {
       return lax::reduce_precision(a.array(0, "x"), integer(a, 1, "exponent_bits", 8),
                                    integer(a, 2, "mantissa_bits", 23));
     }},
    {"lax.sort", lax_sort_of},
    {"case.sort_key_val",
     [](const A& a) {
       const auto [k, v] = lax::sort_key_val(a.array(0, "keys"), a.array(1, "values"), integer(a, 2, "dimension", -1));
       return Values{k, v};
     }},
    {"lax.top_k", top_k_of},
    {"case.top_k_values", [](const A& a) { return lax::top_k(a.array(0, "x"), a.integer(1, "k", 1)).values; }},
    {"lax.clamp", clamp_of},
    {"case.round_lax", round_of},
    {"lax.select_n",
     [](const A& a) {
       return lax::select_n(a.array(0, "which"), Value(Values(a.positional.begin() + 1, a.positional.end())).arrays());
     }},
    {"lax.complex", strict(lax::complex)},
    {"lax.lax_complex", strict(lax::complex)},
    {"lax.igamma", strict(lax::igamma)},
    {"lax.igammac", strict(lax::igammac)},
    {"lax.igamma_grad_a", strict(lax::igamma_grad_a)},
    {"lax.random_gamma_grad", strict(lax::random_gamma_grad)},
    {"lax.betainc", [](const A& a) { return lax::betainc(a.array(0, "a"), a.array(1, "b"), a.array(2, "x")); }},
    {"lax.zeta", strict(lax::zeta)},
    {"lax.polygamma", strict(lax::polygamma)},
    {"lax.bessel_i0e", strict(lax::bessel_i0e)},
    {"lax.bessel_i1e", strict(lax::bessel_i1e)},
    {"lax.add", strict(lax::add)},
    {"lax.bitcast_convert_type",
     [](const A& a) { return lax::bitcast_convert_type(a.array(0, "x"), *a.dtype(1, "new_dtype")); }},
    {"jax.ops.segment_sum", segment(segment_sum)},
    {"jax.ops.segment_prod", segment(segment_prod)},
    {"jax.ops.segment_max", segment(segment_max)},
    {"jax.ops.segment_min", segment(segment_min)},
});
const Functions elementwise({
    {"jnp.isnan", of_one(isnan)},
    {"jnp.isinf", of_one(isinf)},
    {"jnp.isfinite", of_one(isfinite)},
    {"jnp.iscomplex", [](const A& a) { return imag(a.array(0, "x")) != 0; }},
    {"jnp.isreal", [](const A& a) { return imag(a.array(0, "x")) == 0; }},
    {"lax.nextafter", of_two(nextafter)},
    {"lax.lgamma", of_one(lax::lgamma)},
    {"lax.digamma", of_one(lax::digamma)},
    {"jnp.sin", of_one(sin)},
    {"jnp.cos", of_one(cos)},
    {"jnp.tan", of_one(tan)},
    {"jnp.tanh", of_one(tanh)},
    {"jnp.exp", of_one(exp)},
    {"jnp.log", of_one(log)},
    {"jnp.sqrt", of_one(sqrt)},
    {"jnp.abs", of_one(abs)},
    {"jnp.square", of_one(square)},
    {"jnp.negative", of_one(negative)},
    {"jnp.conj", of_one(conj)},
    {"jnp.real", of_one(real)},
    {"jnp.imag", of_one(imag)},
    {"jnp.angle",
     [](const A& a) { return a.flag(1, "deg") ? rad2deg(angle(a.array(0, "z"))) : angle(a.array(0, "z")); }},
    {"jnp.iscomplexobj", [](const A& a) { return iscomplexobj(a.array(0, "x")); }},
    {"jnp.add", of_two(add)},
    {"jnp.multiply", of_two(multiply)},
    {"jnp.maximum", of_two(maximum)},
    {"jnp.minimum", of_two(minimum)},
    {"jnp.logaddexp", of_two(logaddexp)},
    {"jnp.bitwise_or", of_two(bitwise_or)},
    {"jnp.bitwise_and", of_two(bitwise_and)},
    {"jnp.vdot", strict(vdot)},
    {"jnp.cross", [](const A& a) { return cross(a.array(0, "a"), a.array(1, "b")); }},
    {"jnp.kron", strict(kron)},
    {"jnp.outer", strict(outer)},
    {"jnp.inner", strict(inner)},
    {"jnp.clip", [](const A& a) { return clip(a.array(0, "x"), a.array(1, "min"), a.array(2, "max")); }},
    {"jnp.where", [](const A& a) { return where(a.array(0, "c"), a.array(1, "x"), a.array(2, "y")); }},
    {"method.astype", [](const A& a) { return a.array(0, "x").astype(*a.dtype(1, "dtype")); }},
    {"method.sum", [](const A& a) { return a.array(0, "x").sum(); }},
    {"method.item", [](const A& a) { return a.array(0, "x").item<float>(); }},
    {"float", [](const A& a) { return static_cast<double>(a.array(0, "x")); }},
    {"int", [](const A& a) { return static_cast<std::int64_t>(a.array(0, "x")); }},
    {"jnp.linalg.cholesky", [](const A& a) { return linalg::cholesky(a.array(0, "a")); }},
    {"jnp.linalg.inv", [](const A& a) { return linalg::inv(a.array(0, "a")); }},
    {"jnp.linalg.solve", strict(linalg::solve)},
    {"jnp.linalg.eigh", [](const A& a) { return linalg::eigh(a.array(0, "a")).w; }},
});
const Functions nn_functions({
    {"nn.dot_product_attention", attention_of},
    {"jax.nn.dot_product_attention", attention_of},
    {"jax.nn.softmax", softmax_of},
    {"nn.softmax", softmax_of},
    {"nn.log1mexp", of_one(nn::log1mexp)},
    {"nn.logmeanexp",
     [](const A& a) {
       return nn::logmeanexp(a.array(0, "x"), a.axes(1, "axis"), a.flag(99, "keepdims"), a.maybe_array(99, "where"));
     }},
    {"jax.nn.glu", [](const A& a) { return nn::glu(a.array(0, "x"), integer(a, 1, "axis", -1)); }},
});
// The file's names for what is no function of JAX: layers by their formulas.
Value layer_norm_of(const A& a) {
  const Array x = a.array(0, "x");
  return (x - mean(x, -1, true)) / sqrt(var(x, -1, true) + a.number(99, "epsilon", 1e-5)) * a.array(1, "g") +
         a.array(2, "b");
}
Value rms_norm_of(const A& a) {
  const Array x = a.array(0, "x");
  return x / sqrt(mean(square(x), -1, true) + a.number(99, "epsilon", 1e-5)) * a.array(1, "g");
}
const Functions special_functions({
    {"jsp.special.logit", of_one(special::logit)},
    {"jsp.special.ndtr", of_one(special::ndtr)},
    {"jsp.special.ndtri", of_one(special::ndtri)},
    {"jsp.special.gammainc", of_two(special::gammainc)},
    {"jsp.special.betaln", of_two(special::betaln)},
    {"case.norm_logpdf",
     [](const A& a) { return stats::norm::logpdf(a.array(0, "x"), a.array(1, "loc"), a.array(2, "scale")); }},
    {"case.rms_norm", rms_norm_of},
});
const OpExpressions formulas({
    {"(x - mean(x)) / sqrt(var(x) + 1e-5) * g + b over the last dim",
     [](const Arrays& x, const json&) {
       return Value(layer_norm_of({{x[0], x[1], x[2]}, {}})).arrays();
     }},
    {"x<0: -x; x>1: x*x; else 0.5",
     [](const Arrays& x, const json&) {
       const Array& v = x.at(0);
       return Arrays{piecewise(v, {v<0, v> 1},
                               {[](const Array& y) { return -y; }, [](const Array& y) { return y * y; }, Array(0.5f)})};
     }},
});
const Functions transformations({
    {"jax.grad", transformed(grad_of)},
    {"jax.jacfwd", transformed(jacobian_of<true>)},
    {"jax.jacrev", transformed(jacobian_of<false>)},
    {"jax.hessian", transformed(hessian_of)},
    {"jax.jit", transformed(jit_of)},
    {"jax.vmap", transformed(vmap_of)},
});

}  // namespace
}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
