// The elementwise functions and reductions of ops.json, and its table of promotions.
#include "golden/ops_cases.hpp"
#include "tutti/lax/reductions.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/numpy/numpy.hpp"

namespace golden {
namespace {

using namespace tutti;

OpFunction one(Array (*f)(const In&)) {
  return [f](const Arrays& x, const json&) { return Arrays{f(x.at(0))}; };
}
OpFunction two(Array (*f)(const Operand&, const Operand&)) {
  return [f](const Arrays& x, const json& params) {
    return Arrays{f(x.at(0), params.contains("rhs") ? Array(params["rhs"].get<int>()) : x.at(1))};
  };
}
OpFunction strict(Array (*f)(const In&, const In&)) {
  return [f](const Arrays& x, const json&) { return Arrays{f(x.at(0), x.at(1))}; };
}
template <class Reduce> OpFunction reduction(Reduce f) {
  return [f](const Arrays& x, const json& p) { return Arrays{f(x, axes_of(p), p.value("keepdims", false), p)}; };
}
ReduceOptions options(const Arrays& x, const Axes& axes, bool keepdims, const json& p) {
  ReduceOptions o{.axes = axes, .keepdims = keepdims};
  if (p.contains("dtype")) o.dtype = dtype_of(p["dtype"]);
  if (p.contains("initial")) o.initial = p["initial"].get<double>();
  if (x.size() > 1) o.where = x.at(1);
  o.ddof = p.value("ddof", 0);
  return o;
}
OpFunction with_options(Array (*plain)(const In&, const Axes&, bool), Array (*rich)(const In&, const ReduceOptions&)) {
  return reduction([=](const Arrays& x, const Axes& axes, bool keepdims, const json& p) {
    return p.contains("dtype") || p.contains("initial") || x.size() > 1 ? rich(x.at(0), options(x, axes, keepdims, p))
                                                                        : plain(x.at(0), axes, keepdims);
  });
}
OpFunction plain(Array (*f)(const In&, const Axes&, bool)) {
  return reduction(
      [f](const Arrays& x, const Axes& axes, bool keepdims, const json&) { return f(x.at(0), axes, keepdims); });
}
OpFunction spread(Array (*f)(const In&, const Axes&, bool, int), Array (*rich)(const In&, const ReduceOptions&)) {
  return reduction([=](const Arrays& x, const Axes& axes, bool keepdims, const json& p) {
    return x.size() > 1 || p.contains("dtype") ? rich(x.at(0), options(x, axes, keepdims, p))
                                               : f(x.at(0), axes, keepdims, p.value("ddof", 0));
  });
}

Arrays clip_case(const Arrays& x, const json& p) {
  if (x.size() == 3) return {clip(x.at(0), x.at(1), x.at(2))};
  auto number = [&](const char* name) {
    return p[name].is_number_integer() ? Array(p[name].get<int>()) : Array(p[name].get<double>());
  };
  if (!p.contains("min")) return {clip(x.at(0), none, number("max"))};
  if (!p.contains("max")) return {clip(x.at(0), number("min"), none)};
  return {clip(x.at(0), number("min"), number("max"))};
}
Arrays convert_case(const Arrays& x, const json& p) { return {x.at(0).astype(dtype_of(p["dtype"]))}; }
Arrays where_case(const Arrays& x, const json&) { return {where(x.at(0), x.at(1), x.at(2))}; }
Arrays power_case(const Arrays& x, const json& p) {
  if (p.contains("y")) return {power(x.at(0), p["y"].get<int>())};
  if (!p.contains("exponent")) return {power(x.at(0), x.at(1))};
  return {p["exponent"].is_number_integer() ? power(x.at(0), p["exponent"].get<int>())
                                            : power(x.at(0), p["exponent"].get<double>())};
}

const OpFamily elementwise_family({
    {"neg", one(negative)},
    {"abs", one(tutti::abs)},
    {"sign", one(sign)},
    {"exp", one(tutti::exp)},
    {"exp2", one(tutti::exp2)},
    {"expm1", one(tutti::expm1)},
    {"log", one(tutti::log)},
    {"log1p", one(tutti::log1p)},
    {"log2", one(tutti::log2)},
    {"log10", one(tutti::log10)},
    {"sqrt", one(tutti::sqrt)},
    {"cbrt", one(tutti::cbrt)},
    {"sin", one(tutti::sin)},
    {"cos", one(tutti::cos)},
    {"tan", one(tutti::tan)},
    {"asin", one(tutti::asin)},
    {"acos", one(tutti::acos)},
    {"atan", one(tutti::atan)},
    {"sinh", one(tutti::sinh)},
    {"cosh", one(tutti::cosh)},
    {"tanh", one(tutti::tanh)},
    {"asinh", one(tutti::asinh)},
    {"acosh", one(tutti::acosh)},
    {"atanh", one(tutti::atanh)},
    {"floor", one(tutti::floor)},
    {"ceil", one(tutti::ceil)},
    {"trunc", one(tutti::trunc)},
    {"is_finite", one(isfinite)},
    {"isnan", one(tutti::isnan)},
    {"isinf", one(tutti::isinf)},
    {"signbit", one(tutti::signbit)},
    {"square", one(square)},
    {"reciprocal", one(reciprocal)},
    {"sinc", one(sinc)},
    {"deg2rad", one(deg2rad)},
    {"rad2deg", one(rad2deg)},
    {"logical_not", one(logical_not)},
    {"bitwise_not", one(tutti::bitwise_not)},
    {"rsqrt", one(lax::rsqrt)},
    {"logistic", one(lax::logistic)},
    {"erf", one(lax::erf)},
    {"erfc", one(lax::erfc)},
    {"erf_inv", one(lax::erf_inv)},
    {"lgamma", one(lax::lgamma)},
    {"digamma", one(lax::digamma)},
    {"population_count", one(lax::population_count)},
    {"clz", one(lax::clz)},
    {"nan_to_num",
     [](const Arrays& x, const json& p) {
       auto number = [&](const char* name) {
         return p.contains(name) ? std::optional(p[name].get<double>()) : std::nullopt;
       };
       return Arrays{nan_to_num(x.at(0), p.value("nan", 0.), number("posinf"), number("neginf"))};
     }},
    {"round", [](const Arrays& x, const json& p) { return Arrays{tutti::round(x.at(0), p.value("decimals", 0))}; }},
    {"add", two(add)},
    {"mul", two(multiply)},
    {"div", two(divide)},
    {"floor_divide", two(floor_divide)},
    {"remainder", two(tutti::remainder)},
    {"fmod", two(tutti::fmod)},
    {"sub", two(subtract)},
    {"maximum", two(maximum)},
    {"minimum", two(minimum)},
    {"fmax", two(tutti::fmax)},
    {"fmin", two(tutti::fmin)},
    {"atan2", two(tutti::atan2)},
    {"hypot", two(tutti::hypot)},
    {"logaddexp", two(logaddexp)},
    {"logaddexp2", two(logaddexp2)},
    {"copysign", two(tutti::copysign)},
    {"nextafter", two(tutti::nextafter)},
    {"heaviside", two(heaviside)},
    {"xlogy", two(xlogy)},
    {"xlog1py", two(xlog1py)},
    {"eq", two(equal)},
    {"ne", two(not_equal)},
    {"lt", two(less)},
    {"le", two(less_equal)},
    {"gt", two(greater)},
    {"ge", two(greater_equal)},
    {"logical_and", two(logical_and)},
    {"logical_or", two(logical_or)},
    {"logical_xor", two(logical_xor)},
    {"bitwise_and", two(tutti::bitwise_and)},
    {"bitwise_or", two(tutti::bitwise_or)},
    {"bitwise_xor", two(tutti::bitwise_xor)},
    {"shift_left", strict(lax::shift_left)},
    {"shift_right_arithmetic", strict(lax::shift_right_arithmetic)},
    {"shift_right_logical", strict(lax::shift_right_logical)},
    {"lax_div", strict(lax::div)},
    {"lax_rem", strict(lax::rem)},
    {"pow", power_case},
    {"integer_pow", power_case},
    {"clip", clip_case},
    {"convert", convert_case},
    {"where", where_case},
    {"clamp",
     [](const Arrays& x, const json& p) {
       if (x.size() == 3) return Arrays{lax::clamp(x[0], x[1], x[2])};
       auto bound = [&](const char* name) { return Array(p.at(name).get<double>()).astype(x.at(0).dtype()); };
       return Arrays{lax::clamp(bound("min"), x.at(0), bound("max"))};
     }},
    {"divmod",
     [](const Arrays& x, const json&) {
       auto [q, r] = divmod(x.at(0), x.at(1));
       return Arrays{q, r};
     }},
    {"bitcast_convert_type",
     [](const Arrays& x, const json& p) {
       return Arrays{lax::bitcast_convert_type(x.at(0), dtype_of(p.value("new_dtype", p.value("dtype", ""))))};
     }},
    {"sum", with_options(tutti::sum, sum_with)},
    {"prod", with_options(tutti::prod, prod_with)},
    {"max", with_options(tutti::max, max_with)},
    {"min", with_options(tutti::min, min_with)},
    {"mean", with_options(tutti::mean, mean_with)},
    {"var", spread(tutti::var, var_with)},
    {"std", spread(tutti::std_, std_with)},
    {"any", plain(tutti::any)},
    {"all", plain([](const In& x, const Axes& axes, bool keepdims) { return tutti::all(x, axes, keepdims); })},
    {"argmax",
     [](const Arrays& x, const json& p) { return Arrays{argmax(x.at(0), axis_of(p), p.value("keepdims", false))}; }},
    {"argmin",
     [](const Arrays& x, const json& p) { return Arrays{argmin(x.at(0), axis_of(p), p.value("keepdims", false))}; }},
    {"cumsum",
     [](const Arrays& x, const json& p) {
       return Arrays{
           p.value("reverse", false)
               ? lax::cumsum(x.at(0), *axis_of(p), true)
               : cumsum(x.at(0), axis_of(p), p.contains("dtype") ? std::optional(dtype_of(p["dtype"])) : std::nullopt)};
     }},
    {"nansum", plain(nansum)},
    {"nanmean", plain(nanmean)},
    {"nanmax", plain(nanmax)},
    {"count_nonzero", plain(count_nonzero)},
    {"ptp", plain(ptp)},
    {"average", [](const Arrays& x, const json& p) { return Arrays{average(x.at(0), x.at(1), axes_of(p))}; }},
    {"isclose",
     [](const Arrays& x, const json& p) {
       return Arrays{isclose(x.at(0), x.at(1), p.value("rtol", 1e-5), p.value("atol", 1e-8))};
     }},
    {"allclose",
     [](const Arrays& x, const json& p) {
       return Arrays{allclose(x.at(0), x.at(1), p.value("rtol", 1e-5), p.value("atol", 1e-8))};
     }},
    {"array_equal", two(array_equal)},
});

// --- promotions: operands bool true, 2 or 2.5 in the named type, of shape (1,) except Python's numbers
Array promoted_operand(const std::string& type) {
  if (type == "python int") return Array(2);
  if (type == "python float") return Array(2.5);
  DType d = dtype_of(type);
  return lax::convert_element_type(array({d.is_bool() ? 1 : 2}), d);
}
void promotion(const json& test) {
  if (test.value("op", "") != "promotion") throw Unknown("not a promotion");
  const json& p = test.at("params");
  std::string f = p.at("function");
  static const std::map<std::string, Array (*)(const Operand&, const Operand&)> binary = {
      {"+", operator+ }, {"/", operator/ }, {"//", floor_divide}, {"**", power}};
  static const std::map<std::string, std::function<Array(const Array&)>> unary = {
      {"square", square},
      {"max", [](const Array& x) { return x.max(); }},
      {"sum", [](const Array& x) { return x.sum(); }},
      {"prod", [](const Array& x) { return x.prod(); }},
      {"mean", [](const Array& x) { return x.mean(); }},
      {"var", [](const Array& x) { return x.var(); }},
      {"cumsum", [](const Array& x) { return cumsum(x); }},
      {"argmax", [](const Array& x) { return x.argmax(); }},
      {"sin", [](const Array& x) { return sin(x); }},
      {"sqrt", [](const Array& x) { return sqrt(x); }},
      {"floor", [](const Array& x) { return floor(x); }},
      {"negative", [](const Array& x) { return -x; }},
      {"relu", nn::relu},
      {"softmax", [](const Array& x) { return nn::softmax(x); }}};
  auto call = [&] {
    Array x = promoted_operand(p.at("lhs"));
    if (p.contains("rhs")) {
      auto at = binary.find(f);
      if (at == binary.end()) throw Unknown("function " + f);
      return at->second(x, promoted_operand(p["rhs"]));
    }
    auto at = unary.find(f);
    if (at == unary.end()) throw Unknown("function " + f);
    return at->second(x);
  };
  if (test.contains("error")) return expect_error(test["error"], call);
  Array got = call();
  double rtol = test.at("dtype") == "bfloat16" ? 1. / 128 : test.at("dtype") == "float16" ? 1. / 1024 : 4e-6;
  expect_equal(got, test.at("outputs")[0], {rtol, 0});
  if (got.weak_type() != test.value("weak_type", false))
    throw Mismatch(got.weak_type() ? "weak, expected strong" : "strong, expected weak");
}

const Registration promotion_registration({"cases"}, "cases", promotion);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
