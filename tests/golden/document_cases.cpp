// documents.json: values, shardings, printed texts and errors of every step.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <sstream>

#include "golden/collective_functions.hpp"
#include "golden/document_steps.hpp"
#include "tutti/tutti.hpp"

namespace golden {

using namespace tutti;

json json_of(const Array& x) {
  json data = json::array();
  if (x.dtype().is_inexact()) {
    for (float v : lax::convert_element_type(x, float32).to_vector<float>()) data.push_back(std::isfinite(v) ? json(static_cast<double>(v)) : json(std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"));
  } else if (x.dtype() == bool_) {
    for (bool v : x.to_vector<bool>()) data.push_back(v);
  } else {
    for (std::int32_t v : lax::convert_element_type(x, int32).to_vector<std::int32_t>()) data.push_back(v);
  }
  return {{"dtype", x.dtype().name()}, {"shape", x.shape().dims()}, {"data", data}};
}

std::vector<std::string> match(const std::string& text, const std::string& pattern) {
  std::smatch m;
  if (!std::regex_match(text, m, std::regex(pattern))) return {};
  return {m.begin(), m.end()};
}

std::string document_words(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex("argument x of"), "argument x1 of");
  out = std::regex_replace(out, std::regex("argument y of"), "argument x2 of");
  return std::regex_replace(out, std::regex("and with device ids"), "and device ids");
}

PartitionSpec spec_of_text(const std::string& text) {
  std::vector<std::string> m = match(text, R"(P\((.*)\))");
  if (m.empty()) throw Unknown("spec " + text);
  std::vector<SpecEntry> entries;
  for (const json& e : parse_arguments(m[1]).positional)
    entries.push_back(e.is_null() ? SpecEntry(none) : e.is_string() ? SpecEntry(e.get<std::string>()) : SpecEntry(Names(e.get<std::vector<std::string>>())));
  return PartitionSpec::from(entries);
}

namespace {

// Steps that draw normals start from values that agree to 2e-5 (JAX's erf_inv is off by up to 46 units in the last place); the others to 1e-5.
double tolerance = 1e-5;
double slack = 0;

double as_number(const json& v) { return v.is_boolean() ? v.get<bool>() : number_of(v); }
bool near(double a, double b, double scale) {
  return a == b || (std::isnan(a) && std::isnan(b)) || (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance * (std::abs(b) + scale) + slack);
}
bool is_array(const json& v) { return v.is_object() && v.contains("dtype") && v.contains("shape"); }

void compare_array(const json& got, const json& want, const std::string& where) {
  if (!is_array(got)) throw Mismatch(where + ": not an array: " + got.dump());
  if (got["dtype"] != want["dtype"] || got["shape"] != want["shape"])
    throw Mismatch(fmt::format("{}: {}{}, expected {}{}", where, got["dtype"].dump(), got["shape"].dump(), want["dtype"].dump(), want["shape"].dump()));
  bool floating = want["dtype"].get<std::string>().find("float") != std::string::npos;
  std::vector<double> v;
  for (const json& e : got["data"]) v.push_back(as_number(e));
  double largest = 0, sum = 0, sum_abs = 0, sum_sq = 0;
  for (double e : v) {
    if (std::isfinite(e)) largest = std::max(largest, std::abs(e));
    sum += e, sum_abs += std::abs(e), sum_sq += e * e;
  }
  auto element = [&](std::size_t i, const json& w) {
    double expected = as_number(w);
    if (floating ? !near(v.at(i), expected, largest) : v.at(i) != expected) throw Mismatch(fmt::format("{}: element {} is {:.9g}, expected {:.9g}", where, i, v[i], expected));
  };
  if (want.contains("data")) {
    for (std::size_t i = 0; i < v.size(); ++i) element(i, want["data"].at(i));
    return;
  }
  for (std::size_t i = 0; i < want["first"].size(); ++i) element(i, want["first"][i]);
  for (std::size_t i = 0; i < want["last"].size(); ++i) element(v.size() - want["last"].size() + i, want["last"][i]);
  for (auto [name, mine] : {std::pair{"sum", sum}, {"sum_abs", sum_abs}, {"sum_sq", sum_sq}})
    if (!near(mine, want[name], name == std::string("sum_sq") ? sum_sq : sum_abs)) throw Mismatch(fmt::format("{}: its {} is {}, expected {}", where, name, mine, want[name].get<double>()));
}

void compare(const json& got, const json& want, const std::string& where) {
  if (is_array(want)) return compare_array(got, want, where);
  if (want.is_array()) {
    if (!got.is_array() || got.size() != want.size()) throw Mismatch(fmt::format("{}: {} entries, expected {}", where, got.size(), want.size()));
    for (std::size_t i = 0; i < want.size(); ++i) compare(got[i], want[i], fmt::format("{}[{}]", where, i));
  } else if (want.is_object()) {
    for (const auto& [key, value] : want.items()) {
      if (!got.contains(key)) throw Mismatch(where + ": nothing for " + key);
      compare(got[key], value, where + "." + key);
    }
  } else if (want.is_number_float()) {
    if (!got.is_number() || !near(got, want, 0)) throw Mismatch(where + ": " + got.dump() + ", expected " + want.dump());
  } else if (got != want) {
    throw Mismatch(where + ": " + got.dump() + ", expected " + want.dump());
  }
}

// Pictures in which JAX's table breaks or loses labels.
bool has_broken_labels(const std::string& text) {
  static const std::regex cell("\\s*([A-Z]+ \\d+(,\\d+)*)?\\s*");
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("│")) continue;
    std::string content;
    for (std::size_t at = 0, end; (end = line.find("│", at + 3)) != std::string::npos; at = end)
      if (content = line.substr(at + 3, end - at - 3); !std::regex_match(content, cell)) return true;
  }
  return false;
}
std::string without_pictures(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("│") && !line.starts_with("├") && !line.starts_with("┌") && !line.starts_with("└")) out += line + "\n";
  return out;
}

