#include <algorithm>
#include <cmath>

#include "golden/transform_cases.hpp"

namespace golden::transforms {
namespace {

double largest(const json& array) {
  double m = 0;
  for (const json& v : array.at("data"))
    if (double d = std::abs(number_of(v)); std::isfinite(d)) m = std::max(m, d);
  return m;
}

}  // namespace

void run_case(const std::map<std::string, Case>& cases, const json& test) {
  if (test.contains("kind")) throw Unknown("another file");
  auto at = cases.find(test.value("name", ""));
  if (at == cases.end() || !test.contains("inputs")) throw Unknown("no counterpart in C++ yet");
  Inputs inputs{test["inputs"]};
  if (test.contains("error")) return expect_error(test["error"], [&] { at->second(inputs); });
  Outputs got = at->second(inputs);
  std::erase_if(got, [](const Array& x) { return !x.has_value(); });
  const json& want = test.at("outputs");
  if (got.size() != want.size())
    throw Mismatch(std::to_string(got.size()) + " results, expected " + std::to_string(want.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    double rtol = want[i].at("dtype") == "bfloat16" ? 1.0 / 128 : 1e-5;
    expect_equal(got[i], want[i], {rtol, rtol * largest(want[i])});
  }
}

}  // namespace golden::transforms

// SPDX-License-Identifier: Apache-2.0
