// nn.json: runs a case of any kind, under both threefry layouts where random numbers matter.
#include "golden/nn_cases.hpp"

#include <cmath>
#include <set>

namespace golden {

using namespace tutti;

std::string plain_path(const std::string& python) {
  std::string out;
  for (std::size_t i = 0; i < python.size();) {
    if (python.compare(i, 2, "['") == 0 || python.compare(i, 2, "[\"") == 0) {
      char quote = python[i + 1];
      std::size_t end = python.find(std::string{quote, ']'}, i + 2);
      std::string key = python.substr(i + 2, end - i - 2);
      if (key.starts_with("['")) key = plain_path(key);  // a path as key
      out += (out.empty() || key.starts_with("[") ? "" : ".") + key;
      i = end + 2;
    } else if (python[i] == '.' && out.empty()) {
      ++i;
    } else {
      out += python[i++];
    }
  }
  return out;
}

Array NnInputs::array(int i) const {
  std::string path = "[" + std::to_string(i) + "]";
  for (const json& input : list)
    if (input.at("path") == path) return array_of(input);
  throw Unknown("input " + path);
}

namespace {

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> out(1);
  for (char c : path) {
    if (c == '.' || c == '[')
      out.emplace_back();
    else if (c != ']')
      out.back() += c;
  }
  std::erase(out, "");
  return out;
}
std::map<std::string, NnFunction>& kinds() {
  static std::map<std::string, NnFunction> all;
  return all;
}

void run_nn(const json& test) {
  if (!test.contains("kind")) throw Unknown("not a case of nn.json");
  auto at = kinds().find(test.at("kind"));
  if (at == kinds().end()) throw Unknown("kind " + test.at("kind").get<std::string>());
  NnInputs inputs{test.at("inputs")};
  // These move or copy elements.
  static const std::set<std::string> moving = {"eqx.nn.MaxPool2d", "flax.jax_utils.replicate", "flax parameter key",
                                               "eqx.filter", "eqx.combine"};
  // XLA multiplies by 1 / (1 - p), where the quotient is meant.
  bool scaled = test["kind"] == "eqx.nn.Dropout" || test["kind"] == "flax.linen.Dropout";
  Tolerance narrow{scaled ? 2e-6 : 0, 0};
  const Tolerance* tolerance = scaled || moving.count(test["kind"]) ? &narrow : nullptr;
  if (test.contains("outputs")) {
    // An optimiser's state differs in form from Optax's: its function is told which parts are asked for.
    json params = test.at("params");
    params["state_paths"] = json::array();
    for (const json& w : test["outputs"])
      if (std::string path = w.value("path", ""); path.starts_with("['state']"))
        params["state_paths"].push_back(plain_path(path.substr(9)));
    return expect_outputs(at->second(inputs, params), test["outputs"], false, tolerance);
  }
  struct Restore {
    bool was = config::threefry_partitionable();
    ~Restore() { config::threefry_partitionable(was); }
  } restore;
  for (bool layout : {false, true}) {
    config::threefry_partitionable(layout);
    try {
      expect_outputs(at->second(inputs, test.at("params")), test.at(layout ? "outputs_new" : "outputs_old"), false,
                     tolerance);
    } catch (const Mismatch& m) {
      throw Mismatch(std::string(layout ? "new" : "old") + " layout: " + m.what());
    }
  }
}
const Registration nn_registration({"cases"}, "cases", run_nn);

}  // namespace

Dict NnInputs::dict(int i) const {
  std::string prefix = "[" + std::to_string(i) + "]";
  Dict out;
  for (const json& input : list) {
    std::string path = input.at("path");
    if (!path.starts_with(prefix)) continue;
    Dict* at = &out;
    for (const std::string& step : steps_of(plain_path(path.substr(prefix.size())))) at = &(*at)[step];
    *at = array_of(input);
  }
  return out;
}

Array at_path(const Dict& tree, const std::string& path) {
  const Dict* at = &tree;
  for (const std::string& step : steps_of(path)) {
    if (at->is_array() || !at->contains(step)) return {};
    at = &(*at)[step];
  }
  return at->is_array() ? at->array() : Array();
}

void append(NnOutputs& to, NnOutputs more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

NnFamily::NnFamily(std::map<std::string, NnFunction> added) { kinds().merge(added); }

void expect_outputs(const NnOutputs& got, const json& want, bool more, const Tolerance* tolerance) {
  if (!more && got.size() != want.size())
    throw Mismatch(std::to_string(got.size()) + " results, expected " + std::to_string(want.size()));
  for (const json& w : want) {
    std::string path = plain_path(w.value("path", ""));
    auto at = std::find_if(got.begin(), got.end(), [&](const auto& g) { return g.first == path; });
    if (at == got.end()) throw Mismatch("no result at `" + path + "`");
    try {
      expect_equal(at->second, w, tolerance ? *tolerance : tolerance_of(w));
    } catch (const Mismatch& m) {
      throw Mismatch("`" + path + "`: " + m.what());
    }
  }
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