// Equal, but for floating numbers in the text, which may differ by the tolerance of their arrays.
void compare_text(const std::string& got, const std::string& want) {
  if (got == want) return;
  static const std::regex number(R"(-?\d+\.\d*(?:e[+-]?\d+)?)");
  auto numbers = [&](const std::string& s) {
    std::vector<double> out;
    for (auto at = std::sregex_iterator(s.begin(), s.end(), number); at != std::sregex_iterator(); ++at) out.push_back(std::stod(at->str()));
    return out;
  };
  // A number printed with another count of digits has other blanks beside it.
  auto words = [&](const std::string& s) { return std::regex_replace(std::regex_replace(s, number, "#"), std::regex(" *# *"), "#"); };
  std::vector<double> a = numbers(got), b = numbers(want);
  double largest = 0;
  for (double v : b) largest = std::max(largest, std::abs(v));
  bool same = words(got) == words(want) && a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = near(a[i], b[i], largest);
  if (!same) throw Mismatch("printed\n" + got + "expected\n" + want);
}

Sharding sharding_of(const json& s) {
  auto device = [](int id) { return devices().at(static_cast<std::size_t>(id)); };
  if (s.contains("single_device")) return SingleDeviceSharding(device(s["single_device"]));
  if (!s.contains("mesh")) throw Unknown("sharding " + s.dump());
  std::vector<Device> list;
  for (int id : s["mesh"]["device_ids"]) list.push_back(device(id));
  std::vector<SpecEntry> entries;
  for (const json& e : s["spec"]) entries.push_back(e.is_null() ? SpecEntry(none) : e.is_string() ? SpecEntry(e.get<std::string>()) : SpecEntry(Names(e.get<std::vector<std::string>>())));
  return NamedSharding(Mesh(list, shape_of(s["mesh"]["shape"]), Names(s["mesh"]["names"].get<std::vector<std::string>>())), PartitionSpec::from(entries));
}

