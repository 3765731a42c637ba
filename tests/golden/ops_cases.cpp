#include "golden/ops_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tutti/lax/windows.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace golden {
namespace {

using namespace tutti;

std::map<std::string, OpFunction>& table() {
  static std::map<std::string, OpFunction> ops;
  return ops;
}

std::map<std::string, OpFunction>& expressions() {
  static std::map<std::string, OpFunction> all;
  return all;
}
std::set<std::string>& rounding() {
  static std::set<std::string> ops;
  return ops;
}
OpFunction function_of(const json& test) {
  const json params = test.value("params", json::object());
  if (params.contains("expr")) {
    auto at = expressions().find(params["expr"]);
    return at == expressions().end() ? python_function(test) : at->second;
  }
  auto at = table().find(test.at("op"));
  return at == table().end() ? python_function(test) : at->second;
}

/// Of a case recorded with float64.
class WithX64 {
 public:
  explicit WithX64(bool on) : before_(x64_enabled()) { enable_x64(on || before_); }
  ~WithX64() { enable_x64(before_); }
  WithX64(const WithX64&) = delete;

 private:
  bool before_;
};

// 16-bit floats have their own precision; the others are compared at a few units in the last place, and relative to the
// largest magnitude.
Tolerance tolerance_for(const json& want, bool derivative) {
  json finite = want;  // numbers near the largest ones would allow everything
  std::erase_if(finite["data"].get_ref<json::array_t&>(),
                [](const json& v) { return !v.is_boolean() && std::abs(number_of(v)) >= 1e6; });
  Tolerance t = tolerance_of(finite, derivative ? 1e-5 : 4e-6);
  return {t.rtol, t.atol / 4};
}
// XLA flushes subnormal inputs to zero, IEEE arithmetic does not: where an input is subnormal, what we have is taken
// for right.
json without_subnormals(const Array& got, json want, const Arrays& inputs) {
  for (const Array& x : inputs) {
    if ((x.dtype() != float32 && x.dtype() != float64) || x.shape() != got.shape() || got.dtype().is_complex())
      continue;
    const double normal = x.dtype() == float32 ? 0x1p-126 : 0x1p-1022;
    std::vector<double> v = x.to_vector<double>(), g = lax::convert_element_type(got, float64).to_vector<double>();
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (v[k] == 0 || !(std::abs(v[k]) < normal)) continue;
      if (got.dtype().is_bool())
        want["data"][k] = g[k] != 0;
      else if (!got.dtype().is_inexact())
        want["data"][k] = static_cast<std::int64_t>(g[k]);
      else if (std::isfinite(g[k]))
        want["data"][k] = g[k];
      else
        want["data"][k] = std::isnan(g[k]) ? "nan" : g[k] > 0 ? "inf" : "-inf";
    }
  }
  return want;
}
// Where tutti's derivatives at edge values are better than JAX's: x, y are the inputs there, t the tangent or
// cotangent.
using Better = bool (*)(double x, double y, double t, double got, double want);
bool signed_zero(double, double, double, double got, double want) {
  return got == 0 && want == 0 && std::signbit(got) != std::signbit(want);
}
const std::map<std::string, Better>& better_derivatives() {
  static const std::map<std::string, Better> all = {
      {"pow_f32_edge", [](double, double y, double, double got,
                          double want) { return (std::isnan(want) || want == 0) && y == 0 && got == 0; }},
      {"sinc_f32_edge",
       [](double x, double, double t, double got, double want) {
         return !std::isfinite(want) && std::isfinite(x) &&
                std::abs(got) <= 4 * std::abs(t) * std::min(std::abs(x), 1 / std::abs(x));
       }},
      {"digamma_f32_edge",
       [](double x, double, double, double got, double want) {
         return std::isinf(x) && (x > 0 ? std::isnan(want) && got == 0 : std::isinf(want) && std::isnan(got));
       }},
      {"gelu_erf_f32_edge",
       [](double x, double, double t, double got, double want) {
         return std::isnan(want) && x > 1e38 && std::isfinite(x) && got == static_cast<float>(t);
       }},
      {"tanh_f32_edge", signed_zero},
      {"softplus_f32_edge", signed_zero},
      {"log_sigmoid_f32_edge", signed_zero},
  };
  return all;
}
// And results.
const std::map<std::string, Better>& better_results() {
  static const std::map<std::string, Better> all = {
      {"lax_igamma_edge",
       [](double a, double x, double, double got, double want) {
         const double exact = 0.5188083154720433;  // P(50, 50)
         return a == 50 && x == 50 && std::abs(got - exact) < 1e-7 && std::abs(want - exact) > 1e-6;
       }},
      {"x64_sum_cancellation",
       [](double, double, double, double got, double want) { return got == 1.5 && want == .5; }},
  };
  return all;
}
// `want` with ours where it is such a place; counts them.
json with_better(const Array& got, json want, const Arrays& inputs, const json& direction, Better better, int& count) {
  if (!got.dtype().is_floating() || got.shape() != shape_of(want.at("shape"))) return want;
  auto floats = [](const Array& v) { return lax::convert_element_type(v, float32).to_vector<float>(); };
  const std::vector<float> g = floats(got), x = floats(inputs[0]), y = floats(inputs.back());
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double t = direction.is_null() ? 0 : number_of(direction.at("data").at(i));
    auto beside = [&](const std::vector<float>& v) { return v.size() == g.size() ? v[i] : 0; };
    if (!better(beside(x), beside(y), t, g[i], number_of(want["data"].at(i)))) continue;
    want["data"][i] = g[i];
    ++count;
  }
  return want;
}

