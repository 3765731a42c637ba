// The part of ops.json that is jax.nn's, the convolutions and the windows.
#include <cmath>

#include "golden/ops_cases.hpp"
#include "golden/python_expr.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/linen/linen.hpp"
#include "tutti/nn/nn.hpp"

namespace golden {
namespace {

using namespace tutti;

OpFunction of_one(Array (*f)(const In&)) {
  return [f](const Arrays& x, const json&) { return Arrays{f(x.at(0))}; };
}
OpFunction scaled(Array (*f)(const In&, double), const char* name, double otherwise) {
  return [=](const Arrays& x, const json& p) { return Arrays{f(x.at(0), p.value(name, otherwise))}; };
}
Axes axes_or_last(const json& p) { return p.contains("axis") ? axes_of(p) : Axes(-1); }

lax::Dims list(const json& p, const char* name) { return p.contains(name) ? p[name].get<lax::Dims>() : lax::Dims(); }
lax::Padding padding_of(const json& p) {
  const json& v = p.at("padding");
  if (v.is_string()) return v.get<std::string>();
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const json& e : v) pairs.emplace_back(e[0].get<std::int64_t>(), e[1].get<std::int64_t>());
  return pairs;
}
lax::ConvDims dims_of(const json& p) {
  if (!p.contains("dimension_numbers") || p["dimension_numbers"].is_null()) return {};
  const json& d = p["dimension_numbers"];
  return {d[0], d[1], d[2]};
}
std::optional<DType> preferred_of(const json& p) {
  if (!p.contains("preferred_element_type") || p["preferred_element_type"].is_null()) return std::nullopt;
  return dtype_of(p["preferred_element_type"]);
}
Arrays conv(const Arrays& x, const json& p) {
  return {lax::conv_general_dilated(x.at(0), x.at(1),
                                    {.window_strides = list(p, "window_strides"),
                                     .padding = padding_of(p),
                                     .lhs_dilation = list(p, "lhs_dilation"),
                                     .rhs_dilation = list(p, "rhs_dilation"),
                                     .dimension_numbers = dims_of(p),
                                     .feature_group_count = p.value("feature_group_count", 1),
                                     .batch_group_count = p.value("batch_group_count", 1),
                                     .preferred_element_type = preferred_of(p)})};
}
Arrays conv_transpose(const Arrays& x, const json& p) {
  return {lax::conv_transpose(x.at(0), x.at(1),
                              {.strides = list(p, "strides"),
                               .padding = padding_of(p),
                               .rhs_dilation = list(p, "rhs_dilation"),
                               .dimension_numbers = dims_of(p),
                               .transpose_kernel = p.value("transpose_kernel", false),
                               .preferred_element_type = preferred_of(p),
                               .use_consistent_padding = p.value("use_consistent_padding", false)})};
}
Arrays conv_patches(const Arrays& x, const json& p) {
  return {lax::conv_general_dilated_patches(x.at(0), list(p, "filter_shape"), list(p, "window_strides"),
                                            {.padding = padding_of(p),
                                             .lhs_dilation = list(p, "lhs_dilation"),
                                             .rhs_dilation = list(p, "rhs_dilation"),
                                             .dimension_numbers = dims_of(p),
                                             .preferred_element_type = preferred_of(p)})};
}
Arrays windows(const Arrays& x, const json& p) {
  std::string how = p.at("computation");
  return {lax::reduce_window(x.at(0),
                             how == "max"   ? lax::WindowReduction::max
                             : how == "min" ? lax::WindowReduction::min
                                            : lax::WindowReduction::sum,
                             {.window_dimensions = list(p, "window_dimensions"),
                              .window_strides = list(p, "window_strides"),
                              .padding = padding_of(p),
                              .base_dilation = list(p, "base_dilation"),
                              .window_dilation = list(p, "window_dilation")})};
}
OpFunction pool(Array (*f)(const In&, const std::vector<std::int64_t>&, const linen::PoolOptions&)) {
  return [f](const Arrays& x, const json& p) {
    lax::Dims window = list(p, "window_shape"),
              strides = p.contains("strides") ? list(p, "strides") : lax::Dims(window.size(), 1);
    return Arrays{
        f(x.at(0), window,
          {.strides = strides, .padding = padding_of(p), .count_include_pad = p.value("count_include_pad", true)})};
  };
}

const OpFamily nn_family({
    {"relu", of_one(nn::relu)},
    {"relu6", of_one(nn::relu6)},
    {"sigmoid", of_one(nn::sigmoid)},
    {"log_sigmoid", of_one(nn::log_sigmoid)},
    {"silu", of_one(nn::silu)},
    {"swish", of_one(nn::silu)},
    {"softplus", of_one(nn::softplus)},
    {"soft_sign", of_one(nn::soft_sign)},
    {"elu", scaled(nn::elu, "alpha", 1)},
    {"celu", scaled(nn::celu, "alpha", 1)},
    {"selu", of_one(nn::selu)},
    {"leaky_relu", scaled(nn::leaky_relu, "negative_slope", 0.01)},
    {"hard_tanh", of_one(nn::hard_tanh)},
    {"hard_sigmoid", of_one(nn::hard_sigmoid)},
    {"hard_swish", of_one(nn::hard_silu)},
    {"hard_silu", of_one(nn::hard_silu)},
    {"mish", of_one(nn::mish)},
    {"squareplus", scaled(nn::squareplus, "b", 4)},
    {"sparse_plus", of_one(nn::sparse_plus)},
    {"sparse_sigmoid", of_one(nn::sparse_sigmoid)},
    {"gelu",
     [](const Arrays& x, const json& p) {
       return Arrays{p.value("approximate", true) ? nn::gelu(x.at(0)) : nn::gelu_exact(x.at(0))};
     }},
    {"glu", [](const Arrays& x, const json& p) { return Arrays{nn::glu(x.at(0), p.value("axis", -1))}; }},
    {"softmax",
     [](const Arrays& x, const json& p) {
       return Arrays{nn::softmax(x.at(0), axes_or_last(p), p.contains("where") ? x.at(1) : Array())};
     }},
    {"log_softmax",
     [](const Arrays& x, const json& p) {
       return Arrays{nn::log_softmax(x.at(0), axes_or_last(p), p.contains("where") ? x.at(1) : Array())};
     }},
    {"logsumexp",
     [](const Arrays& x, const json& p) {
       return Arrays{
           nn::logsumexp(x.at(0), axes_of(p), p.value("keepdims", false), p.contains("b") ? x.at(1) : Array())};
     }},
    {"standardize",
     [](const Arrays& x, const json& p) {
       return Arrays{nn::standardize(x.at(0), axes_or_last(p), p.value("epsilon", 1e-5))};
     }},
    {"one_hot",
     [](const Arrays& x, const json& p) {
       return Arrays{nn::one_hot(x.at(0), p.at("num_classes").get<int>(), dtype_of(p.value("dtype", "float32")),
                                 p.value("axis", -1))};
     }},
    {"conv_general_dilated", conv},
    {"conv_transpose", conv_transpose},
    {"conv_general_dilated_patches", conv_patches},
    {"reduce_window", windows},
    {"max_pool", pool(linen::max_pool)},
    {"min_pool", pool(linen::min_pool)},
    {"avg_pool", pool(linen::avg_pool)},
});

// --- wrong calls, as Python expressions

void wrong_nn_call(const json& test) {
  if (test.value("op", "") != "error") throw Unknown("no wrong call");
  python::NodePtr call = python::parse(test.at("params").at("expr").get<std::string>());
  std::string name = call->text.substr(call->text.rfind('.') + 1);
  auto argument = [&](std::size_t i) {
    const python::Node& n = *call->children.at(i);
    if (n.kind != python::Node::Kind::call || (n.text != "zeros" && n.text != "ints"))
      throw Unknown("argument of " + name);
    Shape shape;
    for (const auto& d : n.children) shape.push_back(static_cast<std::int64_t>(d->number));
    return zeros(shape, n.text == "ints" ? int32 : float32);
  };
  auto number = [&](const char* parameter, int otherwise) {
    for (const auto& [key, value] : call->named)
      if (key == parameter)
        return value->kind == python::Node::Kind::negative ? -static_cast<int>(value->children[0]->number)
                                                           : static_cast<int>(value->number);
    return otherwise;
  };
  std::function<Array()> run;
  if (name == "conv_general_dilated") {
    lax::ConvOptions o{.padding = call->children.at(3)->text,
                       .feature_group_count = number("feature_group_count", 1),
                       .batch_group_count = number("batch_group_count", 1)};
    for (const auto& s : call->children.at(2)->children)
      o.window_strides.push_back(static_cast<std::int64_t>(s->number));
    run = [=, x = argument(0), w = argument(1)] { return lax::conv_general_dilated(x, w, o); };
  } else if (name == "softmax") {
    run = [x = argument(0), axis = number("axis", -1)] { return nn::softmax(x, axis); };
  } else if (name == "glu") {
    run = [x = argument(0)] { return nn::glu(x); };
  } else {
    throw Unknown("wrong call of " + name);
  }
  expect_error(test.at("error"), run);
}
const Registration wrong_calls({"cases"}, "cases", wrong_nn_call);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