// Placed as JAX's, or cut into smaller blocks on the same devices.
void compare_placement(const Array& got, const json& want, const std::string& where) {
  if (got.shape() != shape_of(want.at("shape"))) throw Mismatch(where + ": shape " + got.shape().str());
  if (got.committed() != want.at("committed").get<bool>()) throw Mismatch(where + (got.committed() ? ": committed" : ": uncommitted"));
  if (want.contains("text")) return;
  Sharding mine = got.sharding(), other = sharding_of(want);
  if (mine.is_equivalent_to(other, got.ndim())) return;
  bool smaller = mine.device_list() == other.device_list() && mine.shard_shape(got.shape()).num_elements() < other.shard_shape(got.shape()).num_elements();
  if (!smaller) throw Mismatch(where + ": " + mine.str() + ", expected " + other.str());
}

struct Captured {
  std::ostringstream text;
  std::streambuf* before = std::cout.rdbuf(text.rdbuf());
  ~Captured() { std::cout.rdbuf(before); }
};

Document& document_of(const json& test) {
  static std::map<std::string, std::unique_ptr<Document>> open;
  std::string id = test.at("document"), name = test.at("name"), key = id + test.value("layout", "");
  // The plain half of S2 has no layout, its other half has both.
  bool begins = name.starts_with(id + ".01");
  if (begins || !open[key]) {
    open[key] = id == "S0" ? equinox_document() : id == "S1" ? arrays_document() : id == "S2" ? pmap_document() : id == "S3" ? sharded_document() : flax_document();
  }
  return *open[key];
}

void run(const json& test) {
  if (!test.contains("document") || !test.contains("what")) throw Unknown("not a step");
  set_cpu_devices(test["document"] == "S4" ? 2 : 8);
  struct Layout {
    bool before = config::threefry_partitionable();
    ~Layout() { config::threefry_partitionable(before); }
  } layout;
  config::threefry_partitionable(test.value("layout", "partitionable") == "partitionable");
  tolerance = test.contains("layout") ? 2e-5 : 1e-5;
  Document& document = document_of(test);
  std::string what = test["what"];
  if (test.contains("error")) {
    json error = test["error"];
    error["message"] = document_words(error["message"]);
    return expect_error_with_facts(error, [&] {
      Captured quiet;
      document.step(what, test);
    });
  }
  StepResult got;
  std::string printed;
  {
    Captured out;
    got = document.step(what, test);
    printed = out.text.str();
  }
  const json values = test.value("values", json::object()), shardings = test.value("sharding", json::object());
  for (const auto& [name, want] : values.items()) {
    if (!got.values.count(name)) throw Mismatch("nothing for " + name);
    slack = got.slack.count(name) ? got.slack[name] : 0;
    compare(got.values[name], want, name);
  }
  slack = 0;
  for (const auto& [name, want] : shardings.items()) {
    if (!got.placed.count(name)) throw Mismatch("no sharding for " + name);
    compare_placement(got.placed[name], want, name);
  }
  if (!test.contains("printed")) return;
  if (has_broken_labels(test["printed"])) {
    compare_text(without_pictures(printed), without_pictures(test["printed"]));
    if (has_broken_labels(printed)) throw Mismatch("labels are broken\n" + printed);
    throw Different("a table too narrow");
  }
  if (what.starts_with("np.allclose") && printed == "True\n" && test["printed"] == "False\n") throw Different("dots that agree");
  if (!test.contains("error_text")) return compare_text(printed, test["printed"]);
  // Conflicts of devices: the document's words, wrapped as it does; then what to do.
  std::istringstream expected(test["printed"].get<std::string>());
  std::string all, message, at = printed;
  for (std::string line; std::getline(expected, line);) all += (all.empty() || line.starts_with("\x1b") ? "\n" : " ") + line;
  std::istringstream messages(all.substr(1));
  while (std::getline(messages, message)) {
    std::size_t found = at.find(wrap(document_words(message)) + "\n");
    if (found == std::string::npos) throw Mismatch("printed\n" + printed + "without\n" + wrap(document_words(message)));
    at.erase(0, found + 1);
  }
}
const Registration registration({"steps"}, "steps", run);

}  // namespace
}  // namespace golden