// Decompositions and transforms: what is 0 in exact arithmetic has either sign, or is a rounding error; only where the
// result is special is its sign what the case is about.
json with_our_zeros(const Array& got, json want, double atol) {
  if (!got.dtype().is_inexact() || got.shape() != shape_of(want.at("shape"))) return want;
  std::vector<double> v;
  if (got.dtype().is_complex())
    for (std::complex<double> c : got.to_vector<std::complex<double>>()) v.insert(v.end(), {c.real(), c.imag()});
  else
    v = got.to_vector<double>();
  json& data = want["data"];
  for (std::size_t k = 0; k < v.size() && k < data.size(); ++k)
    if (number_of(data[k]) == 0 && std::abs(v[k]) <= atol) data[k] = v[k];
  return want;
}

// What a sum of squares of rounding errors of float32 is, as residuals of systems that have a solution are.
double squared_rounding(const Arrays& inputs) {
  double largest = 0;
  for (const Array& x : inputs)
    if (x.dtype() == float32)
      for (float v : x.to_vector<float>()) largest = std::max(largest, std::isfinite(v) ? std::abs(double(v)) : 0);
  return 100 * largest * 0x1p-46 * largest;
}

void expect_all(const json& test, const char* what, const Arrays& got, const json& want, bool derivative,
                const Arrays& inputs) {
  const bool rounds = test.contains("rtol") || rounding().count(test.at("op"));
  if (got.size() != want.size())
    throw Mismatch(fmt::format("{}: {} results, expected {}", what, got.size(), want.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (want[i].at("dtype") == "float0") continue;
    try {
      if (rounds) {
        const double rtol = test.contains("rtol") ? test["rtol"].get<double>() * (derivative ? 10 : 1) : 1e-5;
        Tolerance t = tolerance_of(want[i], rtol);
        if (!test.value("x64", false)) t.atol = std::max(t.atol, squared_rounding(inputs));
        expect_equal(got[i], with_our_zeros(got[i], want[i], t.atol), t);
      } else {
        expect_equal(got[i], without_subnormals(got[i], want[i], inputs), tolerance_for(want[i], derivative));
      }
    } catch (const Mismatch& m) {
      throw Mismatch(fmt::format("{} {}: {}", what, i, m.what()));
    }
  }
}

void run(const json& test) {
  if (!test.contains("op") || !test.contains("inputs") || test["op"] == "error" || test["op"] == "promotion")
    throw Unknown("not an op");
  const WithX64 x64(test.value("x64", false));
  const OpFunction function = function_of(test);
  const json params = test.value("params", json::object());
  Arrays inputs;
  for (const json& a : test.at("inputs"))
    inputs.push_back(lax::convert_element_type(array_of(a), dtype_of(a.at("dtype")), a.value("weak_type", false)));
  if (inputs.empty() && test.contains("error") && test.value("name", "").ends_with("_i32"))
    inputs.push_back(array({1, 2, 3}));  // the file leaves refused operands out
  if (inputs.empty() && (test.contains("error") || params.empty())) throw Unknown("no inputs");
  if (test.contains("error")) return expect_error(test["error"], [&] { function(inputs, params); });
  int better = 0;
  const Arrays results = function(inputs, params);
  json want_results = test.at("outputs");
  if (auto known = better_results().find(test.value("name", "")); known != better_results().end())
    for (std::size_t i = 0; i < results.size() && i < want_results.size(); ++i)
      want_results[i] = with_better(results[i], want_results[i], inputs, nullptr, known->second, better);
  expect_all(test, "output", results, want_results, false, inputs);
  if (!test.contains("diff_inputs")) {
    if (better > 0) throw Different();
    return;
  }
  std::vector<std::size_t> places = test["diff_inputs"];
  auto fn = [&](const Arrays& varied) {
    Arrays all = inputs;
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = varied[i];
    return function(all, params);
  };
  auto list = [](const json& arrays) {
    Arrays out;
    for (const json& a : arrays) out.push_back(array_of(a));
    return out;
  };
  Arrays varied;
  for (std::size_t p : places) varied.push_back(inputs[p]);
  auto known = better_derivatives().find(test.value("name", ""));
  auto expect_derivative = [&](const char* what, const Arrays& got, json want, const json& directions) {
    if (known != better_derivatives().end())
      for (std::size_t i = 0; i < got.size(); ++i)
        want[i] = with_better(got[i], want[i], inputs, directions.at(0), known->second, better);
    expect_all(test, what, got, want, true, inputs);
  };
  if (test.contains("jvp")) {
    auto tangents = tutti::jvp(fn, std::tuple{varied}, std::tuple{list(test["jvp"].at("tangents"))}).second;
    expect_derivative("tangent", tangents, test["jvp"].at("outputs"), test["jvp"]["tangents"]);
  }
  if (test.contains("vjp")) {
    auto [y, pullback] = tutti::vjp(fn, varied);
    expect_derivative("cotangent", std::get<0>(pullback(list(test["vjp"].at("cotangents")))), test["vjp"].at("outputs"),
                      test["vjp"]["cotangents"]);
  }
  if (better > 0) throw Different();
}

const Registration ops_registration({"cases"}, "cases", run);
const Deviations ops_deviations(
    {"cases"}, "cases",
    {
        {"error_conv_padding_name",
         [](const json& test) {
           expect_jax_refuses(test, "RuntimeError");
           try {
             lax::conv_general_dilated(zeros({1, 2, 5}), zeros({3, 2, 3}),
                                       {.window_strides = {1}, .padding = "VALIDD"});
           } catch (const ValueError& e) {
             return check_facts("'VALIDD'", e.what());
           }
           throw Mismatch("no error");
         }},
        {"linalg_expm_upper_triangular",
         [](const json& test) {
           const Array a = array_of(test.at("inputs").at(0));
           auto f = [](const Array& x) { return linalg::expm(x, true); };
           const json& want = test.at("outputs").at(0);
           expect_equal(f(a), want, tolerance_of(want, 1e-4));
           const Array g = grad([&](const Array& x) { return f(x).sum(); })(a);
           if (any(tril(g, -1) != 0).item<bool>()) throw Mismatch("elements that are not read have a derivative");
         }},
        {"error_multi_dot_one",
         [](const json& test) {
           if (test.contains("error")) throw Mismatch("JAX refuses it too");
           try {
             linalg::multi_dot({zeros({2, 6})});
           } catch (const ValueError&) {
             return;
           }
           throw Mismatch("no error");
         }},
        {"lax_top_k_ties_nan",
         [](const json& test) {
           const Array x = array_of(test.at("inputs").at(0));
           const lax::TopK got = lax::top_k(x, test.at("params").at("k").get<int>());
           const Array want = array_of(test.at("outputs").at(0));
           for (const Array& v : {want, take_along_axis(x, got.indices, -1)})
             if (!tutti::all((got.values == v) | (isnan(got.values) & isnan(v))).item<bool>())
               throw Mismatch("other values than those of the largest");
           if (array_equal(signbit(got.values), signbit(want)).item<bool>())
             throw Mismatch("zeros have the signs that JAX gives them");
         }},
        {"error_matrix_power_float", not_in_cpp("the exponent is an int")},
        {"error_fft_norm_name", not_in_cpp("norms are an enum")},
        {"error_one_hot_float_classes", not_in_cpp("the number of classes is an int")},
    });

}  // namespace

OpFamily::OpFamily(std::map<std::string, OpFunction> ops, bool round) {
  if (round)
    for (const auto& [name, function] : ops) rounding().insert(name);
  table().merge(std::move(ops));
}
OpExpressions::OpExpressions(std::map<std::string, OpFunction> all) { expressions().merge(std::move(all)); }

Axes axes_of(const json& params) {
  if (!params.contains("axis") || params["axis"].is_null()) return {};
  if (params["axis"].is_array()) return Axes(params["axis"].get<std::vector<std::int64_t>>());
  return Axes(params["axis"].get<std::int64_t>());
}
std::optional<int> axis_of(const json& params) {
  if (!params.contains("axis") || params["axis"].is_null()) return {};
  return params["axis"].get<int>();
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
